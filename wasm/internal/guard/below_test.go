package guard

import (
	"context"
	"errors"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
)

func noSalary(path string) error {
	if strings.Contains(path, "salary") {
		return fault.New(fault.Denied, "error.path.unseen", nil)
	}
	return nil
}

func TestAFolderWithSomethingThatMayNotBeSeenIsNeitherMovedNorRemoved(t *testing.T) {
	v := hosttest.New(hosttest.Options{Files: map[string]string{
		"Box/a.md": "a", "Box/Deep/salary.md": "s", "Free/a.md": "a", "a.md": "a",
	}}).Host().Vault
	for name, c := range map[string]struct {
		op     host.Op
		denied bool
	}{
		"the folder moves":           {host.Op{Kind: host.OpRename, Path: "Box", To: "Moved"}, true},
		"the folder below moves":     {host.Op{Kind: host.OpRename, Path: "Box/Deep", To: "Moved"}, true},
		"the folder to the trash":    {host.Op{Kind: host.OpTrash, Path: "Box"}, true},
		"the folder is removed":      {host.Op{Kind: host.OpRmdir, Path: "Box/Deep"}, true},
		"another folder moves":       {host.Op{Kind: host.OpRename, Path: "Free", To: "Moved"}, false},
		"another folder is removed":  {host.Op{Kind: host.OpRmdir, Path: "Free"}, false},
		"a note beside it moves":     {host.Op{Kind: host.OpRename, Path: "Box/a.md", To: "b.md"}, false},
		"a note to the trash":        {host.Op{Kind: host.OpTrash, Path: "Box/a.md", Before: []byte("a")}, false},
		"a note is written there":    {host.Op{Kind: host.OpModify, Path: "Box/a.md"}, false},
		"a folder that is not there": {host.Op{Kind: host.OpRename, Path: "None", To: "Moved"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			err := Below(t.Context(), v, c.op, noSalary)
			if fault.Is(err, fault.Denied) != c.denied || !c.denied && err != nil {
				t.Errorf("want as in the case and denied true (or no error), got %v", err)
			}
			if err != nil && strings.Contains(err.Error()+strings.Join(values(fault.From(err).Params), " "), "salary") {
				t.Errorf("it names what may not be seen: %v", err)
			}
		})
	}
}

func values(p fault.P) []string {
	var out []string
	for _, v := range p {
		out = append(out, v)
	}
	return out
}

// blind is a vault that cannot be looked into.
type blind struct {
	host.Vault
	stat, walk error
}

func (b blind) Stat(ctx context.Context, path string) (host.Info, error) {
	if b.stat != nil {
		return host.Info{}, b.stat
	}
	return b.Vault.Stat(ctx, path)
}

func (b blind) Walk(ctx context.Context, folder string) ([]host.Info, error) {
	if b.walk != nil {
		return nil, b.walk
	}
	return b.Vault.Walk(ctx, folder)
}

func TestAFolderThatCannotBeLookedIntoIsRefused(t *testing.T) {
	v, broken := hosttest.New(hosttest.Options{Files: map[string]string{"Box/a.md": "a"}}).Host().Vault, errors.New("broken")
	for _, b := range []blind{{v, broken, nil}, {v, nil, broken}} {
		if err := Below(t.Context(), b, host.Op{Kind: host.OpRename, Path: "Box", To: "Moved"}, noSalary); !errors.Is(err, broken) {
			t.Errorf("want the error broken, got %v", err)
		}
	}
}
