package server

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/seal"
)

// summarise gives a run's line for the history, and what may be done with it.
func (x *execution) summarise(end string) protocol.RunSummary {
	wrote := x.jw != nil && slices.Contains(x.jw.Outcomes(), journal.Done)
	x.mu.Lock()
	defer x.mu.Unlock()
	rs := &x.rs
	ok := rs.Outcome == outcomeOK
	rs.Can = protocol.Can{Revert: wrote, Rest: !ok, Save: ok && x.kind == "run" && x.se.action == ""}
	return protocol.RunSummary{
		Run: rs.Run, Kind: x.kind, Goal: rs.Goal, StartedAt: pipeline.Stamp(x.began), EndedAt: end,
		Outcome: rs.Outcome, Files: x.changed(), Calls: rs.Done, Text: rs.Text, Can: rs.Can,
	}
}

// ended tells that a run is over, and makes room.
func (s *Server) ended(ctx context.Context, x *execution, sum protocol.RunSummary) {
	s.mu.Lock()
	if sum.Can.Revert {
		s.lastRun = &sum
	}
	s.mu.Unlock()
	x.tell()
	if err := s.prune(ctx); err != nil {
		s.notice("warn", "notice.notPruned", nil, "")
	}
}

// endRun ends a run's records: its line for the history is sealed with them,
// and kept in a file of its own, where a revert can mark it.
func (s *Server) endRun(ctx context.Context, end journal.End, sum *protocol.RunSummary) error {
	b, err := json.Marshal(sum)
	if err != nil {
		return err
	}
	end.Summary = b
	if err := journal.WriteEnd(ctx, s.host.Store, runDir(sum.Run), end); err != nil {
		return err
	}
	if err := s.keepSummary(ctx, sum); err != nil {
		s.notice("warn", "notice.historyNotKept", nil, sum.Run)
	}
	return s.unmarkHot(ctx, sum.Run)
}

// keepSummary keeps a run's line for the history, sealed. That of a run of
// elsewhere is no more this device's than its records are.
func (s *Server) keepSummary(ctx context.Context, sum *protocol.RunSummary) error {
	b, err := json.Marshal(sum)
	if err != nil {
		return err
	}
	dir := runDir(sum.Run)
	key := seal.OfRun(s.host.Store, dir)
	if sum.Origin != "" {
		key = nil
	}
	return s.host.Store.Write(ctx, dir+"/"+summaryFile, seal.Wrap(key, summaryFile, b))
}

// summary reads a run's line for the history: as it was kept, else as it was
// sealed, else, of a run that did not end, from what it was to do. What is not
// sealed by this device is told in this program's words, and offers nothing but
// a review.
func (s *Server) summary(ctx context.Context, id string) (protocol.RunSummary, error) {
	sum, err := s.keptSummary(ctx, id)
	if err != nil || sum != nil {
		return elsewhere(nonNilSummary(sum)), err
	}
	end, err := journal.ReadEnd(ctx, s.host.Store, runDir(id))
	if err != nil {
		return protocol.RunSummary{}, err
	}
	if end != nil && json.Unmarshal(end.Summary, &sum) == nil && sum != nil && sum.Run == id {
		sum.Origin = ""
		if !end.Ours() {
			sum.Origin = protocol.OriginForeign
		}
		return elsewhere(*sum), nil
	}
	d, l, err := s.pastRun(ctx, id)
	if fault.Is(err, fault.NotFound) {
		d, err = s.readRun(ctx, id)
	}
	if err != nil {
		return protocol.RunSummary{}, err
	}
	line := summaryOf(d)
	if l == nil { // it ended before it could write: there is nothing to take back
		line.Can = protocol.Can{}
	} else {
		line.Origin = originName(l.Origin)
	}
	return elsewhere(line), nil
}

// elsewhere takes out of the line of a run that this device has not sealed what
// somebody else may have put there: its words, and what it says may be done.
func elsewhere(sum protocol.RunSummary) protocol.RunSummary {
	if sum.Origin == "" {
		return sum
	}
	sum.Can = protocol.Can{Revert: true}
	sum.Text = protocol.Message{Key: "run.elsewhere", Params: map[string]string{"goal": sum.Goal}}
	return sum
}

func nonNilSummary(sum *protocol.RunSummary) protocol.RunSummary {
	if sum == nil {
		return protocol.RunSummary{}
	}
	return *sum
}

// keptSummary reads the file; nil where it is missing or torn.
func (s *Server) keptSummary(ctx context.Context, id string) (*protocol.RunSummary, error) {
	b, err := s.host.Store.Read(ctx, runDir(id)+"/"+summaryFile)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	doc, ours := seal.Unwrap(seal.OfRun(s.host.Store, runDir(id)), summaryFile, b)
	var sum protocol.RunSummary
	if json.Unmarshal(doc, &sum) != nil || sum.Run != id {
		return nil, nil
	}
	if sum.Origin = ""; !ours {
		sum.Origin = protocol.OriginUnsealed
	}
	return &sum, nil
}

// summaryOf gives the line of a run of which only the beginning is known.
func summaryOf(d *runDocument) protocol.RunSummary {
	sum := protocol.RunSummary{
		Run: d.RunID, Kind: d.Kind, Goal: d.Goal, Files: len(d.Files), Calls: d.Calls, Reverts: d.Reverts,
		Outcome: protocol.OutcomeUnfinished, Can: protocol.Can{Revert: true}, Text: textOf("unfinished", d, d.Calls),
	}
	if d.Confirmation != nil {
		sum.StartedAt = d.Confirmation.At
	}
	return sum
}

func textOf(outcome string, d *runDocument, done int) protocol.Message {
	return protocol.Message{Key: "run." + outcome, Params: map[string]string{"n": itoa(done), "total": itoa(d.Calls), "goal": d.Goal}}
}

// checkSummary says whether a run's line for the history is the one that was
// sealed with its records, but for what only a revert changes; and a revert
// that it names must be one of this run.
func (s *Server) checkSummary(ctx context.Context, end *journal.End, id string) (bool, error) {
	kept, err := s.keptSummary(ctx, id)
	if err != nil || kept == nil {
		return err == nil, err // it is derived from what was sealed
	}
	if by := kept.RevertedBy; by != "" {
		d, err := s.readRun(ctx, by)
		if fault.Is(err, fault.NotFound) {
			return true, nil // the limits of the history
		}
		if err != nil || d.Reverts != id {
			return false, err
		}
	}
	var sealed protocol.RunSummary
	if json.Unmarshal(end.Summary, &sealed) != nil {
		return false, nil
	}
	sealed.Origin, kept.Origin = "", ""
	if kept.RevertedBy != "" || kept.Can == (protocol.Can{}) {
		sealed.RevertedBy, sealed.Can = kept.RevertedBy, kept.Can
	}
	return reflect.DeepEqual(sealed, *kept), nil
}
