package jsbridge

import (
	"context"
	"encoding/hex"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/keyprint"
	"embedded-agent/wasm/internal/protocol"
)

// NewHost gives the app's side's ports over a connection. Its Platform is empty:
// the app's side tells it with hello.
func NewHost(c *Conn) host.Host {
	return host.Host{
		Vault: vault{c, &writeBatcher{c: c}}, Editor: editor{c}, Workspace: workspace{c}, Commands: commands{c}, Store: store{c},
		Sandbox: sandboxPort{c}, Plugins: plugins{c}, Changes: changes{c}, Metadata: metadata{c}, Device: device{c}, Owners: owners{c},
	}
}

// ask makes a call and decodes its result.
func ask[T any](ctx context.Context, c *Conn, method string, params Params) (T, [][]byte, error) {
	var result T
	data, blobs, err := c.Call(ctx, method, params)
	if err != nil {
		return result, nil, err
	}
	return result, blobs, decode(method, data, &result)
}

// do makes a call whose result says nothing.
func do(ctx context.Context, c *Conn, method string, params Params) error {
	_, _, err := c.Call(ctx, method, params)
	return err
}

func read(ctx context.Context, c *Conn, method, path string) ([]byte, error) {
	r, blobs, err := ask[protocol.Content](ctx, c, method, pathParams(path))
	if err != nil {
		return nil, err
	}
	return content(method, r, blobs)
}

func list(ctx context.Context, c *Conn, method, path string) ([]host.Info, error) {
	data, _, err := c.Call(ctx, method, pathParams(path))
	if err != nil {
		return nil, err
	}
	if infos, ok := parseInfos(data); ok {
		return infos, nil
	}
	var r protocol.Infos
	if err := decode(method, data, &r); err != nil {
		return nil, err
	}
	infos := make([]host.Info, len(r.Entries))
	for i, e := range r.Entries {
		infos[i] = info(e)
	}
	return infos, nil
}

func info(i protocol.Info) host.Info {
	return host.Info{Path: i.Path, Kind: host.Kind(i.Kind), Size: i.Size, CTime: i.CTime, MTime: i.MTime}
}

type vault struct {
	c      *Conn
	writes *writeBatcher
}

func (v vault) Stat(ctx context.Context, path string) (host.Info, error) {
	r, _, err := ask[protocol.Info](ctx, v.c, "vault.stat", pathParams(path))
	return info(r), err
}

func (v vault) Read(ctx context.Context, path string) ([]byte, error) {
	return read(ctx, v.c, "vault.read", path)
}

func (v vault) List(ctx context.Context, folder string) ([]host.Info, error) {
	return list(ctx, v.c, "vault.list", folder)
}

func (v vault) Walk(ctx context.Context, folder string) ([]host.Info, error) {
	return list(ctx, v.c, "vault.walk", folder)
}

func (v vault) Backlinks(ctx context.Context, path string) ([]string, error) {
	r, _, err := ask[protocol.Paths](ctx, v.c, "vault.backlinks", pathParams(path))
	return r.Paths, err
}

func (v vault) Apply(ctx context.Context, op host.Op) (host.Info, error) {
	return v.writes.apply(ctx, op)
}

type editor struct{ c *Conn }

func (e editor) State(ctx context.Context) (host.EditorState, error) {
	r, _, err := ask[protocol.EditorState](ctx, e.c, "editor.state", noParams)
	s := r.Selection
	return host.EditorState{
		Path: r.Path, Text: r.Text,
		Selection: host.Range{From: host.Position(s.From), To: host.Position(s.To)},
	}, err
}

type workspace struct{ c *Conn }

func (w workspace) Context(ctx context.Context) (host.WorkspaceState, error) {
	r, _, err := ask[protocol.WorkspaceContext](ctx, w.c, "workspace.context", noParams)
	return host.WorkspaceState(r), err
}

func (w workspace) Open(ctx context.Context, path string, newPane bool) error {
	return do(ctx, w.c, "workspace.open", jsonParams(protocol.Open{Path: path, NewPane: newPane}))
}

func (w workspace) Focus(ctx context.Context, pane string) error {
	return do(ctx, w.c, "workspace.focus", jsonParams(protocol.Focus{Pane: protocol.Pane(pane)}))
}

type commands struct{ c *Conn }

func (k commands) List(ctx context.Context) ([]host.Command, error) {
	r, _, err := ask[protocol.CommandList](ctx, k.c, "commands.list", noParams)
	all := make([]host.Command, len(r.Commands))
	for i, c := range r.Commands {
		all[i] = host.Command(c)
	}
	return all, err
}

func (k commands) Run(ctx context.Context, id string) (bool, error) {
	r, _, err := ask[protocol.CommandRan](ctx, k.c, "commands.run", jsonParams(protocol.CommandRun{ID: id}))
	return r.OK, err
}

type store struct{ c *Conn }

func (s store) Append(ctx context.Context, path string, data []byte) error {
	return do(ctx, s.c, "store.append", storeParams(path, data))
}

func (s store) Write(ctx context.Context, path string, data []byte) error {
	return do(ctx, s.c, "store.write", storeParams(path, data))
}

func (s store) Read(ctx context.Context, path string) ([]byte, error) {
	return read(ctx, s.c, "store.read", path)
}

func (s store) List(ctx context.Context, folder string) ([]host.Info, error) {
	return list(ctx, s.c, "store.list", folder)
}

func (s store) Remove(ctx context.Context, path string) error {
	return do(ctx, s.c, "store.remove", pathParams(path))
}

type device struct{ c *Conn }

func (d device) Key(ctx context.Context) ([]byte, error) {
	r, _, err := ask[protocol.DeviceKey](ctx, d.c, "device.key", noParams)
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(r.Key)
	if err != nil {
		return nil, fault.New(fault.Internal, "error.device.storage", nil).With(err)
	}
	return key, nil
}

// Keys is server.Keys over the app's side.
type Keys struct{ c *Conn }

// Where implements server.Keys.
func (k Keys) Where(ctx context.Context, name string) (hosts, redirects []string, err error) {
	r, _, err := ask[protocol.SecretHas](ctx, k.c, "secret.has", jsonParams(protocol.SecretName{Name: name}))
	return r.Hosts, r.Redirects, err
}

// Allow implements server.Keys.
func (k Keys) Allow(ctx context.Context, name, origin string, redirects bool) error {
	return do(ctx, k.c, "secret.allow", jsonParams(protocol.SecretAllow{Name: name, Host: origin, Redirects: redirects}))
}

// Print implements server.Keys. What does not fit is no print: the app's side takes a
// key out of what it sees in any case.
func (k Keys) Print(ctx context.Context, name string) (keyprint.Print, error) {
	r, _, err := ask[protocol.SecretPrint](ctx, k.c, "secret.print", jsonParams(protocol.SecretName{Name: name}))
	if err != nil || len(r.Bases) != 2 || len(r.Hashes) != 2 {
		return keyprint.Print{}, err
	}
	return keyprint.Print{Length: r.Length, Bases: [2]uint32(r.Bases), Hashes: [2]uint32(r.Hashes)}, nil
}

// SecretFunc says whether the host's secret store has a value for a name.
type SecretFunc func(ctx context.Context, name string) (bool, error)

func secrets(c *Conn) SecretFunc {
	return func(ctx context.Context, name string) (bool, error) {
		r, _, err := ask[protocol.SecretHas](ctx, c, "secret.has", jsonParams(protocol.SecretName{Name: name}))
		return r.Has, err
	}
}
