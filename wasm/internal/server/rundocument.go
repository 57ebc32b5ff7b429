package server

import (
	"encoding/json"
	"time"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// runDocument is run.json: all that a run was, before its first call.
type runDocument struct {
	Version      string                `json:"version"`
	RunID        string                `json:"runId"`
	Kind         protocol.RunKind      `json:"kind"`
	Goal         string                `json:"goal"`
	Instruction  string                `json:"instruction,omitempty"`
	Action       string                `json:"action,omitempty"`
	Plan         json.RawMessage       `json:"plan,omitempty"`
	Policy       tool.PolicySnapshot   `json:"policy"`
	Registry     string                `json:"toolRegistryVersion"`
	Now          time.Time             `json:"now"`
	Amendments   *overlay.Amendments   `json:"amendments,omitempty"`
	Editor       *host.EditorState     `json:"editor,omitempty"`
	Confirmation *confirmation         `json:"confirmation,omitempty"`
	Files        []protocol.FileChange `json:"files"`
	Prior        map[int]*tool.Result  `json:"prior,omitempty"`
	Frozen       map[string]tool.Data  `json:"frozen,omitempty"`
	From         int                   `json:"from,omitempty"`
	Calls        int                   `json:"calls"`
	Reverts      string                `json:"reverts,omitempty"`
	Only         string                `json:"only,omitempty"` // the one path of it that is taken back
	Continues    string                `json:"continues,omitempty"`
	Redacted     bool                  `json:"redacted,omitempty"`

	etag string // of its bytes, as it was read back
}

// confirmation is the approval as it is kept.
type confirmation struct {
	ID        string `json:"confirmationId"`
	Approval  string `json:"approval"`
	At        string `json:"at"`
	Automatic bool   `json:"automatic"`
}

func (s *Server) runDocument(x *execution, id string, pol *policy.Policy) *runDocument {
	se := x.se
	d := &runDocument{
		Version: "1", RunID: se.id, Kind: x.kind, Goal: s.redact(se.plan.Goal), Instruction: s.redact(se.instruction), Action: se.action,
		Plan: json.RawMessage(s.redact(string(se.raw))), Policy: s.snapshot(se, pol), Registry: s.registry.Version(), Now: se.now,
		Files: se.view.Files, From: se.from, Calls: se.view.Calls, Continues: se.continues,
		Confirmation: &confirmation{ID: id, Approval: se.view.Approval, At: pipeline.Stamp(x.began), Automatic: x.automatic},
	}
	if !se.amend.Empty() {
		d.Amendments = s.redactAmendments(d, se.amend)
	}
	d.Editor, d.Prior = se.editorSeen(), se.prior
	if d.Editor != nil && s.redact(d.Editor.Text) != d.Editor.Text {
		seen := *d.Editor
		seen.Text = s.redact(seen.Text)
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
func (s *Server) redactPrior(d *runDocument) map[int]*tool.Result {
	out := make(map[int]*tool.Result, len(d.Prior))
	for seq, r := range d.Prior {
		kept := *r
		data, changed := s.redactValue(map[string]any(r.Data))
		if changed {
			kept.Data, _ = data.(map[string]any)
			d.Redacted = true
		}
		kept.UserMessage = s.redact(r.UserMessage)
		out[seq] = &kept
	}
	return out
}

// redactAmendments gives what the person changed as it may be kept.
func (s *Server) redactAmendments(d *runDocument, a *overlay.Amendments) *overlay.Amendments {
	out := a.Clone()
	for path, e := range out.Edits {
		if text := s.redact(string(e.Data)); text != string(e.Data) {
			e.Data = []byte(text)
			out.Edits[path], d.Redacted = e, true
		}
	}
	return out
}

// redactValue redacts every text in a value, and says whether there was any to
// redact. What it changes it copies.
func (s *Server) redactValue(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		text := s.redact(v)
		return text, text != v
	case map[string]any:
		out, hit := make(map[string]any, len(v)), false
		for k, e := range v {
			x, changed := s.redactValue(e)
			out[k], hit = x, hit || changed
		}
		return out, hit
	case tool.Data:
		return s.redactValue(map[string]any(v))
	case []any:
		out, hit := make([]any, len(v)), false
		for i, e := range v {
			x, changed := s.redactValue(e)
			out[i], hit = x, hit || changed
		}
		return out, hit
	case []string:
		out, hit := make([]string, len(v)), false
		for i, e := range v {
			out[i] = s.redact(e)
			hit = hit || out[i] != e
		}
		return out, hit
	case []map[string]any:
		out, hit := make([]any, len(v)), false
		for i, e := range v {
			x, changed := s.redactValue(e)
			out[i], hit = x, hit || changed
		}
		return out, hit
	}
	return v, false
}
