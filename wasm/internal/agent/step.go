package agent

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strconv"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/digest"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/tool"
)

// StepToolName is the tool with which a step of a plan asks a model.
const StepToolName = "agent.run"

// StepArgs is what such a step says. It can make the limits of the settings
// narrower, and nothing wider.
type StepArgs struct {
	// Prompt is the plan's; Context is data from earlier steps, told to the
	// model as data.
	Prompt  string `json:"prompt"`
	Context any    `json:"context,omitempty"`
	// Tools are the tools that the step may use, out of those that read; none
	// named means none.
	Tools         []string `json:"tools,omitempty"`
	Pins          []Pin    `json:"pins,omitempty"`
	MaxIterations int      `json:"maxIterations,omitempty"`
	MaxToolCalls  int      `json:"maxToolCalls,omitempty"`
}

// Tighten gives the limits of a step within those of the settings. A step of a
// plan reads at most: what is to be written is for the plan to say, where the
// review shows it.
func (a StepArgs) Tighten(l Limits) Limits {
	enabled := []string{}
	for _, name := range a.Tools {
		if l.EnabledTools == nil || slices.Contains(l.EnabledTools, name) {
			enabled = append(enabled, name)
		}
	}
	l.EnabledTools = enabled
	if l.SideEffects == "" || rank(l.SideEffects) > rank(tool.Reads) {
		l.SideEffects = tool.Reads
	}
	if a.MaxIterations > 0 {
		l.MaxIterations = stricter(l.MaxIterations, DefaultMaxIterations, &a.MaxIterations)
	}
	if a.MaxToolCalls > 0 {
		l.MaxToolCalls = stricter(l.MaxToolCalls, DefaultMaxToolCalls, &a.MaxToolCalls)
	}
	return l
}

// stepInput and stepOutput are the tool's schemas.
const (
	stepInput = `{
		"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "additionalProperties": false, "required": ["prompt"],
		"properties": {
			"prompt": {"type": "string", "minLength": 1, "description": "What to find out or to write."},
			"context": {"description": "Data from earlier steps for it to work with."},
			"tools": {"type": "array", "items": {"type": "string"}, "description": "Reading tools that it may use. Default: none."},
			"pins": {"type": "array", "description": "Names under which results of its tools are given.", "items": {
				"type": "object", "additionalProperties": false, "required": ["name", "selector"], "properties": {
					"name": {"type": "string"},
					"selector": {"type": "object", "additionalProperties": false, "required": ["tool"], "properties": {
						"tool": {"type": "string"}, "strategy": {"enum": ["latest", "first_success", "by_call_id"]}, "call_id": {"type": "string"}}},
					"on_missing": {"enum": ["null", "error", "stale_last_success"]}}}},
			"maxIterations": {"type": "integer", "minimum": 1}, "maxToolCalls": {"type": "integer", "minimum": 1}
		}}`
	stepOutput = `{
		"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "additionalProperties": false,
		"required": ["response", "tools_by_id", "tool_order", "last_tool", "traces_url", "pins"],
		"properties": {
			"response": {"type": "string"}, "tools_by_id": {"type": "object"}, "tool_order": {"type": "array", "items": {"type": "string"}},
			"last_tool": {"type": ["object", "null"]}, "traces_url": {"type": "string"}, "pins": {"type": "object"}
		}}`
	stepDescription = `Asks a model as one step of a plan, and gives its answer as "response".

Use it where a step needs judgement that no other tool has: to sum up, to sort, to write a text. It sees the prompt, the context, and what the tools named in "tools" give it. It cannot write; take "response" (or a pin) to the step that does.

It runs once, when the plan is shown; what it gave is what is approved and used.`
)

// Step is one model step about to begin. The guard of its Config must be made
// from Tighten.
type Step struct {
	Config Config
	// Last keeps pinned values for stale_last_success; it may be nil.
	Last LastValues
	// Done is told how the agent ended; it may be nil.
	Done func(*Outcome)
}

// StepStart makes a step ready. Env is the call's; in it is the call itself.
type StepStart func(ctx context.Context, env *tool.Env, a StepArgs) (Step, error)

