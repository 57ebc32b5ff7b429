// Package modelstep is the contract of a step of a plan that asks a model: the tool
// agent.run, what such a step says (Args), what it gives (Outputs), and the results
// in it that have names (Pin). It asks no model itself: a simulation hands the tool
// what does (tool.Env.Model.Ask), and a run is answered with what was frozen.
package modelstep

import (
	"context"
	"encoding/json"
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/tool"
)

// ToolName is the tool with which a step of a plan asks a model.
const ToolName = "agent.run"

// Args are the arguments of such a step. It can make the limits of the settings
// narrower, and nothing wider.
type Args struct {
	// Prompt is the plan's; Context is data from earlier steps, told to the
	// model as data.
	Prompt  string `json:"prompt"`
	Context any    `json:"context,omitempty"`
	// Tools are the tools that the step may use, out of those that read; none
	// named means none.
	Tools []string `json:"tools,omitempty"`
	// Schema and MaxChars say how the answer looks: a value that fits a JSON Schema,
	// or a text of at most so many characters.
	Schema        any   `json:"schema,omitempty"`
	MaxChars      int   `json:"maxChars,omitempty"`
	Pins          []Pin `json:"pins,omitempty"`
	MaxIterations int   `json:"maxIterations,omitempty"`
	MaxToolCalls  int   `json:"maxToolCalls,omitempty"`
}

// Tighten gives the limits of a step within those of the settings. A step of a
// plan reads at most: what is to be written is for the plan to say, where the
// review shows it.
func (a Args) Tighten(l limits.Limits) limits.Limits {
	return l.Reading(a.Tools, a.MaxIterations, a.MaxToolCalls)
}

// input and output are the tool's schemas.
const (
	input = `{
		"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "additionalProperties": false, "required": ["prompt"],
		"properties": {
			"prompt": {"type": "string", "minLength": 1, "description": "What to find out or to write."},
			"context": {"description": "Data from earlier steps for it to work with."},
			"tools": {"type": "array", "items": {"type": "string"}, "description": "Reading tools that it may use. Default: none."},
			"schema": {"type": "object", "description": "JSON Schema of the answer, which is then \"value\"."},
			"maxChars": {"type": "integer", "minimum": 1, "description": "Longest answer."},
			"pins": {"type": "array", "description": "Names under which results of its tools are given.", "items": {
				"type": "object", "additionalProperties": false, "required": ["name", "selector"], "properties": {
					"name": {"type": "string"},
					"selector": {"type": "object", "additionalProperties": false, "required": ["tool"], "properties": {
						"tool": {"type": "string"}, "strategy": {"enum": ["latest", "first_success", "by_call_id"]}, "call_id": {"type": "string"}}},
					"on_missing": {"enum": ["null", "error", "stale_last_success"]}}}},
			"maxIterations": {"type": "integer", "minimum": 1}, "maxToolCalls": {"type": "integer", "minimum": 1}
		}}`
	output = `{
		"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "additionalProperties": false,
		"required": ["response", "tools_by_id", "tool_order", "last_tool", "traces_url", "pins"],
		"properties": {
			"response": {"type": "string"}, "tools_by_id": {"type": "object"}, "tool_order": {"type": "array", "items": {"type": "string"}},
			"last_tool": {"type": ["object", "null"]}, "traces_url": {"type": "string"}, "pins": {"type": "object"}, "value": {}
		}}`
	description = `Asks a model as one step of a plan, and gives its answer as "response".

Use it where a step needs judgement that no other tool has: to sum up, to sort, to write a text. It sees the prompt, the context, and what the tools named in "tools" give it. It cannot write; take "response" (or a pin) to the step that does.

For each of many notes, give it a "schema" or a "maxChars" of 500 at most: then many go in one request. It runs once, when the plan is shown, after the person allowed what it costs; what it gave is what is approved and used.`
)

// Tool makes the tool agent.run (docs/design/invocation.md#model-steps).
//
// A model is asked in simulations only, where the call's surroundings say how
// (tool.Env.Model.Ask). Its results are frozen (reuse.Frozen), so in a run the tool is
// answered before it begins.
func Tool() tool.Tool {
	return tool.Tool{
		Spec: tool.Spec{
			Name: ToolName, Version: "1.0.0", Lifecycle: tool.Active, Category: "utility", SideEffects: tool.Reads,
			Cache: tool.CacheForever, Simulable: true, Facts: tool.Facts{AsksModel: true}, Flags: tool.Flags{WorkspaceOnly: true},
			Description: description, Input: json.RawMessage(input), Output: json.RawMessage(output),
		},
		Deed: tool.Deed{Key: "asked"},
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
	return fault.New(fault.Precondition, "agent.step.noModel", fault.P{"step": Name(c)})
}

// Name names the agent of a step and iteration.
func Name(c *tool.Call) string {
	switch {
	case c == nil:
		return ToolName
	case c.Iteration != nil:
		return c.StepID + "/" + strconv.Itoa(c.Iteration.Index)
	}
	return c.StepID
}
