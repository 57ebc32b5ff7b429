package server

import (
	"context"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// runRest opens the review of what a run has not done: the calls that failed or
// were not reached. What was done is taken from the run's own results.
func (s *Server) runRest(ctx context.Context, p protocol.RunRef) (protocol.RunRef, error) {
	if err := s.idle(); err != nil {
		return protocol.RunRef{}, err
	}
	d, err := s.readRun(ctx, p.Run)
	if err != nil {
		return protocol.RunRef{}, err
	}
	se, err := s.sessionOf(ctx, d)
	if err != nil {
		return protocol.RunRef{}, err
	}
	se.now = s.now()
	if se.prior, err = s.priorOf(ctx, d); err != nil {
		return protocol.RunRef{}, err
	}
	return protocol.RunRef{Run: se.id}, s.openReview(ctx, se)
}

// sessionOf makes a session of a past run's plan.
func (s *Server) sessionOf(ctx context.Context, d *runDocument) (*session, error) {
	pl, err := s.planOf(ctx, d.RunID)
	if err != nil {
		return nil, err
	}
	g, problems := plan.Check(pl, s.registry, s.boundRules())
	if g == nil || plan.Failed(problems) {
		return nil, plan.Fault(problems)
	}
	se := s.newSession(pl, g, d.Plan)
	se.instruction, se.action, se.selection, se.now = d.Instruction, d.Action, d.Editor, d.Now
	s.mu.Lock()
	if x := s.run; x != nil && x.se.id == d.RunID { // what was not kept is still at hand
		se.selection = x.se.base.EditorSeen()
	}
	s.mu.Unlock()
	if d.Amendments != nil {
		se.amend = d.Amendments.Clone()
	}
	return se, nil
}

// priorOf gives the results of a run's calls that succeeded, by sequence
// number. Long texts are kept by their hash in the records; calls whose results
// hold one are made again when they only read.
func (s *Server) priorOf(ctx context.Context, d *runDocument) (map[int]*tool.Result, error) {
	s.mu.Lock()
	x := s.run
	s.mu.Unlock()
	if x != nil && x.se.id == d.RunID && x.done != nil {
		return x.done, nil
	}
	pairs, err := audit.ReadCalls(ctx, s.host.Store, runDir(d.RunID))
	if err != nil {
		return nil, err
	}
	prior := map[int]*tool.Result{}
	for seq, r := range d.Prior {
		prior[seq] = r
	}
	for _, p := range pairs {
		if p.Result != nil && p.Result.OK && (p.Call.Risk != tool.ReadOnly || !audit.Abridged(p.Result.Data)) {
			prior[p.Call.Seq] = p.Result
		}
	}
	return prior, nil
}

// runVerify checks that a run's records are whole and unchanged.
func (s *Server) runVerify(ctx context.Context, p protocol.RunRef) (protocol.Verified, error) {
	if _, err := s.readRun(ctx, p.Run); err != nil {
		return protocol.Verified{}, err
	}
	end, err := journal.ReadEnd(ctx, s.host.Store, runDir(p.Run))
	if err != nil {
		return protocol.Verified{}, err
	}
	out := protocol.Verified{OK: true, Problems: []protocol.Message{}}
	bad := func(key, file string) {
		out.OK = false
		out.Problems = append(out.Problems, protocol.Message{Key: key, Params: map[string]string{"file": file}})
	}
	if end == nil {
		bad("verify.unfinished", journal.EndFile)
		return out, nil
	}
	if err := journal.CheckEnd(ctx, s.host.Store, runDir(p.Run)); err != nil {
		bad("verify.changed", journal.EndFile)
	}
	for file, head := range end.Heads {
		n, got, err := audit.Head(ctx, s.host.Store, runDir(p.Run), file)
		out.Records += n
		switch {
		case fault.Is(err, fault.NotFound) && end.Counts[file] == 0:
		case err != nil:
			bad("verify.unreadable", file)
		case got != head || n != end.Counts[file]:
			bad("verify.changed", file)
		}
	}
	if err := journal.CheckBlobs(ctx, s.host.Store, runDir(p.Run)); err != nil {
		bad("verify.changed", "blobs")
	}
	return out, nil
}

// runReplay executes a past run's plan again, on the vault as it was before
// that run (the present one with the run taken back, in memory), and compares:
// same calls, same ids, same effects. It writes nothing.
func (s *Server) runReplay(ctx context.Context, p protocol.RunRef) (protocol.RunRef, error) {
	problems, err := s.replay(ctx, p.Run)
	if err != nil {
		return protocol.RunRef{}, err
	}
	if len(problems) > 0 {
		return protocol.RunRef{}, fault.New(fault.Conflict, "error.replay.differs", fault.P{"what": problems[0]})
	}
	s.notice("info", "notice.replayed", nil, p.Run)
	return protocol.RunRef{Run: p.Run}, nil
}

func (s *Server) replay(ctx context.Context, id string) ([]string, error) {
	d, err := s.readRun(ctx, id)
	if err != nil {
		return nil, err
	}
	if d.Kind != "run" {
		return nil, fault.New(fault.Precondition, "error.replay.kind", nil)
	}
	l, err := journal.Load(ctx, s.host.Store, runDir(id))
	if err != nil {
		return nil, err
	}
	before := overlay.New(overlay.NewBase(s.host.Vault, nil, d.Now))
	if _, err := journal.Revert(ctx, l, before.For("replay"), journal.RevertOptions{}); err != nil {
		return nil, err
	}
	se, err := s.sessionOf(ctx, d)
	if err != nil {
		return nil, err
	}
	se.id, se.prior, se.from = d.RunID, d.Prior, d.From
	if se.selection == nil {
		se.selection = &host.EditorState{}
	}
	se.base = overlay.NewBase(before.For("replay"), s.editorOf(se), d.Now)
	if err := s.simulate(ctx, se); err != nil {
		return nil, err
	}
	return s.compare(ctx, d, l, se)
}

// compare holds a replay against the records of its run.
func (s *Server) compare(ctx context.Context, d *runDocument, l *journal.Log, se *session) ([]string, error) {
	var diff []string
	i := 0
	for _, w := range se.vault.Log() {
		if w.Refused != nil || w.Op.Kind == "" {
			continue
		}
		if i >= len(l.Entries) {
			diff = append(diff, w.Op.Path)
			break
		}
		e := &l.Entries[i]
		i++
		if e.Call != w.Call || e.Kind != w.Op.Kind || e.Path != w.Op.Path || e.To != w.Op.To || e.Before != w.BeforeEtag || e.After != w.AfterEtag {
			diff = append(diff, e.Path)
		}
	}
	pairs, err := audit.ReadCalls(ctx, s.host.Store, runDir(d.RunID))
	if err != nil {
		return nil, err
	}
	ids := callIDs(se.report)
	for _, p := range pairs {
		if p.Call.Attempt == 1 && p.Result != nil && p.Result.OK && !ids[p.Call.LogicalID] {
			diff = append(diff, p.Call.StepID)
		}
	}
	return diff, nil
}

func callIDs(r *runner.Report) map[string]bool {
	ids := map[string]bool{}
	for _, st := range r.Steps {
		for _, res := range st.Results {
			if res != nil {
				ids[res.LogicalID] = true
			}
		}
	}
	return ids
}

// pastFile shows what a past run did to one path.
func (s *Server) pastFile(ctx context.Context, p protocol.FileRef) (protocol.FileView, error) {
	l, err := journal.Load(ctx, s.host.Store, runDir(p.Run))
	if err != nil {
		return protocol.FileView{}, fault.New(fault.NotFound, "error.review.gone", nil)
	}
	c := overlay.Change{Path: p.Path, Kind: host.File, Status: overlay.Modify}
	found := false
	for i := range l.Entries {
		e := &l.Entries[i]
		if e.Path != p.Path && e.To != p.Path {
			continue
		}
		w, err := l.Write(ctx, i)
		if err != nil {
			return protocol.FileView{}, err
		}
		if !found {
			c.Before = w.Op.Before
		}
		found = true
		switch e.Kind {
		case host.OpCreate:
			c.Status, c.After = overlay.Create, w.Op.Data
		case host.OpModify:
			c.After = w.Op.Data
		case host.OpTrash, host.OpRemove:
			c.Status, c.After = overlay.Trash, nil
		case host.OpRename:
			c.Status, c.From = overlay.Rename, e.Path
		}
	}
	if !found {
		return protocol.FileView{}, fault.New(fault.NotFound, "error.vault.notFound", fault.P{"path": p.Path})
	}
	return fileView(c), nil
}
