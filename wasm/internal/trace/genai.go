package trace

import (
	"strings"

	"embedded-agent/wasm/internal/protocol"
)

// The spans of this program, named and described by the GenAI semantic
// conventions of OpenTelemetry where those have a name (invoke_agent, chat,
// execute_tool); the rest is under embedded_agent.

// KindOf gives the kind of work that a span with this name records.
func KindOf(name string) protocol.SpanKind {
	switch word, _, _ := strings.Cut(name, " "); word {
	case "chat":
		return protocol.SpanModel
	case "execute_tool":
		return protocol.SpanTool
	case "policy_check":
		return protocol.SpanPolicy
	}
	return protocol.SpanRun
}

// StartRun begins the span of all that belongs to a run, from the instruction to
// the end. Conversation may be "".
func (r *Recorder) StartRun(conversation string) *Span {
	return r.Start(nil, "run", "run", Internal, r.run(), Attr{"gen_ai.conversation.id", conversation})
}

// StartAgent begins the span of an agent run. Conversation may be "".
func (r *Recorder) StartAgent(parent *Span, what, name, conversation string) *Span {
	return r.Start(parent, what, "invoke_agent "+name, Internal,
		Attr{"gen_ai.operation.name", "invoke_agent"},
		Attr{"gen_ai.agent.name", name},
		Attr{"gen_ai.conversation.id", conversation},
		r.run())
}

// StartPlan begins the span of a plan's run.
func (r *Recorder) StartPlan(parent *Span, steps int) *Span {
	return r.Start(parent, "plan", "run_plan", Internal, r.run(), Attr{"embedded_agent.plan.steps", steps})
}

// StartModel begins the span of one question to a model.
func (r *Recorder) StartModel(parent *Span, what, provider, model string) *Span {
	return r.Start(parent, what, "chat "+model, Client,
		Attr{"gen_ai.operation.name", "chat"},
		Attr{"gen_ai.provider.name", provider},
		Attr{"gen_ai.request.model", model},
		r.run())
}

// ModelAnswer describes how a model's answer ended. Usage is left out where
// nothing was counted.
func (s *Span) ModelAnswer(responseModel, responseID, stop string, input, output int64) {
	s.Set(
		Attr{"gen_ai.response.model", responseModel},
		Attr{"gen_ai.response.id", responseID},
		Attr{"gen_ai.response.finish_reasons", []string{stop}})
	if input+output > 0 {
		s.Set(Attr{"gen_ai.usage.input_tokens", input}, Attr{"gen_ai.usage.output_tokens", output})
	}
}

// ToolCall describes a tool call, for its span.
type ToolCall struct {
	CallID    string // the envelope's callId: the span's id is derived from it
	LogicalID string // the call_id of docs/design/tool-calls.md#identity
	Tool      string
	Version   string
	Attempt   int
	Step      string
	// Description says in a line what the tool does; it may be "".
	Description string
}

// StartTool begins the span of a tool call.
func (r *Recorder) StartTool(parent *Span, c ToolCall) *Span {
	return r.Start(parent, c.CallID, "execute_tool "+c.Tool, Internal,
		Attr{"gen_ai.operation.name", "execute_tool"},
		Attr{"gen_ai.tool.name", c.Tool},
		Attr{"gen_ai.tool.call.id", c.LogicalID},
		Attr{"gen_ai.tool.type", "function"},
		Attr{"gen_ai.tool.description", c.Description},
		Attr{"embedded_agent.call.id", c.CallID},
		Attr{"embedded_agent.tool.version", c.Version},
		Attr{"embedded_agent.call.attempt", c.Attempt},
		Attr{"embedded_agent.step.id", c.Step},
		r.run())
}

// StartPolicy begins the span of a policy check: before the model ("model") or
// before a tool (its name).
func (r *Recorder) StartPolicy(parent *Span, what, subject string) *Span {
	return r.Start(parent, "policy/"+what, "policy_check", Internal,
		Attr{"embedded_agent.policy.subject", subject}, r.run())
}

func (r *Recorder) run() Attr {
	if r == nil {
		return Attr{}
	}
	return Attr{"embedded_agent.run.id", r.runID}
}
