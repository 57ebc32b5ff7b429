package transaction

import (
	"encoding/json"

	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/leftout"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
)

// document gives the run's document for its folder, without secrets.
func (x *execution) document(id string, snap tool.PolicySnapshot) *history.Run {
	rv, out := x.review, x.deps.Out
	d := &history.Run{
		Version: "1", RunID: rv.ID, Kind: protocol.KindRun, Goal: out.Redact(rv.Goal()), Instruction: out.Redact(rv.Instruction), Action: rv.Action,
		Plan: json.RawMessage(out.Redact(string(rv.raw))), Policy: snap, Registry: x.deps.Registry.Version(), Now: rv.Now,
		Files: rv.View.Files, From: rv.from, Calls: rv.View.Calls, About: history.About{Continues: rv.continues},
		Confirmation: &history.Confirmation{ID: id, Approval: rv.View.Approval, At: timestamp.Milli(x.began), Automatic: x.automatic, LeftOut: leftout.Of(rv.View.Steps), Once: rv.once},
	}
	if !rv.amend.Empty() {
		d.Amendments = redactAmendments(out, d, rv.amend)
	}
	d.Editor = rv.editorSeen()
	if d.Editor != nil && out.Redact(d.Editor.Text) != d.Editor.Text {
		seen := *d.Editor
		seen.Text = out.Redact(seen.Text)
		d.Editor, d.Redacted = &seen, true
	}
	if rv.prior != nil {
		d.Prior = redactPrior(out, d, rv.prior)
	}
	d.Frozen = redactFrozen(out, d, rv.frozenUsed())
	if !json.Valid(d.Plan) || string(d.Plan) != string(rv.raw) {
		d.Redacted = true
		if !json.Valid(d.Plan) {
			d.Plan = json.RawMessage("null")
		}
	}
	return d
}

// redactPrior gives the results that a run goes on from, as they may be kept.
func redactPrior(out *outbox.Outbox, d *history.Run, prior map[int]*tool.Result) map[int]*tool.Result {
	clean := make(map[int]*tool.Result, len(prior))
	for seq, r := range prior {
		kept := *r
		data, changed := out.RedactValue(map[string]any(r.Data))
		if changed {
			kept.Data, _ = data.(map[string]any)
			d.Redacted = true
		}
		kept.UserMessage = out.Redact(r.UserMessage)
		clean[seq] = &kept
	}
	return clean
}

// redactAmendments gives what the person changed as it may be kept.
func redactAmendments(out *outbox.Outbox, d *history.Run, a *overlay.Amendments) *overlay.Amendments {
	clean := a.Clone()
	for path, e := range clean.Edits {
		if text := out.Redact(string(e.Data)); text != string(e.Data) {
			e.Data = []byte(text)
			clean.Edits[path], d.Redacted = e, true
		}
	}
	return clean
}

// redactFrozen gives the frozen results of a run as they may be kept. It changes
// the map that it is given.
func redactFrozen(out *outbox.Outbox, d *history.Run, frozen map[string]tool.Data) map[string]tool.Data {
	for id, data := range frozen {
		clean, changed := out.RedactValue(map[string]any(data))
		if changed {
			frozen[id], _ = clean.(map[string]any)
			d.Redacted = true
		}
	}
	return frozen
}
