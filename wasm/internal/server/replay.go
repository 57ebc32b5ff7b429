package server

import (
	"context"
	"maps"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

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
	se, err := s.again(ctx, d, l)
	if err != nil {
		return nil, err
	}
	return s.compare(ctx, d, l, se)
}

// again simulates a past run's plan as it was then, on the vault as it was
// before: the present one with what the journals hold taken back in memory, the
// last one first. What cannot be simulated is taken as it was recorded, and
// never made.
func (s *Server) again(ctx context.Context, d *runDocument, logs ...*journal.Log) (*session, error) {
	before := overlay.New(overlay.NewBase(s.host.Vault, nil, d.Now))
	for _, l := range logs {
		if _, err := journal.Revert(ctx, l, before.For("replay"), journal.RevertOptions{}); err != nil {
			return nil, err
		}
	}
	se, err := s.sessionOf(ctx, d)
	if err != nil {
		return nil, err
	}
	se.id, se.from, se.prior = d.RunID, d.From, map[int]*tool.Result{}
	maps.Copy(se.prior, d.Prior)
	pairs, err := audit.ReadCalls(ctx, s.host.Store, runDir(d.RunID))
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		if n := se.graph.Node(p.Call.StepID); n != nil && !n.Tool.Simulable && p.Result != nil {
			se.prior[p.Call.Seq] = p.Result
		}
	}
	if se.selection == nil {
		se.selection = &host.EditorState{}
	}
	se.base = overlay.NewBase(before.For("replay"), s.editorOf(se), d.Now)
	return se, s.simulate(ctx, se)
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
