package history

import (
	"context"
	"encoding/json"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// ExportDocument is the result of run.export: all that is needed to go through a
// run again without a model, and what happened in it.
type ExportDocument struct {
	Version      int                  `json:"version"`
	Run          string               `json:"run"`
	Goal         string               `json:"goal,omitempty"` // of a run without a plan: the command, of staged changes
	Conversation string               `json:"conversation,omitempty"`
	Bundles      []json.RawMessage    `json:"bundles"`
	Plan         json.RawMessage      `json:"plan,omitempty"`
	Frozen       map[string]tool.Data `json:"frozen,omitempty"`
	Envelopes    []tool.Envelope      `json:"envelopes,omitempty"`
	Events       []json.RawMessage    `json:"events,omitempty"`
}

// Export gives the replay bundle of a run, or of a turn that led to none: the
// conversation up to it, each turn as it was, and what its plan called.
func (h *History) Export(ctx context.Context, p protocol.RunRef) (protocol.Document, error) {
	if err := ids.CheckRun(p.Run); err != nil {
		return protocol.Document{}, err
	}
	out := ExportDocument{Version: BundleVersion, Run: p.Run, Bundles: []json.RawMessage{}}
	own, err := h.Bundles(ctx, p.Run)
	if err != nil {
		return protocol.Document{}, err
	}
	if own != nil {
		out.Conversation = own.Conversation
		if out.Bundles, err = h.bundlesBefore(ctx, own); err != nil {
			return protocol.Document{}, err
		}
		out.Bundles = append(out.Bundles, own.Bundles...)
	}
	d, err := h.Read(ctx, p.Run)
	switch {
	case err == nil:
		out.Plan, out.Frozen = d.Plan, d.Frozen
		if len(d.Plan) == 0 {
			out.Goal = h.deps.Out.Redact(d.Goal)
		}
		if out.Envelopes, err = h.envelopes(ctx, p.Run); err != nil {
			return protocol.Document{}, err
		}
		if out.Events, err = audit.ReadEvents(ctx, h.deps.Store, Dir(p.Run)); err != nil {
			return protocol.Document{}, err
		}
	case own == nil || !fault.Is(err, fault.NotFound):
		return protocol.Document{}, err
	}
	b, err := canon.Encode(out)
	return protocol.Document{Text: string(b)}, err
}

func (h *History) envelopes(ctx context.Context, run string) ([]tool.Envelope, error) {
	pairs, err := audit.ReadCalls(ctx, h.deps.Store, Dir(run))
	if err != nil {
		return nil, err
	}
	var out []tool.Envelope
	for _, p := range pairs {
		if p.Result != nil {
			out = append(out, tool.NewEnvelope(p.Call, p.Result))
		}
	}
	return out, nil
}

// Bundles reads the conversations of one run or turn; nil when there are none.
func (h *History) Bundles(ctx context.Context, run string) (*bundleDocument, error) {
	for _, dir := range []string{Dir(run), TurnDir(run)} {
		b, err := h.deps.Store.Read(ctx, dir+"/"+BundleFile)
		if fault.Is(err, fault.NotFound) {
			continue
		} else if err != nil {
			return nil, err
		}
		var d bundleDocument
		if err := json.Unmarshal(b, &d); err != nil {
			return nil, fault.New(fault.Conflict, "error.journal.corrupt", nil).With(err)
		}
		return &d, nil
	}
	return nil, nil
}

// bundlesBefore gives the turns of a conversation before the one given.
func (h *History) bundlesBefore(ctx context.Context, own *bundleDocument) ([]json.RawMessage, error) {
	out := []json.RawMessage{}
	if own.Conversation == "" {
		return out, nil
	}
	turns, err := h.deps.Turns(ctx, own.Conversation)
	if err != nil {
		return nil, err
	}
	for _, turn := range turns {
		if turn >= own.Run { // ids sort by time
			continue
		}
		d, err := h.Bundles(ctx, turn)
		if err != nil {
			return nil, err
		}
		if d != nil {
			out = append(out, d.Bundles...)
		}
	}
	return out, nil
}
