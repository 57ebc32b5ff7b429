package server

import (
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

// What a question shows is what a yes is a yes to. So nothing in it is cut or
// redacted: what is long is folded where it is drawn.

// askAllow asks leave for a call that the policy does not allow by itself.
func (s *Server) askAllow(ctx context.Context, c *tool.Call, v policy.Verdict) (bool, error) {
	switch c.Tool {
	case "http.send", "http.request":
		return s.askRequests(ctx, c, v, []coming{{args: c.Args}})
	case "commands.run":
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
	a, err := s.questions.Ask(ctx, q)
	return a.Yes, err
}

func reasonOf(v policy.Verdict) protocol.Message {
	return protocol.Message{Key: v.Key, Params: v.Params}
}

// askRequests shows requests of one tool as they will be sent, and keeps a yes to
// the keys that they carry.
func (s *Server) askRequests(ctx context.Context, c *tool.Call, v policy.Verdict, batch []coming) (bool, error) {
	e, err := s.registry.Get(c.Tool, c.Version)
	if err != nil {
		return false, err
	}
	key := "question.request"
	if c.Tool == "http.send" {
		key = "question.send"
	}
	q := protocol.Question{
		Tool: c.Tool, Reason: reasonOf(v),
		Text: protocol.Message{Key: key, Params: map[string]string{"n": strconv.Itoa(len(batch)), "host": destination.Of(c.Args.String("url")).Host}},
	}
	for _, b := range batch {
		r := requestOf(c.Tool, b.args)
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
