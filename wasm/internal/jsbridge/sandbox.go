package jsbridge

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sandbox"
)

// sandboxPort is host.Sandbox over the shell, which runs scripts in a worker of
// their own and ends it when it is over its limits.
type sandboxPort struct{ c *Conn }

func (p sandboxPort) Run(ctx context.Context, s host.Script) ([]byte, error) {
	r, _, err := ask[protocol.Sandboxed](ctx, p.c, "sandbox.run", jsonParams(protocol.Sandbox{
		Script: s.Source, Input: string(s.Input), Now: s.Now.Format(time.RFC3339),
		MaxSteps: s.Limits.Steps, MaxMs: int(s.Limits.Time.Milliseconds()), MaxMB: s.Limits.MB,
	}))
	if err != nil {
		return nil, err
	}
	return sandbox.Result(r)
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

// overhead is what the program itself takes of a sandbox's memory, in
// megabytes, and some room for the garbage of one collection.
const overhead = 32

// Handle implements Server: the one method is sandbox.run.
func (s *Sandbox) Handle(_ context.Context, method string, payload []byte) ([]byte, error) {
	if method != "sandbox.run" {
		return nil, fault.New(fault.NotFound, "error.method.unknown", fault.P{"method": method})
	}
	var r protocol.Sandbox
	if err := decode(method, payload, &r); err != nil {
		return nil, err
	}
	if r.MaxMB != s.limit && r.MaxMB > overhead {
		// Garbage is collected before the memory's maximum is reached.
		debug.SetMemoryLimit(int64(r.MaxMB-overhead) << 20)
		s.limit = r.MaxMB
	}
	answer, err := json.Marshal(s.interpreter.Run(r))
	if err != nil {
		return nil, fault.From(err)
	}
	return answer, nil
}
