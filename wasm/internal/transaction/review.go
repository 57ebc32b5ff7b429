package transaction

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"embedded-agent/wasm/internal/fileview"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/notrun"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pins"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/quota"
	"embedded-agent/wasm/internal/reuse"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// Review is a plan, or an undo, as it was simulated and shown. An approval names
// the hash of exactly this.
//
// It is made whole in this file and is not changed afterwards: whoever holds one
// may read it without a lock. An amendment, or another simulation, makes another
// review from a Draft. TestAReviewIsNotChangedOnceItIsMade holds this.
type Review struct {
	ID string
	Asked
	program
	Aids
	decided
	Found
	View *protocol.Review // as the panel shows it
}

// Draft is a review that is not simulated yet. One goroutine owns it, fills it in,
// and hands it to Simulate.
type Draft struct {
	ID string
	Asked
	program
	Aids
	decided
	base   *overlay.Base // the vault as it was read before; nil to read it anew
	before *Review       // the review that this one is to replace; nil for none
}

// Asked describes a request: its words, who made it, and the warnings that go with it.
type Asked struct {
	Instruction string
	Action      string // the saved action that it came from; "" for none
	Turn        Turn   // the turn that it came from; nil for none
	Link        bool   // a link started it, not the person
	DryRun      bool
	MustAsk     bool // imported or changed: the question cannot be switched off
	Now         time.Time
	Selection   *host.EditorState // given for it; nil for what the editor says
	Warnings    []protocol.Message
	title       *protocol.Message // stands for the goal; nil for the goal itself
	reopened    *notrun.Record    // what was kept of an earlier review of the plan; nil for none

	// OwnWords says that the plan was made without any text of notes, or by the
	// person: its constants may go to the web. Said are the person's own words.
	OwnWords bool
	Said     string
}

// program is the thing to carry out: a plan, from some place on, or an undo.
type program struct {
	plan      *plan.Plan
	graph     *plan.Graph
	raw       json.RawMessage
	from      int                  // the place in the graph where execution goes on
	prior     map[int]*tool.Result // of the calls that were made before, by sequence number
	continues string               // the run whose rest this is
	sealed    bool                 // no model is asked: what is not frozen fails
	Undo      Undo                 // instead of a plan; nil for a plan
}

// Aids are shared by all simulations of one review. Each has its own lock.
type Aids struct {
	Frozen *reuse.Frozen // what its model steps gave
	Leave  *modelstep.Leave
	Pins   *pins.Set
	Trace  *history.Tracing
	memo   *reuse.Scripts
	out    *guard.Outgoing // what it lets out
}

// decided has the person's changes.
type decided struct {
	amend   *overlay.Amendments
	dropped map[string]overlay.Change // what is left out, as it was before
	once    policy.Once               // what is allowed although a setting refuses it; replaced, never changed
}

// Found has the findings of a simulation.
type Found struct {
	Base     *overlay.Base
	Vault    *overlay.Vault
	Report   *runner.Report
	Called   map[string]*tool.Call // call_id -> the call as it was simulated
	Changes  []overlay.Change
	listed   fileview.Rows     // the changes as they are listed
	commands map[string]string // the names of the palette's commands by id, where the plan runs any
	quota    *quota.Plan       // of what it made
}

func undecided() decided {
	return decided{
		amend:   &overlay.Amendments{Dropped: map[string]bool{}, Edits: map[string]overlay.Edit{}},
		dropped: map[string]overlay.Change{},
	}
}

func (d decided) clone() decided {
	return decided{amend: d.amend.Clone(), dropped: maps.Clone(d.dropped), once: d.once}
}

// again begins another review in the place of this one, with all that was decided.
// The vault is not read anew.
func (rv *Review) again() *Draft {
	d := &Draft{
		ID: rv.ID, Asked: rv.Asked, program: rv.program, Aids: rv.Aids, decided: rv.decided.clone(),
		base: rv.Base, before: rv,
	}
	d.Warnings = slices.Clone(rv.Warnings)
	return d
}

// readAnew has the vault read anew, and says why in the place of what was said of
// the same kind.
func (d *Draft) readAnew(why protocol.Message) {
	d.base = nil
	d.Warnings = append(slices.DeleteFunc(d.Warnings, func(m protocol.Message) bool { return m.Key == why.Key }), why)
}

// finish makes the review of a draft and of what its simulation found. Every review
// begins with its files, of a plan and of an undo alike, so that neither can show
// less than the other; complete adds the rest of what is shown.
func (d *Draft) finish(ctx context.Context, found Found, complete func(*Review, *protocol.Review)) (*Review, error) {
	rv := &Review{ID: d.ID, Asked: d.Asked, program: d.program, Aids: d.Aids, decided: d.decided, Found: found}
	var old fileview.Rows
	if d.before != nil {
		old = d.before.listed
	}
	view, listed, err := filesOf(ctx, rv, old)
	if err != nil {
		return nil, err
	}
	complete(rv, view)
	rv.View, rv.listed = view, listed
	return rv, nil
}

// FinishUndo makes the review of a draft of an undo, as u simulated it on v.
// Complete adds what is shown besides the files.
func (d *Draft) FinishUndo(ctx context.Context, u Undo, v *overlay.Vault, changes []overlay.Change, complete func(*protocol.Review)) (*Review, error) {
	d.Undo = u
	found := Found{Base: d.base, Vault: v, Report: &runner.Report{}, Called: map[string]*tool.Call{}, Changes: changes}
	return d.finish(ctx, found, func(_ *Review, view *protocol.Review) { complete(view) })
}

// asReplay gives the review of a replay: one of its own, so that closing it is no
// answer about the run, and one that cannot be approved.
func (rv *Review) asReplay(id string, trace *history.Tracing) *Review {
	next, view := *rv, *rv.View
	next.ID, next.DryRun, next.Turn, next.Trace = id, true, nil, trace
	next.title = &protocol.Message{Key: "review.replay", Params: map[string]string{"goal": view.Goal}}
	view.Run, view.Title, view.DryRun, view.Approvable = id, next.title, true, false
	next.View = &view
	return &next
}

// Goal gives the aim of the draft, in words.
func (d *Draft) Goal() string { return d.plan.Goal }

// Goal gives the aim of the review, in words.
func (rv *Review) Goal() string { return rv.plan.Goal }

// Amendments gives the person's changes; others must not change them.
func (d *Draft) Amendments() *overlay.Amendments { return d.amend }

// BaseOfUndo gives the vault as an undo finds it. It is read once, and again where
// an amendment asks for that.
func (d *Draft) BaseOfUndo(v host.Vault) *overlay.Base {
	if d.base == nil {
		d.base = overlay.NewBase(v, nil, d.Now)
	}
	return d.base
}

// kept has the parts of a run that stay at hand after its end: its rest and a saved action
// are made of it.
type kept struct {
	plan   *plan.Plan // nil of an undo
	editor *host.EditorState
	now    time.Time
	amend  *overlay.Amendments
	frozen *reuse.Frozen
}

// kept gives what is kept of the review once its run has ended.
func (rv *Review) kept() kept {
	k := kept{now: rv.Now, amend: rv.amend, frozen: rv.Frozen}
	if rv.Undo == nil {
		k.plan, k.editor = rv.plan, rv.editorSeen()
	}
	return k
}

// editorSeen gives what was selected when the plan was simulated, or nil.
func (rv *Review) editorSeen() *host.EditorState {
	if rv.Base == nil {
		return rv.Selection
	}
	return rv.Base.EditorSeen()
}
