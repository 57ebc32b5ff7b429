package plan

import (
	"encoding/json"

	"embedded-agent/wasm/internal/tool"
)

// Schema gives the JSON Schema (draft-07) of a plan, for the function that a
// model hands its plan to. It says what Decode accepts, with the tools of the
// registry as the only names; the arguments of each tool are in the tool's own
// schema, which the model gets beside it. (One schema with all tools as
// alternatives is ten times slower to validate against, and its errors name
// every tool but the right one.)
func Schema(reg *tool.Registry) json.RawMessage {
	var names []string
	for _, name := range reg.Names() {
		if e, err := reg.Get(name, ""); err == nil && e.Lifecycle == tool.Active {
			names = append(names, name)
		}
	}
	return SchemaOf(names)
}

// SchemaOf is Schema with these tools; with none, a tool may have any name, as
// suits a schema that nothing is held to and that is to be short.
func SchemaOf(names []string) json.RawMessage {
	b, err := json.Marshal(planSchema(names))
	if err != nil {
		panic(err) // a constant, and names
	}
	return b
}

type object = map[string]any

func closed(description string, required []string, properties object) object {
	o := object{"type": "object", "additionalProperties": false, "properties": properties}
	if description != "" {
		o["description"] = description
	}
	if required != nil {
		o["required"] = required
	}
	return o
}

func text(description string) object { return object{"type": "string", "description": description} }

func texts(description string) object {
	return object{"type": "array", "items": object{"type": "string"}, "description": description}
}

func whole(least int, description string) object {
	o := object{"type": "integer", "minimum": least}
	if description != "" {
		o["description"] = description
	}
	return o
}

func choice(description string, values ...string) object {
	return object{"type": "string", "enum": values, "description": description}
}

// name is an identifier that a reference can hold (see wellFormed).
func name(description string) object {
	o := text(description)
	o["pattern"] = "^[A-Za-z0-9_]+(-[A-Za-z0-9_]+)*$"
	o["maxLength"] = 64
	return o
}

func required(o object) object {
	o["pattern"] = `\S`
	return o
}

func planSchema(tools []string) object {
	retry := closed("", []string{"maxAttempts"}, object{
		"maxAttempts": whole(1, "Attempts in all, the first included."),
		"backoffMs":   whole(0, "The first pause."),
	})
	again := closed("", []string{"maxAttempts"}, object{"maxAttempts": whole(1, ""), "backoffMs": whole(0, "")})
	onError := []string{OnErrorStop, onErrorFail, OnErrorSkip, OnErrorRetry}
	when := object{"type": "array", "items": object{"type": "object"}}
	named := text("The name of a tool.")
	if len(tools) > 0 {
		named = choice("The name of a tool.", tools...)
	}
	step := closed("", []string{"id", "tool", "args"}, object{
		"id":      name("Short and unique; other steps refer to it: $steps.ID.field."),
		"tool":    named,
		"version": text("Pins the tool's version. Leave it out."),
		"args": object{
			"type": "object",
			"description": "The tool's arguments. Texts may hold references: $steps.ID.field (inside a text: ${steps.ID.field}), " +
				"$vars.NAME, and within foreach {ITEM.field} and {index}.",
		},
		"foreach": closed("Run the step once for each element of a list.",
			[]string{"from", "itemName"}, object{
				"from": object{
					"type": []string{"string", "array"}, "description": "One reference to a list, such as $steps.ID.items; or a list.",
				},
				"itemName":    name("What an element is called in {braces}."),
				"indexName":   text("What its number, from 0, is called; index if left out."),
				"when":        when,
				"concurrency": whole(1, "How many may run at once."),
			}),
		"when": object{
			"type": "array", "items": object{"type": "object"}, "description": "Conditions without which the step is not done: {property, op, value}.",
		},
		"dependsOn": texts("Steps to wait for. Steps that are referred to need not be named."),
		"onError":   choice("What a failure does: stop if left out; a foreach leaves the element out.", onError...),
		"retry":     retry,
		"timeoutMs": whole(1, "Time limit of one call."),
		"captureAs": name("Keep the output as $vars.NAME."),
		"preview":   text("One short sentence for the person: what this step does."),
	})
	root := closed("A plan: steps that call tools.", []string{"goal", "steps"}, object{
		"version":     object{"enum": []any{"1", "1.0", 1}},
		"goal":        required(text("What the person wants, in one sentence.")),
		"assumptions": texts("What the plan takes for granted."),
		"riskLevel":   choice("The most that any step does.", "read-only", "writes", "commands"),
		"defaults": closed("For every step that does not say otherwise.", nil, object{
			"onError": object{"enum": onError}, "retry": again, "timeoutMs": whole(1, ""),
		}),
		"steps":   object{"type": "array", "minItems": 1, "items": step},
		"outputs": object{"type": "object", "description": "A question about notes is answered by a plan that only reads: each name to a reference, or to {rows: reference, columns, one, many, none}: sentences such as “{n} notes have no links.”, where {n} is counted."},
	})
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	return root
}
