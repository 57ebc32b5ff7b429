// Package fold makes a provider that has few functions out of one that is given many: a core of tools goes to the model
// as functions, the others are listed by name in the system text. Through one function the model reads how they are used,
// and through another it calls them; what it calls that way comes back as a call of the tool itself, so that whoever
// uses the provider sees an ordinary one (docs/adr/0043-a-core-of-tools-in-full.md). The functions are the same in every
// request of a conversation, so that endpoints find its beginning in their caches.
package fold

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"embedded-agent/wasm/internal/llm"
)

// CallName is the function through which tools are called that are no functions.
const CallName = "tools.call"

const (
	callDescription = "Calls one of the other tools, once its use is known."
	callParameters  = `{"type":"object","properties":{"tool":{"type":"string"},"arguments":{"type":"object"}},"required":["tool","arguments"]}`
)

// Fold says how tools are folded.
type Fold struct {
	// Describe is the tool by which a model reads how others are used. Where a request does not have it, nothing is
	// folded.
	Describe string
	// Core says which tools stay functions.
	Core func(name string) bool
	// Slim gives a core tool as it is sent.
	Slim func(llm.Tool) llm.Tool
	// Names lists the others for the system text.
	Names func(tools []llm.Tool) string

	mu   sync.Mutex // guards what follows: what was made of the tools of the last request
	of   []llm.Tool
	made folded
}

// folded are the tools of a request as they are sent.
type folded struct {
	functions []llm.Tool
	inside    map[string]bool // called through CallName
	system    string
}

// worth is the least number of tools that are worth folding.
const worth = 4

// fold makes the functions and the words of a request's tools. A conversation has the same tools in every request.
func (f *Fold) fold(tools []llm.Tool) folded {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(tools) > 0 && len(tools) == len(f.of) && &tools[0] == &f.of[0] {
		return f.made
	}
	out := folded{inside: map[string]bool{}}
	var inside []llm.Tool
	can := false
	for _, t := range tools {
		switch {
		case t.Name == f.Describe:
			can = true
			out.functions = append(out.functions, t)
		case f.Core(t.Name):
			out.functions = append(out.functions, f.Slim(t))
		default:
			inside = append(inside, t)
			out.inside[t.Name] = true
		}
	}
	if !can || len(inside) < worth {
		out = folded{functions: tools}
	} else {
		out.functions = append(out.functions, llm.Tool{Name: CallName, Description: callDescription, Parameters: json.RawMessage(callParameters)})
		out.system = "There are more tools, by group (`tags.add`). Read how some are used with `" + f.Describe + "`, then call them with `" + CallName + "`.\n\n" + f.Names(inside)
	}
	f.of, f.made = tools, out
	return out
}

// Request gives what is sent of a request.
func (f *Fold) Request(r llm.Request) llm.Request {
	made := f.fold(r.Tools)
	if made.system == "" {
		return r
	}
	r.Tools = made.functions
	messages := make([]llm.Message, 0, len(r.Messages)+1)
	if len(r.Messages) == 0 || r.Messages[0].Role != llm.RoleSystem {
		messages = append(messages, llm.SystemMessage(made.system))
	}
	for i, m := range r.Messages {
		if i == 0 && m.Role == llm.RoleSystem {
			m = llm.SystemMessage(m.Text() + "\n\n" + made.system)
		}
		messages = append(messages, into(m, made.inside))
	}
	r.Messages = messages
	return r
}

// into writes calls of tools that are no functions as calls of CallName.
func into(m llm.Message, inside map[string]bool) llm.Message {
	if m.Role == llm.RoleToolResult && inside[m.ToolName] {
		m.ToolName = CallName
		return m
	}
	copied := false
	for i, b := range m.Content {
		if b.ToolCall == nil || !inside[b.Name] {
			continue
		}
		if !copied {
			m.Content, copied = append([]llm.Block(nil), m.Content...), true
		}
		call := *b.ToolCall
		call.Name = CallName
		call.Arguments = wrapped(b.Name, b.ToolCall.ArgumentsText())
		call.RawArguments = ""
		m.Content[i].ToolCall = &call
	}
	return m
}

func wrapped(name, arguments string) json.RawMessage {
	b, err := llm.Marshal(struct {
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
	}{name, json.RawMessage(arguments)})
	if err != nil {
		return json.RawMessage(`{}`) // ArgumentsText is always an object
	}
	return b
}

// New wraps a provider.
func New(inner llm.Provider, f *Fold) llm.Provider { return &provider{inner, f} }

type provider struct {
	inner llm.Provider
	fold  *Fold
}

// Stream asks.
func (p *provider) Stream(ctx context.Context, r llm.Request) llm.Stream {
	return &stream{p.inner.Stream(ctx, p.fold.Request(r))}
}

type stream struct{ llm.Stream }

// Next gives the next event. A call through CallName has the tool's own name from its end on, when its arguments are
// whole.
func (s *stream) Next() (llm.Event, bool) {
	e, ok := s.Stream.Next()
	if e.Type == llm.EventToolCallEnd && e.Block != nil {
		b := out(*e.Block)
		e.Block = &b
	}
	if e.Message != nil && e.Terminal() {
		m := *e.Message
		m.Content = append([]llm.Block(nil), m.Content...)
		for i := range m.Content {
			m.Content[i] = out(m.Content[i])
		}
		e.Message = &m
	}
	return e, ok
}

// out gives a call through CallName as a call of the tool itself. Arguments as a text, or beside the tool's name, are
// taken too. What names no tool stays, to be refused.
func out(b llm.Block) llm.Block {
	if b.ToolCall == nil || b.Name != CallName || !b.Executable() {
		return b
	}
	var asked map[string]json.RawMessage
	var name string
	if json.Unmarshal(b.Arguments, &asked) != nil || json.Unmarshal(asked["tool"], &name) != nil || name == "" {
		return b
	}
	arguments, given := asked["arguments"]
	var text string
	switch {
	case !given:
		delete(asked, "tool")
		arguments, _ = llm.Marshal(asked)
	case json.Unmarshal(arguments, &text) == nil:
		arguments = json.RawMessage(text)
	}
	call := *b.ToolCall
	call.Name, call.Arguments = llm.ToolName(name), nil
	if arguments = bytes.TrimSpace(arguments); json.Valid(arguments) && arguments[0] == '{' {
		call.Arguments = arguments
	} else {
		call.RawArguments = string(arguments)
	}
	b.ToolCall = &call
	return b
}
