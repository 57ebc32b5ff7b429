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
	se.id, se.from, se.prior, se.sealed = d.RunID, d.From, map[int]*tool.Result{}, true
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
			if l.End != nil && l.End.Outcome != outcomeOK {
				break // the run did not get this far
			}
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
