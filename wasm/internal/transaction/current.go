package transaction

import (
	"sync"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// Turn is the source of a plan: one instruction on its way.
type Turn interface {
	Over() bool
	// Ended is closed when its end was told.
	Ended() <-chan struct{}
	// Note tells the person something while it is under way.
	Note(protocol.Message)
}

// current knows which turn, review and run there are: at most one of each, and
// never two that could both write.
type current struct {
	deps *Deps

	// taking is held while a run is reverted or recovered; mu may be locked under it.
	taking sync.Mutex

	// mu guards its fields. A turn may be asked whether it is over, and a Run's own
	// lock may be locked, under it; no other is.
	mu struct {
		sync.Mutex
		begun   Turn      // the turn that is under way, or was last
		review  *Review   // the one that is open; not changed, but replaced
		shown   time.Time // when that was
		told    *Review   // the last one whose findings were the answer, until a turn begins
		run     *Run      // the one that is under way, or what is kept of the last
		lastRun *protocol.RunSummary
		left    []protocol.RunSummary // what a crash has left
	}
}

// running says whether a run is under way. The lock is held.
func (c *current) running() bool { return c.mu.run != nil && !c.mu.run.over() }

func busy() error { return fault.New(fault.Precondition, "error.busy", nil) }

// BeginTurn makes a turn the one that is under way: one at a time, and not while a
// run is. The review that is open is closed. PRECONDITION_FAILED says that something
// else is under way.
func (c *current) BeginTurn(turn Turn) error {
	c.mu.Lock()
	if (c.mu.begun != nil && !c.mu.begun.Over()) || c.running() {
		c.mu.Unlock()
		return busy()
	}
	c.mu.begun = turn
	closed := c.mu.review
	c.mu.review, c.mu.told = nil, nil
	c.mu.Unlock()
	if closed != nil {
		c.deps.Out.Tell(protocol.Event{Type: protocol.EventReviewClosed, RunID: closed.ID, NotRun: closed.notRun()})
	}
	return nil
}

// Told keeps the review at hand whose findings a turn gives as its answer.
func (c *current) Told(rv *Review) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mu.told = rv
}

// seen gives a review that the person sees, open or as an answer; nil for none.
func (c *current) seen(id string) *Review {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rv := range []*Review{c.mu.review, c.mu.told} {
		if rv != nil && rv.ID == id {
			return rv
		}
	}
	return nil
}

// Show opens a review. PRECONDITION_FAILED says that something else is under way.
func (c *current) Show(rv *Review) error {
	c.mu.Lock()
	if c.running() || (c.mu.begun != nil && c.mu.begun != rv.Turn && !c.mu.begun.Over()) {
		c.mu.Unlock()
		return busy()
	}
	c.mu.review, c.mu.shown = rv, c.deps.Now()
	c.mu.Unlock()
	c.keep(rv)
	c.deps.Out.Tell(protocol.Event{Type: protocol.EventReviewOpened, Review: rv.View})
	return nil
}

// replace shows another review in the place of one. CONFLICT says that it is not
// open any more.
func (c *current) replace(rv, next *Review) error {
	c.mu.Lock()
	if c.mu.review != rv {
		c.mu.Unlock()
		return fault.New(fault.Conflict, "error.review.gone", nil)
	}
	c.mu.review, c.mu.shown = next, c.deps.Now()
	c.mu.Unlock()
	c.keep(next)
	c.deps.Out.Tell(protocol.Event{Type: protocol.EventReviewChanged, Review: next.View})
	return nil
}

// take closes the open review for the run that carries it out, and says when it was
// shown. PRECONDITION_FAILED says that a run is under way, CONFLICT that the review
// is not the open one any more.
func (c *current) take(rv *Review, run *Run) (shown time.Time, err error) {
	c.mu.Lock()
	if c.running() {
		c.mu.Unlock()
		return shown, busy()
	}
	if c.mu.review != rv { // closed or changed meanwhile
		c.mu.Unlock()
		return shown, fault.New(fault.Conflict, "error.review.changed", nil)
	}
	c.mu.run, c.mu.review, shown = run, nil, c.mu.shown
	c.mu.Unlock()
	c.forget(rv.ID)
	c.deps.Settled(rv.ID, true)
	c.deps.Out.Tell(protocol.Event{Type: protocol.EventReviewClosed, RunID: rv.ID})
	run.tell()
	return shown, nil
}

// closeReview closes the open review, where it has this id or none is named, and
// gives it; nil where it is not open.
func (c *current) closeReview(id string) *Review {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.review == nil || id != "" && c.mu.review.ID != id {
		return nil
	}
	rv := c.mu.review
	c.mu.review = nil
	return rv
}

