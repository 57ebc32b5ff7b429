package overlay

import (
	"context"
	"slices"
	"sync"

	"embedded-agent/wasm/internal/carrier"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/index"
)

// users says which files of the base have links, by what the links go by
// (carrier.Key). It is made once: a plan that renames a thousand notes reads the
// vault once.
type users struct {
	mu    sync.Mutex // held while files are read
	known map[string][]string
	html  map[string][]string
}

// backlinks gives the files of the base that may link to a path. A host that
// follows its changes knows the links of notes itself, but none of canvases,
// bases and HTML, in which notes show files that are no notes.
func (b *Base) backlinks(ctx context.Context, path string) ([]string, error) {
	ix := b.indexOf()
	if ix == nil {
		return b.host.Backlinks(ctx, path)
	}
	b.users.mu.Lock()
	defer b.users.mu.Unlock()
	if err := b.learnUsers(ctx, ix.Follows()); err != nil {
		return nil, err
	}
	out := slices.Clone(b.users.known[carrier.Key(path)])
	if !ix.Follows() {
		return out, nil
	}
	told, err := b.host.Backlinks(ctx, path)
	if err == nil && !carrier.IsNote(path) {
		err = b.learnHTML(ctx)
		out = append(out, b.users.html[carrier.Key(path)]...)
	}
	return append(out, told...), err
}

// learnUsers reads every canvas and base, and every note where the host does not
// know their links.
func (b *Base) learnUsers(ctx context.Context, onlyOthers bool) error {
	if b.users.known != nil {
		return nil
	}
	known, err := b.usersAmong(ctx, index.Filter{Pass: func(i *host.Info) bool {
		return carrier.Carries(i.Path) && !(onlyOthers && carrier.IsNote(i.Path))
	}})
	if err == nil {
		b.users.known = known
	}
	return err
}

// learnHTML reads the notes that may hold a tag which shows a file.
func (b *Base) learnHTML(ctx context.Context) error {
	if b.users.html != nil {
		return nil
	}
	html, err := b.usersAmong(ctx, index.Filter{Notes: true, Need: index.Pattern(carrier.Tags)})
	if err == nil {
		b.users.html = html
	}
	return err
}

func (b *Base) usersAmong(ctx context.Context, f index.Filter) (map[string][]string, error) {
	f.Keep = func(*host.Info, index.Row) bool { return true }
	found, err := b.selected(ctx, f)
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for some := range slices.Chunk(found, readTogether) {
		paths := make([]string, len(some))
		for i := range some {
			paths[i] = some[i].Path
		}
		read, err := b.ReadMany(ctx, paths)
		if err != nil {
			return nil, err
		}
		for i, p := range paths {
			for _, l := range carrier.Links(p, read[i].Data) {
				key := carrier.Key(l.Path)
				if list := out[key]; !l.External && (len(list) == 0 || list[len(list)-1] != p) {
					out[key] = append(list, p)
				}
			}
		}
	}
	return out, nil
}
