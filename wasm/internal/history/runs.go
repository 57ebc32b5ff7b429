package history

import (
	"context"
	"encoding/json"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
)

// The store's layout beside the run folders: a marker for each run under way,
// so that a start finds an unfinished one without reading every folder.
const (
	runsFolder  = "runs"
	HotFolder   = "hot"
	SummaryFile = "summary.json"
)

// Dir gives the folder of a run in the store.
func Dir(id string) string { return runsFolder + "/" + id }

// Read reads a run's document. It fails with NOT_FOUND where there is none, and
// with CONFLICT where it cannot be understood.
func (h *History) Read(ctx context.Context, id string) (*Run, error) {
	if err := ids.CheckRun(id); err != nil {
		return nil, err
	}
	b, err := h.deps.Store.Read(ctx, Dir(id)+"/"+audit.RunFile)
	if fault.Is(err, fault.NotFound) {
		return nil, fault.New(fault.NotFound, "error.run.missing", nil)
	} else if err != nil {
		return nil, err
	}
	var d Run
	if err := json.Unmarshal(b, &d); err != nil {
		return nil, fault.New(fault.Conflict, "error.journal.corrupt", nil).With(err)
	}
	d.etag = host.Etag(b)
	return &d, nil
}

// Past reads a run's document and its journal. The document of a run of this
// device is the one that its journal names. Where a power cut has taken the
// document, the journal alone says what was written: the run is then one that was
// changed, so that a person sees what its undo would do before anything is done.
func (h *History) Past(ctx context.Context, id string) (*Run, *journal.Log, error) {
	d, err := h.Read(ctx, id)
	lost := fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict)
	if err != nil && !lost {
		return nil, nil, err
	}
	l, failed := journal.Load(ctx, h.deps.Store, Dir(id))
	switch {
	case failed != nil && lost:
		return nil, nil, err
	case failed != nil:
		return nil, nil, failed
	case lost && l.Run != id:
		return nil, nil, err // nor does it say whose journal it is
	case lost:
		d = bereft(id, l)
	}
	if l.Ours() && len(l.Entries) > 0 && (l.Run != id || l.Doc != d.etag || d.RunID != id) {
		l.Origin = journal.Changed
	}
	return d, l, nil
}

// bereft stands for a run's document that is lost. When it began is all that a
// person can know it by.
func bereft(id string, l *journal.Log) *Run {
	about := About{Reverts: l.Reverts, Continues: l.Finishes}
	return &Run{Version: "1", RunID: id, Kind: protocol.RunKind(l.Kind), Goal: l.At, Calls: l.Ops, About: about}
}

// Ours says whether this device made a run, and nobody has changed it since.
func (h *History) Ours(ctx context.Context, id string) bool {
	_, l, err := h.Past(ctx, id)
	return err == nil && l.Ours() && l.Run == id
}

// Plan reads a run's plan, and the run. It fails with PRECONDITION_FAILED where
// something was redacted before the run was kept: such a plan is not used again.
func (h *History) Plan(ctx context.Context, run string) (*plan.Plan, *Run, error) {
	d, err := h.Read(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	if d.Redacted || d.Plan == nil {
		return nil, nil, fault.New(fault.Precondition, "error.run.redacted", nil)
	}
	p, problems := plan.Decode(d.Plan, plan.Limits{})
	if p == nil {
		return nil, nil, plan.Fault(problems)
	}
	return p, d, nil
}
