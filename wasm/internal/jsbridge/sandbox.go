package jsbridge

import (
	"context"
	"fmt"
	"runtime/debug"
	"strconv"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/jsontree"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sandbox"
	"embedded-agent/wasm/internal/timestamp"
)

// sandboxPort is host.Sandbox over the app's side, which runs scripts in a worker of
// their own and ends it when it is over its limits.
type sandboxPort struct{ c *Conn }

func (p sandboxPort) Run(ctx context.Context, s host.Script) ([]byte, error) {
	if err := sandbox.Fits(s.Input); err != nil {
		return nil, err
	}
	r, _, err := ask[protocol.Sandboxed](ctx, p.c, "sandbox.run", sandboxParams(s))
	if err != nil {
		return nil, err
	}
	return sandbox.Result(r)
}

// sandboxParams is a protocol.Sandbox.
func sandboxParams(s host.Script) Params {
	return func(dst []byte, blob func([]byte) int) []byte {
		dst = append(dst, `{"script":`...)
		dst = canon.AppendString(dst, s.Source)
		dst = append(dst, `,"input":`...)
		dst = strconv.AppendInt(dst, int64(blob(s.Input)), 10)
		dst = append(dst, `,"now":`...)
		dst = canon.AppendString(dst, timestamp.Zoned(s.Now))
		dst = append(dst, `,"maxSteps":`...)
		dst = strconv.AppendInt(dst, s.Limits.Steps, 10)
		dst = append(dst, `,"maxMs":`...)
		dst = strconv.AppendInt(dst, s.Limits.Time.Milliseconds(), 10)
		dst = append(dst, `,"maxMb":`...)
		dst = strconv.AppendInt(dst, int64(sandbox.Memory(s.Limits.MB, len(s.Input))), 10)
		dst = append(dst, `,"locale":`...)
		dst = canon.AppendString(dst, s.Dates.JSON())
		return append(dst, '}')
	}
}

type plugins struct{ c *Conn }

func (p plugins) Installed(ctx context.Context) ([]host.InstalledPlugin, error) {
	r, _, err := ask[protocol.InstalledPlugins](ctx, p.c, "plugins.installed", noParams)
	all := make([]host.InstalledPlugin, len(r.Plugins))
	for i, e := range r.Plugins {
		all[i] = host.InstalledPlugin(e)
	}
	return all, err
}

// Sandbox is the server of a sandbox's worker: it runs scripts, and has no host
// to call.
type Sandbox struct {
	interpreter *sandbox.Interpreter
	limit       int // megabytes, as last set
}

// NewSandbox makes the server.
func NewSandbox() *Sandbox { return &Sandbox{interpreter: sandbox.New()} }

// overhead is the program's own share of a sandbox's memory, in
// megabytes, and some room for the garbage of one collection.
const overhead = 32

// Handle implements Server: nothing is asked of a sandbox without an input.
func (s *Sandbox) Handle(ctx context.Context, method string, payload []byte) ([]byte, error) {
	return s.HandleBlobs(ctx, method, payload, nil)
}

// HandleBlobs implements BlobServer: the one method is sandbox.run, and the blob is
// the input of its script.
func (s *Sandbox) HandleBlobs(_ context.Context, method string, payload []byte, blobs [][]byte) ([]byte, error) {
	if method != "sandbox.run" {
		return nil, fault.New(fault.NotFound, "error.method.unknown", fault.P{"method": method})
	}
	root, err := jsontree.Parse(payload)
	if err != nil {
		return nil, fault.New(fault.Internal, "error.internal", nil).With(err)
	}
	at := int(root.Get("input").Int())
	if at < 0 || at >= len(blobs) {
		return nil, fault.New(fault.Internal, "error.internal", nil).With(fmt.Errorf("%s: blob %d of %d", method, at, len(blobs)))
	}
	r := protocol.Sandbox{
		Script: root.Get("script").Str(), Now: root.Get("now").Str(),
		MaxSteps: root.Get("maxSteps").Int(), MaxMB: int(root.Get("maxMb").Int()), Locale: root.Get("locale").Str(),
	}
	if r.MaxMB != s.limit && r.MaxMB > overhead {
		// Garbage is collected before the memory's maximum is reached.
		debug.SetMemoryLimit(int64(r.MaxMB-overhead) << 20)
		s.limit = r.MaxMB
	}
	answer := s.interpreter.Run(r, blobs[at])
	dst := make([]byte, 0, len(answer.Output)+len(answer.Output)/4+64)
	dst = append(dst, `{"output":`...)
	dst = canon.AppendString(dst, answer.Output)
	dst = append(dst, `,"error":`...)
	dst = canon.AppendString(dst, answer.Error)
	dst = append(dst, `,"steps":`...)
	return append(strconv.AppendInt(dst, answer.Steps, 10), '}'), nil
}
