// Package runner executes a checked plan: it schedules calls and hands each to
// the pipeline. The same code runs a simulation and the real run; what differs
// is the pipeline it is given.
//
// Order. A step starts when the steps it depends on have ended. Beyond that,
// steps behave as if run one after the other in the plan's order: a step that
// reads the vault waits for earlier steps that write, and the other way round;
// steps that write run beside each other, but calls that may write one path
// keep their source order and never run at once (Tool.Claims). So a simulation
// and its run, whatever their timing, do the same.
//
// Sequence numbers are places in the plan (step, iteration), not moments, so a
// call has the same call_id in the simulation, in the run and in a replay.
package runner

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/tool"
)

// iterationsPerStep is the room between two steps' sequence numbers.
const iterationsPerStep = 1_000_000

// Seq gives the sequence number of a call by its step's place in the order of
// the graph and its iteration.
func Seq(place, iteration int) int { return place*iterationsPerStep + iteration }

// Config is one execution.
type Config struct {
	RunID string
	Graph *plan.Graph
	Part  Part
	Call  pipeline.Func
	// Base has the fields that all calls share: policy, versions, confirmationId.
	Base tool.Call
	// Limits clamp concurrency, attempts, pauses and the number of calls.
	Limits tool.Limits
	// Make is asked before a value is built for a call (plan.Scope); nil asks
	// nobody.
	Make func(bytes int) error
	// Day is the now of conditions: the same in the simulation and the run.
	Day time.Time
	// Vars are values known before the first step.
	Vars map[string]any
	// Simulating runs make one call after the other in the plan's order, so that
	// they always come out the same. They wait between attempts as runs do: what
	// is read from the web is read there.
	Simulating bool
	// Ahead is told, while simulating, what the calls of a step are going to be
	// called with, so that what they need can be asked for together. The function
	// that it gives, if any, is called when they have ended.
	Ahead func(ctx context.Context, n *plan.Node, args []func() (tool.Args, error)) (ended func())
	// Now is the clock of what is recorded; nil is the real one. Seed drives the
	// jitter of pauses.
	Now     func() time.Time
	Seed    uint64
	Control Control
	Events  Events
}

// Part is which steps of a graph are executed.
type Part struct {
	// From and To are places in Graph.Nodes: [From, To). What comes before From
	// must be in Prior. To 0 means all.
	From, To int
	// Prior holds results by sequence number that are taken as they are.
	Prior map[int]*tool.Result
}

// Control holds an execution up, or ends it, from outside. A field that is nil
// does neither.
type Control struct {
	Gate *Gate
	// Ready waits for what a call needs beside its claims, before it takes a
	// place among the calls under way; false when ctx ends first.
	Ready func(ctx context.Context, seq int) bool
	// Fatal says whether a failure ends the run whatever the step's onError.
	Fatal func(seq int, e *tool.Error) bool
}

// Events tell of an execution while it goes on. They decide nothing; what is nil
// is not told.
type Events struct {
	// Expanded is told how many calls a step has.
	Expanded func(n *plan.Node, calls int)
	// Pausing is told that a call failed and is tried again after a while.
	Pausing func(c *tool.Call, wait time.Duration)
	// Finished is told of a call after its last attempt, Stopped once when the
	// run will start no further call.
	Finished func(c *tool.Call)
	Stopped  func()
	// Skipped is told of steps that are not run, with the cause.
	Skipped func(n *plan.Node, r *tool.Result)
}

// StepReport says how one step ended.
type StepReport struct {
	Node   *plan.Node
	Status tool.Status
	// Results are those of the last attempts, by iteration; one for a step
	// without foreach. Nil entries were not reached.
	Results []*tool.Result
	// Cause is why the step failed or was skipped: the failure itself, not its
	// echoes.
	Cause *tool.Error
	// CauseStep is the step where the cause lies, when it is another.
	CauseStep string
	Output    any
	// Skipped are the elements of a foreach that were left out, since the call for
	// them failed and the rest went on.
	Skipped []tool.Skip
	// Unmet: its conditions do not hold, so that it was not done; or those of the
	// step CauseStep, whose output it needs.
	Unmet bool
	// Of is how many elements a loop had before its conditions were tested.
	Of int
}

// Report says how a plan ended.
type Report struct {
	Steps []*StepReport // in the order of the graph
	// Stopped is the failure that ended the run; nil when it reached its end.
	Stopped *tool.Error
	Outputs map[string]any
}

