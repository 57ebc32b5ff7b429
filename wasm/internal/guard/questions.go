package guard

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/destination"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// A yes is a yes to all that the question shows. So nothing in it is cut or
// redacted: what is long is folded where it is drawn.

// AskAllow asks leave for a call that the policy does not allow by itself.
func (g *Guard) AskAllow(ctx context.Context, c *tool.Call, v policy.Verdict) (bool, error) {
	e, err := g.registry.Get(c.Tool, c.Version)
	switch {
	case err != nil:
		return false, err
	case e.Facts.Requests != "":
		return g.askRequests(ctx, e, v, []coming{{args: c.Args}})
	case e.Facts.RunsCommand:
		id := c.Args.String("id")
		name := g.CommandNames(ctx)[id]
		return g.askFor(ctx, protocol.Question{
			Text: protocol.Message{Key: "question.command", Params: map[string]string{"name": cmp.Or(name, id)}}, Tool: c.Tool, Reason: reasonOf(v),
			Commands: []protocol.CommandView{{ID: id, Name: name}},
		})
	}
	return g.askFor(ctx, protocol.Question{
		Text: protocol.Message{Key: "question.allow", Params: map[string]string{"tool": c.Tool}}, Reason: reasonOf(v),
		Tool: c.Tool, Args: wholeJSON(c.Args),
	})
}

// AskLeave asks a question whose answer is yes or no.
func (g *Guard) AskLeave(ctx context.Context, q protocol.Question) (bool, error) {
	a, err := g.questions.Ask(ctx, q)
	return a.Yes, err
}

func (g *Guard) askFor(ctx context.Context, q protocol.Question) (bool, error) {
	q.Kind = protocol.AskAllow
	return g.AskLeave(ctx, q)
}

func reasonOf(v policy.Verdict) protocol.Message {
	return protocol.Message{Key: v.Key, Params: v.Params}
}

// askRequests shows requests of one tool, all to one host, as they will be sent,
// and keeps a yes to the keys that they carry.
func (g *Guard) askRequests(ctx context.Context, e *tool.Entry, v policy.Verdict, batch []coming) (bool, error) {
	key := "question.request"
	if e.Sends() {
		key = "question.send"
	}
	first := RequestOf(e, batch[0].args)
	q := protocol.Question{
		Tool: e.Name, Reason: reasonOf(v),
		Text: protocol.Message{Key: key, Params: map[string]string{
			"n": strconv.Itoa(len(batch)), "host": first.Host, "url": first.URL, "method": first.Method,
		}},
	}
	var err error
	for _, b := range batch {
		r := RequestOf(e, b.args)
		if r.Keys, err = g.keys.of(ctx, e, b.args, destination.Of(r.URL).Origin); err != nil {
			return false, err
		}
		q.Requests = append(q.Requests, r)
	}
	yes, err := g.askFor(ctx, q)
	if err != nil || !yes {
		return false, err
	}
	return true, g.keys.allow(ctx, q.Requests)
}

// headerViews lists a call's headers by name.
func headerViews(args tool.Args) []protocol.HeaderView {
	given, _ := args["headers"].(map[string]any)
	var out []protocol.HeaderView
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value, _ := given[name].(string)
		out = append(out, protocol.HeaderView{Name: name, Value: value})
	}
	return out
}

// wholeJSON writes arguments with nothing left out.
func wholeJSON(args tool.Args) string {
	if b, err := canon.Append(nil, map[string]any(args)); err == nil {
		return string(b)
	}
	b, err := json.Marshal(args)
	if err != nil {
		return ""
	}
	return string(b)
}

// CommandNames gives the names of the palette by id. Where it cannot be read the
// ids have to do: whoever runs a command then fails by itself.
func (g *Guard) CommandNames(ctx context.Context) map[string]string {
	palette := g.Visible().Commands
	if palette == nil {
		return nil
	}
	all, err := palette.List(ctx)
	if err != nil {
		return nil
	}
	out := make(map[string]string, len(all))
	for _, c := range all {
		out[c.ID] = c.Name
	}
	return out
}

// RequestOf is a request of a tool, whole. A key in a header stands there by its
// name.
func RequestOf(e *tool.Entry, args tool.Args) protocol.RequestView {
	to := destination.Of(args.String("url"))
	return protocol.RequestView{
		Method: e.MethodOf(args), URL: args.String("url"), Host: to.Host, Shown: to.Shown,
		Body: args.String("body"), Bytes: len(args.String("body")), Headers: headerViews(args),
	}
}
