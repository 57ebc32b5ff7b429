// Package staged is the room of changes that another program asks for: a command, by
// what it left in a working copy (Work), or an agent, by calls of tools (Calls). It
// plans them on the vault as it is now, merges what the person edited meanwhile, and
// shows the outcome as a review. What is approved is a run with a journal, like every
// other (docs/design/staging.md, docs/adr/0047-staged-changes-are-recorded-writes.md).
package staged

import (
	"context"
	"strconv"
	"time"

	"embedded-agent/wasm/internal/copychange"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/transaction"
)

// Deps are the parts of the core that the room uses, and the function that server
// hands it.
type Deps struct {
	Host         host.Host
	Registry     *tool.Registry
	Guard        *guard.Guard
	History      *history.History
	Transactions *transaction.Transactions
	Out          *outbox.Outbox
	Now          func() time.Time
	// Lock waits until no other program works with the staged calls of these notes, and
	// keeps them away until it is told to let them. Of Calls alone.
	Lock func(ctx context.Context) (free func() error, err error)
	// Mark tells whether notes have changed since calls were staged on them; nil where
	// nothing does, and they are staged again each time. Of Calls alone.
	Mark host.Marks
	// WriteRun makes planned writes as a run with a journal of its own, and gives
	// the files that were written; line gives the line of the history for how it
	// ended and for those files.
	WriteRun func(ctx context.Context, d *history.Run, h journal.Header, planned []journal.Planned, line func(protocol.RunOutcome, []protocol.FileChange) protocol.Message, vault host.Vault) ([]protocol.FileChange, error)
}

// Staged is the room. It has no state.
type Staged struct{ deps *Deps }

// New gives the room.
func New(d Deps) *Staged { return &Staged{&d} }

// Work lists the changes of a command in its working copy.
type Work struct {
	Command string              // as it was typed: the name of the run
	Changes []copychange.Change // in any order
	Odd     []string            // links, pipes, sockets and devices that it made
	Hidden  []string            // hidden files and folders that it made
	Kept    []string            // folders that it removed, and that hold what it could not see
}

// Open opens the review of what a command left. PRECONDITION_FAILED says that
// something else is under way.
func (s *Staged) Open(ctx context.Context, w Work) (*protocol.Review, error) {
	if err := s.deps.Guard.ReadOrganisation(ctx); err != nil {
		return nil, err
	}
	w.Changes = copychange.Order(copychange.Moves(w.Changes))
	return s.deps.open(ctx, w.Command, &w)
}

// open opens the review of what a source asks for.
func (d *Deps) open(ctx context.Context, goal string, from source) (*protocol.Review, error) {
	rv, err := d.Transactions.Simulate(ctx, d.Transactions.NewUndo(d.Out.Redact(goal), &staging{deps: d, from: from}))
	if err != nil {
		return nil, err
	}
	return rv.View, d.Transactions.Show(rv)
}

// check gives the rule that each write to a vault is held against.
func (d *Deps) check(ctx context.Context, v host.Vault, pol *policy.Policy) func(op host.Op) error {
	return func(op host.Op) error {
		if err := pol.CheckOp(op); err != nil {
			return err
		}
		return guard.Below(ctx, v, op, pol.MaySee)
	}
}

// source asks for changes: a working copy does, or calls of tools.
type source interface {
	// plan plans the changes, as often as they are simulated.
	plan(ctx context.Context, p *planning) error
	// words gives the reason for what the person has changed as well, and what says
	// that both were kept.
	words() (also, merged string)
	// size is how many changes there are.
	size() int
	// carry carries the changes out, by write, as the run of that id.
	carry(ctx context.Context, run string, write func() error) error
}

func (w *Work) plan(ctx context.Context, p *planning) error { return p.plan(ctx, w) }
func (w *Work) words() (also, merged string)                { return edited, "review.staged.merged" }

func (w *Work) size() int { return len(w.Changes) + len(w.Odd) + len(w.Hidden) }

func (w *Work) carry(_ context.Context, _ string, write func() error) error { return write() }

// staging belongs to a review of what another program asks for. It is not changed: a
// simulation makes another one.
type staging struct {
	deps *Deps
	from source
	done *planning // as it was simulated
}

