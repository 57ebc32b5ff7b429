package agent

import (
	"context"
	"encoding/json"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/shorten"
	"embedded-agent/wasm/internal/tool"
)

// Redacted gives the bundle with every text passed through redact, so that it
// may be kept and handed on, and still replays. Where there was something to
// redact the conversation is recorded anew: the digests of the requests and the
// ids of the calls are those of the redacted texts.
func (b *Bundle) Redacted(ctx context.Context, redact func(string) string, reg *tool.Registry) (*Bundle, error) {
	doc, err := json.Marshal(b)
	if err != nil {
		return nil, fault.New(fault.Internal, "error.json.invalid", nil).With(err)
	}
	var tree any
	if err := json.Unmarshal(doc, &tree); err != nil {
		return nil, fault.New(fault.Internal, "error.json.invalid", nil).With(err)
	}
	if !redactTree(&tree, redact) {
		return b, nil
	}
	clean, err := ParseBundle([]byte(shorten.JSON(tree)))
	if err != nil {
		return nil, err
	}
	out, err := play(ctx, clean, aloneConfig(clean, reg), &player{b: clean, anew: true})
	if err != nil {
		return nil, err
	}
	return out.Bundle, nil
}

// redactTree redacts every text in a JSON value, and says whether there was any
// to redact.
func redactTree(v *any, redact func(string) string) (changed bool) {
	switch x := (*v).(type) {
	case string:
		if text := redact(x); text != x {
			*v, changed = text, true
		}
	case map[string]any:
		for k, e := range x {
			if redactTree(&e, redact) {
				x[k], changed = e, true
			}
		}
	case []any:
		for i := range x {
			if redactTree(&x[i], redact) {
				changed = true
			}
		}
	}
	return changed
}