// StepTool makes the tool agent.run (docs/design/invocation.md#model-steps).
//
// A model is asked in simulations only, where the call's surroundings say how
// (tool.Env.Model.Ask). Its results are frozen (Frozen), so in a run the tool is
// answered before it begins.
func StepTool() tool.Tool {
	return tool.Tool{
		Spec: tool.Spec{
			Name: StepToolName, Version: "1.0.0", Lifecycle: tool.Active, Category: "utility", SideEffects: tool.Reads,
			Cache: tool.CacheForever, Simulable: true, Facts: tool.Facts{AsksModel: true}, Flags: tool.Flags{WorkspaceOnly: true},
			Description: stepDescription, Input: json.RawMessage(stepInput), Output: json.RawMessage(stepOutput),
		},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			if env.Model.Ask == nil {
				return nil, noModel(env.Call)
			}
			return env.Model.Ask(ctx, env, args)
		},
	}
}

// noModel refuses a step where no model is asked.
func noModel(c *tool.Call) error {
	return fault.New(fault.Precondition, "agent.step.noModel", fault.P{"step": StepName(c)})
}

// StepName names the agent of a step and iteration.
func StepName(c *tool.Call) string {
	switch {
	case c == nil:
		return StepToolName
	case c.Iteration != nil:
		return c.StepID + "/" + strconv.Itoa(c.Iteration.Index)
	}
	return c.StepID
}

// Steps gives what makes model steps (tool.Env.Model.Ask), each made ready by
// start.
func Steps(start StepStart) func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
	return func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
		return runStep(ctx, env, args, start)
	}
}

func runStep(ctx context.Context, env *tool.Env, args tool.Args, start StepStart) (tool.Data, error) {
	var a StepArgs
	if err := json.Unmarshal([]byte(jsonText(args)), &a); err != nil {
		return nil, fault.New(fault.Validation, "error.json.invalid", nil).With(err)
	}
	if err := CheckPins(a.Pins); err != nil {
		return nil, err
	}
	step, err := start(ctx, env, a)
	if err != nil {
		return nil, err
	}
	cfg := step.Config
	if cfg.Guard == nil || cfg.Guard.limits.EnabledTools == nil || cfg.Guard.limits.SideEffects == "" ||
		rank(cfg.Guard.limits.SideEffects) > rank(tool.Reads) {
		return nil, fault.New(fault.Internal, "agent.config", fault.P{"problem": "a step may not write"})
	}
	message := llm.UserMessage(a.Prompt)
	if a.Context != nil {
		message.Content = append(message.Content, llm.Text(i18n.English("agent.step.context", nil)+"\n"+jsonText(a.Context)))
	}
	state := State{Seq: firstSeq(env, args)}
	out, err := Run(ctx, cfg, Input{State: state, Messages: []llm.Message{message}})
	if err != nil {
		return nil, err
	}
	if step.Done != nil {
		step.Done(out)
	}
	switch {
	case out.Problem != nil:
		return nil, out.Problem
	case out.Stop != Done: // half an answer must not be frozen
		e := fault.New(fault.Provider, "agent.step.unfinished", fault.P{"why": string(out.Stop)})
		e.Retryable = false
		return nil, e
	}
	pins, err := ResolvePins(a.Pins, out.Outputs, step.Last)
	if err != nil {
		return nil, err
	}
	return stepData(out.Outputs, pins)
}

// firstSeq keeps the numbers of the calls of several steps and iterations of one
// run apart, in the same way each time: call_id and callId depend on them.
func firstSeq(env *tool.Env, args tool.Args) int {
	text := jsonText(args)
	if env != nil && env.Call != nil { // two iterations may have the same arguments
		text = strconv.Itoa(env.Call.Seq) + " " + text
	}
	sum := digest.Sum256([]byte(text))
	const calls = 1 << 12 // room for the calls of one step
	return int(binary.BigEndian.Uint32(sum[:4])>>1) &^ (calls - 1)
}

// stepData gives outputs as a tool's data.
func stepData(out Outputs, pins map[string]any) (tool.Data, error) {
	var data tool.Data
	err := json.Unmarshal([]byte(jsonText(struct {
		Outputs
		Pins map[string]any `json:"pins"`
	}{out, pins})), &data)
	if err != nil {
		return nil, fault.New(fault.Internal, "error.json.invalid", nil).With(err)
	}
	return data, nil
}
