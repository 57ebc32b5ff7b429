package server

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/destination"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// What a question shows is what a yes is a yes to. So nothing in it is cut or
// redacted: what is long is folded where it is drawn.

// askAllow asks leave for a call that the policy does not allow by itself.
func (s *Server) askAllow(ctx context.Context, c *tool.Call, v policy.Verdict) (bool, error) {
	e, err := s.registry.Get(c.Tool, c.Version)
	switch {
	case err != nil:
		return false, err
	case e.Facts.Requests != "":
		return s.askRequests(ctx, e, v, []coming{{args: c.Args}})
	case e.Facts.RunsCommand:
		id := c.Args.String("id")
		return s.askFor(ctx, protocol.Question{
			Text: protocol.Message{Key: "question.command"}, Tool: c.Tool, Reason: reasonOf(v),
			Commands: []protocol.CommandView{{ID: id, Name: s.commandNames(ctx)[id]}},
		})
	}
	return s.askFor(ctx, protocol.Question{
		Text: protocol.Message{Key: "question.allow", Params: map[string]string{"tool": c.Tool}}, Reason: reasonOf(v),
		Tool: c.Tool, Args: wholeJSON(c.Args),
	})
}

func (s *Server) askFor(ctx context.Context, q protocol.Question) (bool, error) {
	q.Kind = "allow"
	a, err := s.ask(ctx, q)
	return a.Yes, err
}

func reasonOf(v policy.Verdict) protocol.Message {
	return protocol.Message{Key: v.Key, Params: v.Params}
}

// askRequests shows requests of one tool, all to one host, as they will be sent,
// and keeps a yes to the keys that they carry.
func (s *Server) askRequests(ctx context.Context, e *tool.Entry, v policy.Verdict, batch []coming) (bool, error) {
	key := "question.request"
	if e.Sends() {
		key = "question.send"
	}
	host := destination.Of(batch[0].args.String("url")).Host
	q := protocol.Question{
		Tool: e.Name, Reason: reasonOf(v),
		Text: protocol.Message{Key: key, Params: map[string]string{"n": itoa(len(batch)), "host": host}},
	}
	var err error
	for _, b := range batch {
		r := requestOf(e, b.args)
		if r.Keys, err = s.keysOf(ctx, e, b.args, destination.Of(r.URL).Origin); err != nil {
			return false, err
		}
		q.Requests = append(q.Requests, r)
	}
	yes, err := s.askFor(ctx, q)
	if err != nil || !yes {
		return false, err
	}
	return true, s.allowKeys(ctx, q.Requests)
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
