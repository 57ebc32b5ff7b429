package staged

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/transaction"
	"embedded-agent/wasm/internal/version"
)

// Calls are the calls of tools by which other programs ask for changes. A call reads
// the notes as they would be, with all that is staged. What it writes is staged: it is
// on the disk, beside the notes, when the call returns, and waits there for a person
// (docs/design/staging.md#calls). Several programs may use the staged calls of the same
// notes; they take turns by Deps.Lock.
type Calls struct {
	deps *Deps
	mu   sync.Mutex // held while this program uses the log of calls
	kept *kept      // under mu; nil for nothing
}

// NewCalls gives the staged calls of the notes. It needs Deps.Lock.
func NewCalls(d Deps) *Calls { return &Calls{deps: &d} }

// alone does f while nobody else has the log.
func (c *Calls) alone(ctx context.Context, f func() error) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	free, err := c.deps.Lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, free()) }()
	return f()
}

// with hands the whole log to f, while nobody else has it.
func (c *Calls) with(ctx context.Context, f func(l *callLog) error) error {
	return c.alone(ctx, func() error {
		l, err := readLog(ctx, c.deps.Host.Store, c.deps.History, place{})
		if err != nil {
			return err
		}
		return f(l)
	})
}

// over hands f the notes as they would be, and the log, while nobody else has it.
func (c *Calls) over(ctx context.Context, f func(l *callLog, g *ground) error) error {
	return c.alone(ctx, func() error {
		if err := c.deps.Guard.ReadOrganisation(ctx); err != nil {
			return err
		}
		k, l, err := c.current(ctx)
		if err != nil {
			return err
		}
		return f(l, k.ground())
	})
}

// ground is the notes as they would be: as they are now, and over them what is staged.
type ground struct {
	deps  *Deps
	id    string
	scene transaction.Scene
	pol   *policy.Policy
	vault *overlay.Vault
	seq   int
}

// ground lays a copy of what is staged over the notes. It looks at them anew, since
// those that no call has to do with may have changed.
func (k *kept) ground() *ground {
	g := &ground{deps: k.deps, id: ids.New(), pol: k.pol, seq: k.at.calls + 1}
	g.scene = transaction.Scene{Now: k.deps.Now(), Quota: k.quota.Copy()}
	g.vault = k.vault.On(k.deps.Transactions.BaseOf(g.scene), overlay.WithQuota(g.scene.Quota.Write))
	return g
}

// Call makes a call of a tool, and stages what it writes. The result says how the call
// ended; the error is why it could not be made.
func (c *Calls) Call(ctx context.Context, by, name string, args tool.Args) (r *tool.Result, err error) {
	e, err := c.deps.Registry.Get(name, "")
	if err != nil {
		return nil, err
	}
	if !Stageable(e) {
		return nil, fault.New(fault.Denied, "staged.cannot", fault.P{"tool": e.Name})
	}
	err = c.over(ctx, func(l *callLog, g *ground) error {
		before := len(g.vault.Log())
		made := &tool.Call{
			RunID: g.id, StepID: call, Tool: e.Name, Version: e.Version, Args: args, Attempt: 1, Seq: g.seq,
			Cancelable: true, Risk: e.EffectsOf(args).Risk(), Category: e.Namespace(),
			ExecutorVersion: version.Core, ToolRegistryVersion: c.deps.Registry.Version(), Policy: g.pol.Snapshot(),
		}
		r = g.pipeline()(ctx, pipeline.Request{Call: made})
		if !r.OK {
			return nil
		}
		return l.stage(ctx, noted{By: c.deps.Out.Redact(by), Tool: e.Name, Writes: writesOf(g.vault.Log()[before:])})
	})
	return r, err
}

// stage keeps what a call wrote, if anything.
func (l *callLog) stage(ctx context.Context, n noted) error {
	if len(n.Writes) == 0 {
		return nil
	}
	return l.add(ctx, n)
}

