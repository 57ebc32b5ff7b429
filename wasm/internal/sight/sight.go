// Package sight is a host as those may see it whose words leave the vault: what
// a model is told, what tools give, what actions are filled with.
//
// Over lays one rule (policy.MaySee) over every port that tells of notes. There
// is no way round it for whoever is handed the result: a path that may not be
// seen cannot be read or described by name, is in no list, is linked from
// nowhere, is not the open note, and has no selection. A port that is added to
// host.Host has to get its place here; a test counts them.
//
// Writes are not for this host: they go through the overlay, which has the same
// rule for what it shows (overlay.WithSight) and the policy's guard for each op.
package sight

import (
	"context"
	"path"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// May says whether a path may be seen; its error is why not, and does not name
// the path.
type May func(path string) error

// Over gives a host that shows what may be seen. Of its ports, Vault only reads.
// Store, Sandbox and Platform tell of no note; Changes and Metadata are for the
// index, which lies under the overlay, and are not handed on.
func Over(h host.Host, may May) host.Host {
	out := host.Host{
		Vault: &vault{h.Vault, may}, Store: h.Store, Sandbox: h.Sandbox, Plugins: h.Plugins, Platform: h.Platform,
	}
	if h.Editor != nil {
		out.Editor = Editor(h.Editor, may)
	}
	if h.Workspace != nil {
		out.Workspace = &workspace{h.Workspace, may}
	}
	if h.Commands != nil {
		out.Commands = &commands{h.Commands, may}
	}
	return out
}

// Shown gives what may be seen of an editor's state: all of it, or that there is
// a note that may not be.
func Shown(st host.EditorState, may May) host.EditorState {
	if st.Path != "" && may(st.Path) != nil {
		return host.EditorState{Hidden: true}
	}
	return st
}

// Editor is an editor whose note is shown only where it may be seen.
func Editor(e host.Editor, may May) host.Editor { return editor{e, may} }

type editor struct {
	host.Editor
	may May
}

func (e editor) State(ctx context.Context) (host.EditorState, error) {
	st, err := e.Editor.State(ctx)
	if err != nil {
		return host.EditorState{}, err
	}
	return Shown(st, e.may), nil
}

type workspace struct {
	host.Workspace
	may May
}

func (w *workspace) Context(ctx context.Context) (host.WorkspaceState, error) {
	st, err := w.Workspace.Context(ctx)
	if err != nil {
		return host.WorkspaceState{}, err
	}
	if st.ActivePath != "" && w.may(st.ActivePath) != nil {
		st.ActivePath = ""
	}
	st.OpenPaths = slices.DeleteFunc(slices.Clone(st.OpenPaths), func(p string) bool { return w.may(p) != nil })
	return st, nil
}

func (w *workspace) Open(ctx context.Context, path string, newPane bool) error {
	if err := w.may(path); err != nil {
		return err
	}
	return w.Workspace.Open(ctx, path, newPane)
}

type commands struct {
	host.Commands
	may May
}

// files are the endings by which a command that is about one file is known.
var files = []string{".md", ".canvas", ".base", ".pdf"}

// List leaves out the commands that plugins make for a file which may not be
// seen, such as "Open Private/Diary.md".
func (c *commands) List(ctx context.Context) ([]host.Command, error) {
	all, err := c.Commands.List(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(cmd host.Command) bool { return !c.shows(cmd.ID) || !c.shows(cmd.Name) }), nil
}

// shows looks at every way to read a path at the end of a text.
func (c *commands) shows(text string) bool {
	if !slices.Contains(files, strings.ToLower(path.Ext(text))) {
		return true
	}
	for rest := text; rest != ""; {
		if c.may(rest) != nil {
			return false
		}
		at := strings.IndexAny(rest, " :")
		if at < 0 {
			break
		}
		rest = rest[at+1:]
	}
	return true
}

func (c *commands) Run(ctx context.Context, id string) (bool, error) {
	if !c.shows(id) {
		return false, nil
	}
	return c.Commands.Run(ctx, id)
}

type vault struct {
	under host.Vault
	may   May
}

func (v *vault) Stat(ctx context.Context, path string) (host.Info, error) {
	if err := v.may(path); err != nil {
		return host.Info{}, err
	}
	return v.under.Stat(ctx, path)
}

func (v *vault) Read(ctx context.Context, path string) ([]byte, error) {
	if err := v.may(path); err != nil {
		return nil, err
	}
	return v.under.Read(ctx, path)
}

func (v *vault) List(ctx context.Context, folder string) ([]host.Info, error) {
	return v.shown(v.under.List(ctx, folder))
}

func (v *vault) Walk(ctx context.Context, folder string) ([]host.Info, error) {
	return v.shown(v.under.Walk(ctx, folder))
}

func (v *vault) shown(all []host.Info, err error) ([]host.Info, error) {
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(i host.Info) bool { return v.may(i.Path) != nil }), nil
}

func (v *vault) Backlinks(ctx context.Context, path string) ([]string, error) {
	if err := v.may(path); err != nil {
		return nil, err
	}
	all, err := v.under.Backlinks(ctx, path)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(p string) bool { return v.may(p) != nil }), nil
}

// Apply refuses: whoever only looks writes nothing.
func (v *vault) Apply(_ context.Context, op host.Op) (host.Info, error) {
	return host.Info{}, fault.New(fault.Denied, "error.vault.notApproved", fault.P{"path": op.Path})
}
