package transaction

import (
	"encoding/json"

	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
)

func (t *Transactions) runDocument(x *Run, id string, pol *policy.Policy) *history.Run {
	se := x.Review
	d := &history.Run{
		Version: "1", RunID: se.ID, Kind: x.kind, Goal: t.deps.Out.Redact(se.plan.Goal), Instruction: t.deps.Out.Redact(se.Instruction), Action: se.Action,
		Plan: json.RawMessage(t.deps.Out.Redact(string(se.raw))), Policy: t.snapshot(se, pol), Registry: t.deps.Registry.Version(), Now: se.Now,
		Files: se.View.Files, From: se.from, Calls: se.View.Calls, Continues: se.continues,
		Confirmation: &history.Confirmation{ID: id, Approval: se.View.Approval, At: timestamp.Milli(x.began), Automatic: x.automatic},
	}
	if !se.amend.Empty() {
		d.Amendments = t.redactAmendments(d, se.amend)
	}
	d.Editor, d.Prior = se.editorSeen(), se.prior
	if d.Editor != nil && t.deps.Out.Redact(d.Editor.Text) != d.Editor.Text {
		seen := *d.Editor
		seen.Text = t.deps.Out.Redact(seen.Text)
		d.Editor, d.Redacted = &seen, true
	}
	if d.Prior != nil {
		d.Prior = t.redactPrior(d)
	}
	d.Frozen = t.redactFrozen(d, se)
	if !json.Valid(d.Plan) || string(d.Plan) != string(se.raw) {
		d.Redacted = true
		if !json.Valid(d.Plan) {
			d.Plan = json.RawMessage("null")
		}
	}
	return d
}

// redactPrior gives the results that a run goes on from, as they may be kept.
func (t *Transactions) redactPrior(d *history.Run) map[int]*tool.Result {
	out := make(map[int]*tool.Result, len(d.Prior))
	for seq, r := range d.Prior {
		kept := *r
		data, changed := t.deps.Out.RedactValue(map[string]any(r.Data))
		if changed {
			kept.Data, _ = data.(map[string]any)
			d.Redacted = true
		}
		kept.UserMessage = t.deps.Out.Redact(r.UserMessage)
		out[seq] = &kept
	}
	return out
}

// redactAmendments gives what the person changed as it may be kept.
func (t *Transactions) redactAmendments(d *history.Run, a *overlay.Amendments) *overlay.Amendments {
	out := a.Clone()
	for path, e := range out.Edits {
		if text := t.deps.Out.Redact(string(e.Data)); text != string(e.Data) {
			e.Data = []byte(text)
			out.Edits[path], d.Redacted = e, true
		}
	}
	return out
}

// frozenUsed gives the frozen results of the model steps that the session's plan
// has now; others are left from before an amendment.
func (se *Review) frozenUsed() map[string]tool.Data {
	out := map[string]tool.Data{}
	if se.Frozen == nil {
		return out
	}
	for id, d := range se.Frozen.Results() {
		if se.Called[id] != nil {
			out[id] = d
		}
	}
	return out
}

// redactFrozen gives the frozen results of a run as they may be kept.
func (t *Transactions) redactFrozen(d *history.Run, se *Review) map[string]tool.Data {
	out := se.frozenUsed()
	for id, data := range out {
		clean, changed := t.deps.Out.RedactValue(map[string]any(data))
		if changed {
			out[id], _ = clean.(map[string]any)
			d.Redacted = true
		}
	}
	return out
}