// Failure gives the first failure of the report and its step, or nil. A step
// that was skipped has not failed: either its cause is in another one, or the
// person has left out what it does.
func (r *Report) Failure() (*StepReport, *tool.Error) {
	for _, s := range r.Steps {
		if s.Cause != nil && s.CauseStep == "" && s.Status != tool.OK && s.Status != tool.Skipped {
			return s, s.Cause
		}
	}
	return nil, nil
}

// Counts counts calls: made, failed, and skipped or not reached. An element that a
// loop left out counts as skipped.
func (r *Report) Counts() (ok, failed, skipped int) {
	for _, s := range r.Steps {
		for _, res := range s.Results {
			switch {
			case res == nil || res.Status == tool.Skipped:
				skipped++
			case res.OK:
				ok++
			case s.Status == tool.OK:
				skipped++
			default:
				failed++
			}
		}
	}
	return ok, failed, skipped
}

// Run executes the plan and returns when every call that was started has ended.
func Run(ctx context.Context, c Config) *Report {
	r := &run{Config: c, claims: newClaims()}
	if r.Part.To == 0 {
		r.Part.To = len(c.Graph.Nodes)
	}
	if r.Now == nil {
		r.Now = time.Now
	}
	r.rand = rand.New(rand.NewPCG(c.Seed, 0x9e3779b97f4a7c15))
	limit := max(1, c.Limits.MaxConcurrency)
	if c.Simulating {
		limit = 1
	}
	r.slots = make(chan struct{}, limit)
	r.vars = map[string]any{}
	for k, v := range c.Vars {
		r.vars[k] = v
	}
	for i, n := range c.Graph.Nodes[:r.Part.To] {
		r.steps = append(r.steps, &step{
			StepReport: &StepReport{Node: n}, place: i,
			done: make(chan struct{}), queued: make(chan struct{}),
		})
	}
	var wg sync.WaitGroup
	for _, s := range r.steps {
		wg.Go(func() { r.runStep(ctx, s) })
	}
	wg.Wait()
	return r.report(ctx)
}

type run struct {
	Config
	claims *claims
	slots  chan struct{}
	steps  []*step

	mu      sync.Mutex // guards what follows
	vars    map[string]any
	stopped *tool.Error
	calls   int
	rand    *rand.Rand
}

// step is a StepReport on its way. queued is closed when its calls have taken
// their places in the claims' queues, done when the step has ended.
type step struct {
	*StepReport
	place  int
	done   chan struct{}
	queued chan struct{}
	once   sync.Once
	// unclear are elements with a value that the loop's conditions cannot compare.
	unclear []tool.Skip
}

func (s *step) enqueued() { s.once.Do(func() { close(s.queued) }) }

func (r *run) report(ctx context.Context) *Report {
	rep := &Report{Stopped: r.stopped}
	for _, s := range r.steps {
		rep.Steps = append(rep.Steps, s.StepReport)
	}
	if rep.Stopped == nil && ctx.Err() != nil {
		rep.Stopped = fault.From(ctx.Err())
	}
	if rep.Stopped == nil && r.Part.To == len(r.Graph.Nodes) {
		scope := r.scope()
		if out, err := r.Graph.BindOutputs(&scope); err == nil {
			rep.Outputs = out
		}
	}
	return rep
}

// scope gives references their values. It may be read while other steps end.
func (r *run) scope() plan.Scope {
	return plan.Scope{
		Make: r.Make, Now: r.Day,
		Step: func(id string) (any, bool) {
			r.mu.Lock()
			defer r.mu.Unlock()
			for _, s := range r.steps {
				if s.Node.Step.ID == id {
					return s.Output, s.Output != nil
				}
			}
			return nil, false
		},
		Var: func(name string) (any, bool) {
			r.mu.Lock()
			defer r.mu.Unlock()
			v, ok := r.vars[name]
			return v, ok
		},
	}
}

// stop ends the run: calls under way end, no further one starts. The first
// failure is the cause.
func (r *run) stop(e *tool.Error) {
	r.mu.Lock()
	first := r.stopped == nil
	if first {
		r.stopped = e
	}
	r.mu.Unlock()
	if first && r.Events.Stopped != nil {
		r.Events.Stopped()
	}
}

func (r *run) halted(ctx context.Context) bool {
	if ctx.Err() != nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stopped != nil
}
