// Package textonly makes a provider that calls tools out of one that can only talk: tools go into the prompt, earlier calls
// and results become lines of text, and the calls that the model writes as text become calls again. Whoever uses it sees an
// ordinary provider. It is pure but for what the provider inside it does.
package textonly

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/sentinel"
)

// New wraps a provider. host names the endpoint in errors.
func New(inner llm.Provider, host string) llm.Provider { return &provider{inner, host} }

type provider struct {
	inner llm.Provider
	host  string
}

// Stream asks. Failures of the request's own tools are in the stream, like every other failure.
func (p *provider) Stream(ctx context.Context, r llm.Request) llm.Stream {
	s := &stream{ctx: ctx, inner: p.inner, host: p.host}
	s.builder = llm.NewBuilder(llm.Message{Model: r.Model}, func(e llm.Event) { s.queue = append(s.queue, e) })
	asked, err := s.prepare(r)
	if err != nil {
		s.builder.Fail(llm.NewError("llm.error.invalidRequest", "detail", err.Error()))
		return s
	}
	s.asked.request = asked
	s.ask()
	return s
}

// prepare turns a request with tools into one of text alone.
func (s *stream) prepare(r llm.Request) (llm.Request, error) {
	tools := make([]sentinel.Tool, len(r.Tools))
	for i, t := range r.Tools {
		tools[i] = sentinel.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters}
		if t.Strict {
			tools[i].Strict = &t.Strict
		}
	}
	s.asked.mode = sentinel.ChoiceAuto
	var allow map[string]bool
	switch r.ToolChoice.Mode {
	case llm.ToolNone:
		s.asked.mode = sentinel.ChoiceNone
	case llm.ToolRequired:
		s.asked.mode = sentinel.ChoiceRequired
	case llm.ToolOne:
		s.asked.mode, allow = sentinel.ChoiceRequired, map[string]bool{r.ToolChoice.Name: true}
	default:
	}
	var err error
	if s.asked.tools, err = sentinel.NewRegistry(tools, allow); err != nil {
		return r, err
	}
	s.asked.single = r.Parallel != nil && !*r.Parallel
	manifest, err := sentinel.Manifest(s.asked.tools, s.asked.mode, !s.asked.single)
	if err != nil {
		return r, err
	}
	system, rest := r.System()
	items := conversation(rest)
	s.next = sentinel.HighestID(items) + 1
	if manifest == "" && slices.ContainsFunc(items, func(it sentinel.Item) bool { return it.Kind != sentinel.ItemMessage }) {
		manifest = sentinel.RecordNote
	}
	if len(tools) > 0 && r.Format != nil { // an endpoint that is held to JSON could not write a call
		manifest += "Where you answer in text, the text must be one JSON value and nothing else: " + string(r.Format.Schema) + "\n"
		r.Format = nil
	}
	r.Messages = messages(join(sentinel.Escape(system), manifest), items)
	r.Tools, r.ToolChoice, r.Parallel = nil, llm.ToolChoice{}, nil
	return r, nil
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// conversation is the request's messages as items. Reasoning stays behind: text is all that goes.
func conversation(in []llm.Message) []sentinel.Item {
	var items []sentinel.Item
	for _, m := range in {
		if m.Role == llm.RoleToolResult {
			items = append(items, result(m))
			continue
		}
		var parts []sentinel.Part
		flush := func() {
			if parts != nil {
				items = append(items, sentinel.Item{Kind: sentinel.ItemMessage, Role: sentinel.Role(m.Role), Parts: parts})
				parts = nil
			}
		}
		for _, b := range m.Content {
			switch b.Type {
			case llm.BlockText, llm.BlockImage:
				parts = append(parts, part(b))
			case llm.BlockToolCall:
				flush()
				items = append(items, sentinel.Item{Kind: sentinel.ItemCall, ID: b.ID, CallID: b.ID, Name: b.Name, Arguments: arguments(*b.ToolCall)})
			default:
			}
		}
		flush()
	}
	return items
}

func part(b llm.Block) sentinel.Part {
	if b.Type == llm.BlockImage {
		return sentinel.Part{ImageURL: "data:" + b.MIMEType + ";base64," + b.Data}
	}
	return sentinel.Part{Text: b.Text}
}

func arguments(c llm.ToolCall) string {
	if c.Arguments == nil {
		return c.RawArguments
	}
	return string(c.Arguments)
}

func result(m llm.Message) sentinel.Item {
	it := sentinel.Item{Kind: sentinel.ItemOutput, CallID: m.ToolCallID}
	var text strings.Builder
	for _, b := range m.Content {
		switch b.Type {
		case llm.BlockText:
			text.WriteString(b.Text)
		case llm.BlockImage:
			it.Parts = append(it.Parts, part(b))
		default:
		}
	}
	it.Output = text.String()
	return it
}

// messages is the conversation for an endpoint that knows roles and nothing else.
func messages(system string, items []sentinel.Item) []llm.Message {
	var out []llm.Message
	if system != "" {
		out = append(out, llm.SystemMessage(system))
	}
	for _, m := range sentinel.Messages(items) {
		message := llm.Message{Role: llm.Role(m.Role)}
		for _, p := range m.Parts {
			if p.ImageURL == "" {
				message.Content = append(message.Content, llm.Text(p.Text))
				continue
			}
			message.Content = append(message.Content, llm.ImageOf(p.ImageURL))
		}
		out = append(out, message)
	}
	return out
}