// Open gives the open review by its id. NOT_FOUND says that it is not open.
func (c *current) Open(id string) (*Review, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.review == nil || c.mu.review.ID != id {
		return nil, fault.New(fault.NotFound, "error.review.gone", nil)
	}
	return c.mu.review, nil
}

// Running gives the run under way by its id, or whichever it is for "". NOT_FOUND
// says that it is not under way.
func (c *current) Running(id string) (*Run, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.running() || (id != "" && c.mu.run.id != id) {
		return nil, fault.New(fault.NotFound, "error.run.notRunning", nil)
	}
	return c.mu.run, nil
}

// Idle is PRECONDITION_FAILED while a run is under way.
func (c *current) Idle() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running() {
		return busy()
	}
	return nil
}

// Alone keeps other reverts and recoveries from the vault until what it gives is
// called. PRECONDITION_FAILED says that a run, or one of them, is under way.
func (c *current) Alone() (func(), error) {
	if err := c.Idle(); err != nil {
		return nil, err
	}
	if !c.taking.TryLock() {
		return nil, busy()
	}
	return c.taking.Unlock, nil
}

// aloneNext is Alone for what a person has approved: it waits its turn. A review
// is shown before the request that opened it has given the vault back.
func (c *current) aloneNext() (func(), error) {
	c.taking.Lock()
	if err := c.Idle(); err != nil {
		c.taking.Unlock()
		return nil, err
	}
	return c.taking.Unlock, nil
}

// ShowState says what is under way, and what a crash has left.
func (c *current) ShowState(st *protocol.State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	st.LastRun = c.mu.lastRun
	st.Recoveries = append([]protocol.RunSummary{}, c.mu.left...)
	if c.mu.review != nil {
		st.Review = c.mu.review.View
	}
	if c.mu.run != nil {
		rs := c.mu.run.state()
		st.Run = &rs
	}
}

// atHand gives the run under way, or the last one, where it has this id; nil for
// any other.
func (c *current) atHand(run string) *Run {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.run == nil || c.mu.run.id != run {
		return nil
	}
	return c.mu.run
}

// PlanAtHand gives the plan of a run that is under way or has just ended, as it was
// executed, with what was selected and the time it took for now; nil for any other.
func (c *current) PlanAtHand(run string) (*plan.Plan, *host.EditorState, time.Time) {
	if x := c.atHand(run); x != nil && x.kept.plan != nil {
		return x.kept.plan, x.kept.editor, x.kept.now
	}
	if rv := c.seen(run); rv != nil {
		return rv.plan, rv.editorSeen(), rv.Now
	}
	return nil, nil, time.Time{}
}

// Simulated calls f with each call of a review and its result, and says whether the
// review is at hand: open, or the last answer.
func (c *current) Simulated(run string, f func(*tool.Call, *tool.Result)) bool {
	rv := c.seen(run)
	if rv == nil {
		return false
	}
	for s := range rv.calls(0, everything) {
		f(s.call, s.result)
	}
	return true
}

// LiveTrace gives the trace of the open review, or of the run under way; nil for
// any other.
func (c *current) LiveTrace(run string) *history.Tracing {
	if rv, err := c.Open(run); err == nil {
		return rv.Trace
	}
	if x := c.atHand(run); x != nil && !x.over() {
		return x.trace
	}
	return nil
}

// letGo keeps of a run that has ended what is needed of it. All else it held is in
// its records, and of ten thousand notes as much again as the next review takes.
func (c *current) letGo(x *Run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.run == x {
		c.mu.run = x.past()
	}
}

// keepLast keeps the line of a run that has just ended, as the one that can be
// reverted.
func (c *current) keepLast(sum protocol.RunSummary) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mu.lastRun = &sum
}

// ForgetLast forgets the last run that can be reverted, where it is this one.
func (c *current) ForgetLast(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.lastRun != nil && c.mu.lastRun.Run == id {
		c.mu.lastRun = nil
	}
}

// SetFound sets what a crash has left, and the last run that can be reverted; nil
// for none.
func (c *current) SetFound(left []protocol.RunSummary, last *protocol.RunSummary) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mu.left, c.mu.lastRun = left, last
}

// TakenBack notes that a run was reverted whole, where it is still shown.
func (c *current) TakenBack(run string) {
	c.ForgetLast(run)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.run != nil && c.mu.run.id == run {
		c.mu.run.takenBack()
	}
}
