package server

import (
	"encoding/json"

	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/tool"
)

func (s *Server) runDocument(x *execution, id string, pol *policy.Policy) *history.Run {
	se := x.se
	d := &history.Run{
		Version: "1", RunID: se.id, Kind: x.kind, Goal: s.out.Redact(se.plan.Goal), Instruction: s.out.Redact(se.instruction), Action: se.action,
		Plan: json.RawMessage(s.out.Redact(string(se.raw))), Policy: s.snapshot(se, pol), Registry: s.registry.Version(), Now: se.now,
		Files: se.view.Files, From: se.from, Calls: se.view.Calls, Continues: se.continues,
		Confirmation: &history.Confirmation{ID: id, Approval: se.view.Approval, At: pipeline.Stamp(x.began), Automatic: x.automatic},
	}
	if !se.amend.Empty() {
		d.Amendments = s.redactAmendments(d, se.amend)
	}
	d.Editor, d.Prior = se.editorSeen(), se.prior
	if d.Editor != nil && s.out.Redact(d.Editor.Text) != d.Editor.Text {
		seen := *d.Editor
		seen.Text = s.out.Redact(seen.Text)
		d.Editor, d.Redacted = &seen, true
	}
	if d.Prior != nil {
		d.Prior = s.redactPrior(d)
	}
	d.Frozen = s.redactFrozen(d, se)
	if !json.Valid(d.Plan) || string(d.Plan) != string(se.raw) {
		d.Redacted = true
		if !json.Valid(d.Plan) {
			d.Plan = json.RawMessage("null")
		}
	}
	return d
}

// redactPrior gives the results that a run goes on from, as they may be kept.
func (s *Server) redactPrior(d *history.Run) map[int]*tool.Result {
	out := make(map[int]*tool.Result, len(d.Prior))
	for seq, r := range d.Prior {
		kept := *r
		data, changed := s.out.RedactValue(map[string]any(r.Data))
		if changed {
			kept.Data, _ = data.(map[string]any)
			d.Redacted = true
		}
		kept.UserMessage = s.out.Redact(r.UserMessage)
		out[seq] = &kept
	}
	return out
}

// redactAmendments gives what the person changed as it may be kept.
func (s *Server) redactAmendments(d *history.Run, a *overlay.Amendments) *overlay.Amendments {
	out := a.Clone()
	for path, e := range out.Edits {
		if text := s.out.Redact(string(e.Data)); text != string(e.Data) {
			e.Data = []byte(text)
			out.Edits[path], d.Redacted = e, true
		}
	}
	return out
}