// Stageable says whether the calls of a tool can be made here: they change nothing but
// notes, need no model, and no window.
func Stageable(e *tool.Entry) bool {
	f := &e.Facts
	return e.Simulable && e.Lifecycle != tool.Blocked && !f.AsksModel && !f.OnWindow && !f.ReadsOn
}

// pipeline gives the way of a call over the ground. Nobody can be asked: what the
// policy does not allow by itself is denied.
func (g *ground) pipeline() pipeline.Func {
	d := g.deps
	return pipeline.New(pipeline.Deps{
		Registry: d.Registry,
		Guards: pipeline.Guards{
			Policy: g.pol, InForce: d.Guard.InForce, Judge: d.Guard.NewOutgoing(nil, nil).Judge, Limit: d.Guard.Rate, Check: d.Guard.KeepHidden,
		},
		Env: func(made *tool.Call) (*tool.Env, *overlay.View) {
			view := g.vault.For(made.LogicalID)
			env := d.Transactions.Env(g.scene, view, g.pol)
			env.Model.Paged = true
			return env, view
		},
		Cache: d.Transactions.ResultsFor(g.vault), Secrets: d.Guard.ResolveSecrets,
		Records: pipeline.Records{Redact: d.Guard.RedactResult}, MaxOutput: g.pol.Limits.MaxOutputBytes,
		Timeout: time.Duration(g.pol.Limits.MaxTimeoutMs) * time.Millisecond,
	})
}

// Look hands the notes as they would be to f. What the settings exclude is not there.
func (c *Calls) Look(ctx context.Context, f func(v host.Vault) error) error {
	return c.over(ctx, func(_ *callLog, g *ground) error { return f(g.vault.For(call)) })
}

// Open opens the review of all that is staged. PRECONDITION_FAILED says that nothing
// is, that programs with another key have staged something, or that something else is
// under way.
func (c *Calls) Open(ctx context.Context) (*protocol.Review, error) {
	if err := c.deps.Guard.ReadOrganisation(ctx); err != nil {
		return nil, err
	}
	of, others := &handed{calls: c}, 0
	err := c.with(ctx, func(l *callLog) error {
		of.lines, of.head, of.by, others = l.lines, l.head, l.by(), l.others
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(of.lines) == 0 && others > 0 {
		return nil, fault.New(fault.Precondition, "staged.others", map[string]string{"n": strconv.Itoa(others)})
	}
	if len(of.lines) == 0 {
		return nil, fault.New(fault.Precondition, "staged.nothing", nil)
	}
	return c.deps.open(ctx, strings.Join(of.by, ", "), of)
}

// Discard forgets all that is staged, and says how many calls that were.
func (c *Calls) Discard(ctx context.Context) (n int, err error) {
	err = c.with(ctx, func(l *callLog) error {
		n = len(l.lines)
		return l.clear(ctx)
	})
	return n, err
}

// handed is the staged calls as they were when a review of them was opened.
type handed struct {
	calls *Calls
	lines []noted
	by    []string
	head  string
}

func (h *handed) plan(ctx context.Context, p *planning) error { return p.again(ctx, h.lines) }

func (h *handed) words() (also, merged string) { return since, "review.staged.since" }

func (h *handed) size() int {
	n := 0
	for _, line := range h.lines {
		n += len(line.Writes)
	}
	return n
}

// carry makes the run. The log names the run before it begins, so that whoever finds
// both after a crash knows that the calls are the run's. CONFLICT says that more was
// staged since the review was opened.
func (h *handed) carry(ctx context.Context, run string, write func() error) error {
	return h.calls.with(ctx, func(l *callLog) error {
		if l.head != h.head {
			return fault.New(fault.Conflict, "staged.changed", nil)
		}
		if err := l.add(ctx, noted{Run: run}); err != nil {
			return err
		}
		if err := write(); err != nil {
			return err
		}
		return l.clear(context.WithoutCancel(ctx))
	})
}
