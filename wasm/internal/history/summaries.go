package history

import (
	"context"
	"encoding/json"
	"reflect"
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/seal"
)

// end ends a run's records: its line for the history is sealed with them, and
// kept in a file of its own, where a revert can mark it.
func (h *History) End(ctx context.Context, end journal.End, sum *protocol.RunSummary) error {
	b, err := json.Marshal(sum)
	if err != nil {
		return err
	}
	end.Summary = b
	if err := journal.WriteEnd(ctx, h.deps.Store, Dir(sum.Run), end); err != nil {
		return err
	}
	if err := writeSummary(ctx, h.deps.Store, sum); err != nil {
		h.deps.Out.Notice("warn", "notice.historyNotKept", nil, sum.Run)
	}
	return nil
}

// KeepSummary keeps a run's line for the history, sealed. One that is not sealed
// here is not afterwards; of a run of another device nothing is kept.
func (h *History) KeepSummary(ctx context.Context, sum *protocol.RunSummary) error {
	if sum.Origin == protocol.OriginElsewhere {
		return nil
	}
	// The index has the line as it was. One that is cut short here is read from the
	// run ever after.
	if err := h.index.mark(ctx, mark{Run: sum.Run}); err != nil {
		return err
	}
	if err := writeSummary(ctx, h.deps.Store, sum); err != nil {
		return err
	}
	return h.index.mark(ctx, mark{Run: sum.Run, Done: true})
}

// writeSummary writes the file. The line of a run that is just ending is in no index.
func writeSummary(ctx context.Context, store host.Store, sum *protocol.RunSummary) error {
	if sum.Origin == protocol.OriginElsewhere {
		return nil
	}
	b, err := json.Marshal(sum)
	if err != nil {
		return err
	}
	dir := Dir(sum.Run)
	key := seal.OfRun(store, dir)
	if sum.Origin != "" {
		key = nil
	}
	return store.Write(ctx, dir+"/"+SummaryFile, seal.Wrap(key, SummaryFile, b))
}

// Summary reads a run's line for the history: as it was kept, else as it was
// sealed, else, of a run that did not end, from what it was to do. What is not
// sealed by this device is told in this program's words, and offers nothing but
// a review.
func (h *History) Summary(ctx context.Context, id string) (protocol.RunSummary, error) {
	sum, err := h.summary(ctx, id)
	if err != nil {
		return sum, err
	}
	there, err := h.Elsewhere(ctx, id)
	if err != nil {
		return protocol.RunSummary{}, err
	}
	if there {
		sum.Origin = protocol.OriginElsewhere
	}
	return unsealed(sum), nil
}

func (h *History) summary(ctx context.Context, id string) (protocol.RunSummary, error) {
	sum, err := h.keptSummary(ctx, id)
	if err != nil {
		return protocol.RunSummary{}, err
	}
	if sum != nil {
		return *sum, nil
	}
	end, err := journal.ReadEnd(ctx, h.deps.Store, Dir(id))
	if err != nil {
		return protocol.RunSummary{}, err
	}
	if end != nil && json.Unmarshal(end.Summary, &sum) == nil && sum != nil && sum.Run == id {
		sum.Origin = ""
		if !end.Ours() {
			sum.Origin = protocol.OriginForeign
		}
		return *sum, nil
	}
	d, l, err := h.Past(ctx, id)
	if fault.Is(err, fault.NotFound) {
		d, err = h.Read(ctx, id)
	}
	if err != nil {
		return protocol.RunSummary{}, err
	}
	line := SummaryOf(d)
	if l == nil { // it ended before it could write: there is nothing to take back
		line.Can = protocol.Can{}
	} else {
		line.Origin = OriginName(l.Origin)
	}
	return line, nil
}

// unsealed takes out of the line of a run that this device has not sealed what
// somebody else may have put there: its words, and what it says may be done.
func unsealed(sum protocol.RunSummary) protocol.RunSummary {
	if sum.Origin == "" {
		return sum
	}
	sum.Can = protocol.Can{Revert: true}
	sum.Text = protocol.Message{Key: "run.elsewhere", Params: map[string]string{"goal": sum.Goal}}
	return sum
}

// keptSummary reads the file; nil where it is missing or torn.
func (h *History) keptSummary(ctx context.Context, id string) (*protocol.RunSummary, error) {
	b, err := h.deps.Store.Read(ctx, Dir(id)+"/"+SummaryFile)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	doc, ours := seal.Unwrap(seal.OfRun(h.deps.Store, Dir(id)), SummaryFile, b)
	var sum protocol.RunSummary
	if json.Unmarshal(doc, &sum) != nil || sum.Run != id {
		return nil, nil
	}
	if sum.Origin = ""; !ours {
		sum.Origin = protocol.OriginUnsealed
	}
	return &sum, nil
}

// SummaryOf gives the line of a run whose end is not known.
func SummaryOf(d *Run) protocol.RunSummary {
	sum := protocol.RunSummary{
		Run: d.RunID, Kind: d.Kind, Goal: d.Goal, Files: len(d.Files), Calls: d.Calls, Reverts: d.Reverts,
		Outcome: protocol.OutcomeUnfinished, Can: protocol.Can{Revert: true}, Text: TextOf("unfinished", d, d.Calls),
	}
	if d.Confirmation != nil {
		sum.StartedAt = d.Confirmation.At
	}
	return sum
}

// TextOf gives the sentence on a run's end for the history; done is the number of
// its calls that were made.
func TextOf(outcome protocol.RunOutcome, d *Run, done int) protocol.Message {
	return protocol.Message{Key: "run." + string(outcome), Params: map[string]string{"n": strconv.Itoa(done), "total": strconv.Itoa(d.Calls), "goal": d.Goal}}
}

// checkSummary says whether a run's line for the history is the one that was
// sealed with its records, but for what only a revert changes; and a revert
// that it names must be one of this run.
func (h *History) checkSummary(ctx context.Context, end *journal.End, id string) (bool, error) {
	kept, err := h.keptSummary(ctx, id)
	if err != nil || kept == nil {
		return err == nil, err // it is derived from what was sealed
	}
	if by := kept.RevertedBy; by != "" {
		d, err := h.Read(ctx, by)
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

// OriginName names an origin as the protocol has it: "" is this device.
func OriginName(o journal.Origin) protocol.Origin {
	switch o {
	case journal.Sealed:
		return ""
	case journal.Unsealed:
		return protocol.OriginUnsealed
	case journal.Foreign:
		return protocol.OriginForeign
	}
	return protocol.OriginChanged
}