// Kind implements transaction.Undo.
func (s *staging) Kind() protocol.RunKind { return protocol.KindStaged }

// Simulate implements transaction.Undo.
func (s *staging) Simulate(ctx context.Context, d *transaction.Draft) (*transaction.Review, error) {
	deps := s.deps
	vault := overlay.New(d.BaseOfUndo(deps.Host.Vault), overlay.WithAmendments(d.Amendments()))
	p := &planning{
		view: vault.For(call), vault: vault, left: map[string][]protocol.LeftOutItem{},
		check: deps.check(ctx, deps.Host.Vault, deps.Guard.InForce(ctx)),
	}
	p.edited, _ = s.from.words()
	if err := s.from.plan(ctx, p); err != nil {
		return nil, err
	}
	changes, err := vault.Changes(ctx)
	if err != nil {
		return nil, err
	}
	next := *s // the review that is shown keeps its own
	next.done = p
	return d.FinishUndo(ctx, &next, vault, changes, func(view *protocol.Review) { next.show(d, view) })
}

// call is the name that the writes have in the overlay's log and in the journal.
const call = "staged"

// show adds to a review what the person sees besides the files.
func (s *staging) show(d *transaction.Draft, view *protocol.Review) {
	view.Title = &protocol.Message{Key: "review.staged", Params: map[string]string{"goal": d.Goal()}}
	view.Undo, view.Calls = protocol.KindStaged, len(transaction.PlannedWrites(s.done.vault))
	view.Approvable = view.Calls > 0
	view.Warnings = append(view.Warnings, d.Warnings...)
	if n := len(s.done.merged); n > 0 {
		_, merged := s.from.words()
		view.Warnings = append(view.Warnings, protocol.Message{Key: merged, Params: map[string]string{
			"n": strconv.Itoa(n), "paths": transaction.Named(s.done.merged),
		}})
	}
	if left := s.done.leftOut(d.Goal(), s.from.size()); left != nil {
		view.Steps = append(view.Steps, protocol.StepPreview{
			ID: call, Tool: call, Text: d.Goal(), Simulate: true, Undo: true, LeftOut: left, Notes: []protocol.Message{},
		})
	}
}

// Refused implements transaction.Undo.
func (s *staging) Refused(ctx context.Context) error {
	check := s.deps.check(ctx, s.deps.Host.Vault, s.deps.Guard.InForce(ctx))
	for _, w := range transaction.PlannedWrites(s.done.vault) {
		if err := check(w.Op); err != nil {
			return err
		}
	}
	return nil
}

// CarryOut implements transaction.Undo.
func (s *staging) CarryOut(ctx context.Context, rv *transaction.Review) (_ protocol.RunSummary, wrote []protocol.FileChange, _ error) {
	deps, planned := s.deps, transaction.PlannedWrites(s.done.vault)
	d := &history.Run{
		Version: "1", RunID: rv.ID, Kind: protocol.KindStaged, Goal: rv.Goal(), Now: deps.Now(), Calls: len(planned),
		Files: rv.View.Files, Policy: deps.Guard.Policy().Snapshot(), Registry: deps.Registry.Version(),
	}
	approved := len(d.Files)
	for _, f := range d.Files {
		if f.Dropped {
			approved--
		}
	}
	line := func(outcome protocol.RunOutcome, made []protocol.FileChange) protocol.Message {
		return protocol.Message{Key: "run.staged." + string(outcome), Params: map[string]string{
			"n": strconv.Itoa(len(made)), "total": strconv.Itoa(approved), "goal": d.Goal,
		}}
	}
	err := s.from.carry(ctx, rv.ID, func() (err error) {
		wrote, err = deps.WriteRun(ctx, d, journal.Header{Approval: rv.View.Approval}, planned, line, deps.Guard.Writable(nil))
		return err
	})
	sum, missing := deps.History.Summary(context.WithoutCancel(ctx), rv.ID)
	if missing != nil {
		return protocol.RunSummary{Run: rv.ID, Outcome: protocol.OutcomeFailed}, wrote, err
	}
	return sum, wrote, err
}
