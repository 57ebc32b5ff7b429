// Package pipeline is the one way of a tool call, whoever asked for it: the
// plan runner, the agent loop, a saved action, a replay (docs/design/invocation.md#stages).
//
// New builds a function, Request → Result, out of stages that run in a fixed
// order, each failing closed. The first list ends at the first failure; the
// second always runs, so that every call has a result, and every result is
// redacted, recorded and told. The order is pinned by a golden test.
package pipeline

import (
	"context"
	"errors"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
)

// Request is one call to be made. Bind, where set, materialises the arguments;
// otherwise Call.Args are used as they are.
type Request struct {
	Call *tool.Call
	Bind func() (tool.Args, error)
	// SecretScope is the one scope that the call's secrets may come from; ""
	// for the first that has them.
	SecretScope string
}

// Func makes a call. It never fails: failures are in the result.
type Func func(ctx context.Context, r Request) *tool.Result

// Audit keeps calls and results (docs/design/tool-calls.md).
type Audit interface {
	Call(c *tool.Call)
	Result(c *tool.Call, r *tool.Result)
}

// Deps are the parts that the stages work with. Registry, Guards.Policy and Env are needed;
// what else is nil lets its stage pass through.
type Deps struct {
	Registry *tool.Registry
	// Env gives the tool its surroundings, and the view it writes through.
	Env func(c *tool.Call) (*tool.Env, *overlay.View)
	// Simulating: tools that cannot be simulated are not run.
	Simulating bool
	// Approved gives the simulation's record of the call with a sequence number:
	// in a run its writes are made and its output is taken, instead of executing
	// the tool again (docs/adr/0003). A call without a record is executed.
	Approved func(seq int) (*Recorded, bool)
	Guards   Guards
	Cache    Cache
	// Secrets resolves the secrets that a call needs, and says from which scope.
	// They come from the scope only, where that is not "" (Request.SecretScope).
	Secrets func(ctx context.Context, e *tool.Entry, names []string, only string) (values map[string]string, scope string, err error)
	Records Records
	Events  Events
	Timeout time.Duration
	// MaxOutput refuses an output that is larger as JSON, in bytes; 0 for no limit.
	MaxOutput int
	// Cancelable says whether a call can be stopped once it has begun; nil for
	// all but those whose tool says that it cannot.
	Cancelable func(e *tool.Entry, args tool.Args) bool
}

// Guards can refuse a call, or hold it up. One that fails denies.
type Guards struct {
	Policy *policy.Policy
	// InForce, where set, is asked for the policy at each call, instead of
	// Policy: one that became stricter since holds at once.
	InForce func(ctx context.Context) *policy.Policy
	// Lifted gives what of the policy holds for a call, where a person has let its
	// step do more; nil where nobody has.
	Lifted func(p *policy.Policy, c *tool.Call) *policy.Policy
	// Check may refuse a call, with the error it gives; nil refuses none. An error
	// that says nothing more is a denial.
	Check func(ctx context.Context, c *tool.Call) error
	// Judge has a say beside the policy, and only against a call: its Deny and its
	// Ask hold, its Allow leaves the policy's verdict. It is not asked about calls
	// that are carried out as they were recorded. An error denies.
	Judge func(ctx context.Context, c *tool.Call, e *tool.Entry) (policy.Verdict, error)
	// Limit waits for, or refuses, a call over its rate.
	Limit func(ctx context.Context, e *tool.Entry) error
	// Ask asks a person about a call the policy does not allow by itself. Nil
	// means that nobody can be asked: the call is denied.
	Ask func(ctx context.Context, c *tool.Call, v policy.Verdict) (bool, error)
}

// Records says which records of a call are kept, and in which form.
type Records struct {
	Audit Audit
	// Prepare makes the call's pre-images durable.
	Prepare func(ctx context.Context, c *tool.Call) error
	// Redact takes secrets out of what is recorded and shown.
	Redact func(c *tool.Call, r *tool.Result)
	// Cap bounds an output in bytes and puts the whole aside.
	Cap func(ctx context.Context, c *tool.Call, r *tool.Result)
}

// Events tell of a call while it is on its way. They decide nothing.
type Events struct {
	Started func(c *tool.Call)
	// Progress gives a recorded call's way to say how many of its writes are
	// made. Tools have their own, in Env.
	Progress func(c *tool.Call) func(p tool.Progress)
	Ended    func(c *tool.Call, r *tool.Result)
}

// Recorded is a simulated call as the run carries it out: its arguments and
// output, materialised and valid as they were found then, and its identity.
// Write makes write i; what has been made by an earlier attempt is made.
type Recorded struct {
	Args      tool.Args
	ArgsHash  string
	LogicalID string
	Data      tool.Data
	Failed    *fault.Error // instead of Data
	Writes    []overlay.Write
	Write     func(ctx context.Context, i int) error
}

