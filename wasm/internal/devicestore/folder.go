package devicestore

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/host"
)

// devicesFolder has a folder for each device that keeps its records beside the
// notes.
const devicesFolder = "devices"

// folder is the kind of store for where there is no other: a folder of this device
// in the shared one. Nothing there can be flushed.
type folder struct {
	shared host.Store
	path   string
}

// folderOf names this device's folder. Where the device keeps no id it has none of
// its own: under a new name each day, yesterday's records would be lost to sight.
func folderOf(p Place) string {
	if !p.Kept {
		return ""
	}
	return devicesFolder + "/" + host.Etag([]byte(p.ID))[:12]
}

func (f *folder) Kind() host.StoreKind { return host.StoreFolder }

func (f *folder) full(path string) string {
	return strings.Trim(f.path+"/"+path, "/")
}

func (f *folder) Holds(ctx context.Context) (bool, error) {
	if f.path == "" {
		return false, nil
	}
	list, err := f.shared.List(ctx, f.path)
	return len(list) > 0, err
}

func (f *folder) Try(context.Context) error { return nil }

func (f *folder) Append(ctx context.Context, path string, data []byte) error {
	return f.shared.Append(ctx, f.full(path), data)
}

func (f *folder) Write(ctx context.Context, path string, data []byte) error {
	return f.shared.Write(ctx, f.full(path), data)
}

func (f *folder) Read(ctx context.Context, path string) ([]byte, error) {
	return f.shared.Read(ctx, f.full(path))
}

func (f *folder) List(ctx context.Context, path string) ([]host.Info, error) {
	list, err := f.shared.List(ctx, f.full(path))
	if f.path == "" && path == "" {
		list = slices.DeleteFunc(list, func(i host.Info) bool { return !apart(i.Path) })
	}
	for i := range list {
		list[i].Path = strings.TrimPrefix(strings.TrimPrefix(list[i].Path, f.path), "/")
	}
	return list, err
}

func (f *folder) Remove(ctx context.Context, path string) error {
	return f.shared.Remove(ctx, f.full(path))
}

func (f *folder) Clear(ctx context.Context) error {
	if f.path != "" {
		return f.shared.Remove(ctx, f.path)
	}
	for _, first := range ofDevice {
		if err := f.shared.Remove(ctx, first); err != nil {
			return err
		}
	}
	return nil
}

func (f *folder) Flush(context.Context, ...string) error { return nil }
