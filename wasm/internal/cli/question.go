//go:build !js

package cli

import (
	"context"

	shown "embedded-agent/wasm/internal/text"

	"embedded-agent/wasm/internal/protocol"
)

// answer shows a question, all that it is about, and asks on the terminal. What
// is not a yes is a no, also where nobody is there to say it.
func (c *session) answer(ctx context.Context, q protocol.Question) {
	c.say("%s\n", shown.Line(text(q.Text)))
	if q.Reason.Key != "" {
		c.say("  %s\n", shown.Line(text(q.Reason)))
	}
	for _, o := range q.Options {
		c.say("  %s\n", shown.Line(text(o)))
	}
	for _, r := range q.Requests {
		c.say("  %s %s\n", r.Method, shown.Line(r.Host))
		if r.Shown != "" {
			c.say("    displayed as %s\n", shown.Line(r.Shown))
		}
		c.say("    %s\n", shown.Line(r.URL))
		for _, h := range r.Headers {
			c.say("    %s: %s\n", shown.Line(h.Name), shown.Line(h.Value))
		}
		if r.Body != "" {
			c.say("    %d bytes:\n%s\n", r.Bytes, shown.Visible(r.Body))
		}
	}
	for _, cmd := range q.Commands {
		c.say("  %s (%s)\n", shown.Line(cmd.Name), shown.Line(cmd.ID))
	}
	if len(q.Requests)+len(q.Commands) == 0 && q.Tool != "" {
		c.say("  %s %s\n", q.Tool, shown.Line(q.Args))
	}
	yes := c.yes && q.Kind == protocol.AskCost // within the limits that the question names
	if yes {
		c.say("Allowed by --yes.\n")
	} else {
		yes = q.Kind != protocol.AskParameters && c.confirm(ctx, "Allow? [y/N] ")
	}
	if _, err := ask[protocol.Empty](ctx, c, "answer", protocol.Answer{ID: q.ID, Yes: yes}); err != nil {
		c.say("%s\n", shown.Line(err.Error())) // it was closed meanwhile: nothing waits for the answer
	}
}