// Cache keeps results of tools whose policy allows it (docs/design/tool-calls.md#identity).
type Cache interface {
	Get(c *tool.Call, e *tool.Entry) (tool.Data, bool)
	Put(c *tool.Call, e *tool.Entry, d tool.Data)
}

// state is one call on its way.
type state struct {
	d       *Deps
	req     Request
	call    *tool.Call
	entry   *tool.Entry
	verdict policy.Verdict
	env     *tool.Env
	view    *overlay.View
	rec     *Recorded
	secrets struct {
		values map[string]string
		scope  string // where they come from
	}
	clock struct {
		started time.Time
		by      time.Time // when the attempt must have ended; zero for no limit
	}
	out     outcome
	audited bool
	res     *tool.Result
}

// outcome is the result of executing a call.
type outcome struct {
	data    tool.Data
	made    []overlay.Write
	cached  bool
	pretend bool
	failed  bool // as the simulation did
}

type stage struct {
	name string
	run  func(ctx context.Context, s *state) error
}

// before runs until one fails.
var before = []stage{
	{"look up", lookUp},
	{"normalise parameter names", normalise},
	{"materialize arguments", materialise},
	{"validate", validate},
	{"check", check},
	{"policy", decide},
	{"rate limit", limit},
	{"read cache", readCache},
	{"ask", ask},
	{"resolve secrets", resolveSecrets},
	{"audit intent", auditIntent},
	{"journal pre-image", prepare},
	{"execute", execute},
	{"validate output", validateOutput},
}

// after always runs.
var after = []stage{
	{"observe effects", observe},
	{"write cache", writeCache},
	{"cap output", capOutput},
	{"redact", redact},
	{"audit result", auditResult},
	{"events", tell},
}

// Stages lists the stages' names in order.
func Stages() []string {
	var names []string
	for _, s := range before {
		names = append(names, s.name)
	}
	for _, s := range after {
		names = append(names, s.name)
	}
	return names
}

// New builds the pipeline.
func New(d Deps) Func {
	return func(ctx context.Context, r Request) *tool.Result {
		s := &state{d: &d, req: r, call: r.Call}
		s.clock.started = time.Now()
		err := runBefore(ctx, s)
		s.res = s.result(err)
		for _, st := range after {
			// The result stands; a stage after it that fails makes it an error.
			if err := guard(ctx, st, s); err != nil && s.res.OK {
				s.res = s.result(err)
			}
		}
		return s.res
	}
}

func runBefore(ctx context.Context, s *state) error {
	for _, st := range before {
		if err := guard(ctx, st, s); err != nil {
			return err
		}
	}
	return nil
}

// guard turns a panic into an error: a guard that fails denies, and a tool that
// fails is a failed call, not a dead core.
func guard(ctx context.Context, st stage, s *state) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(st.name, s.call.Tool, p)
		}
	}()
	return st.run(ctx, s)
}

func panicked(stage, name string, p any) error {
	if stage == "policy" || stage == "check" {
		return fault.New(fault.Denied, "policy.guardFailed", fault.P{"tool": name})
	}
	e := fault.New(fault.Internal, "error.tool.panic", fault.P{"tool": name})
	if err, ok := p.(error); ok {
		return e.With(err)
	}
	if text, ok := p.(string); ok {
		return e.With(errors.New(text))
	}
	return e
}

// result makes the envelope of what came out.
func (s *state) result(err error) *tool.Result {
	c := s.call
	end := time.Now()
	r := &tool.Result{
		CallID: c.CallID, RunID: c.RunID, StepID: c.StepID, Tool: c.Tool, Version: c.Version, Attempt: c.Attempt,
		LogicalID: c.LogicalID,
		StartedAt: timestamp.Milli(s.clock.started), EndedAt: timestamp.Milli(end), DurationMs: end.Sub(s.clock.started).Milliseconds(),
		Cached: s.out.cached, SecretScope: s.secrets.scope, Recorded: s.out.failed || s.rec != nil && s.rec.Failed != nil,
	}
	switch {
	case errors.Is(err, overlay.ErrDropped):
		r.Status, r.Fault = tool.Skipped, fault.From(err)
		r.UserMessage = r.Fault.Error()
	case err != nil:
		r.Fault = fault.From(err)
		r.Status = tool.StatusOf(r.Fault)
		r.Error = tool.NewResultError(r.Fault)
		r.UserMessage = r.Fault.Error()
	default:
		r.Status, r.OK, r.Data = tool.OK, true, s.out.data
		if r.Data == nil {
			r.Data = tool.Data{}
		}
	}
	return r
}
