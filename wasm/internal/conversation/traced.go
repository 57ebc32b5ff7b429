package conversation

import (
	"context"

	"embedded-agent/wasm/internal/fault"
)

// Traced gives the run ids under which the turns of a conversation were traced,
// the oldest first; none where the conversation is not there any more.
func (l *Library) Traced(ctx context.Context, id string) ([]string, error) {
	c, err := l.Get(ctx, id)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Validation) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var out []string
	for _, t := range c.Turns {
		if t.Trace != "" {
			out = append(out, t.Trace)
		}
	}
	return out, nil
}
