package agent

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

// ReadToolName is the tool with which a model reads what was too long to be told
// it at once.
const ReadToolName = "agent.readOutput"

const (
	readInput = `{
		"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "additionalProperties": false, "required": ["file"],
		"properties": {
			"file": {"type": "string", "description": "The attachment: its url, or the name at the url's end."},
			"offset": {"type": "integer", "minimum": 0, "description": "The next of the part before."}
		}}`
	readOutput = `{
		"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "additionalProperties": false,
		"required": ["text", "total"],
		"properties": {"text": {"type": "string"}, "total": {"type": "integer"}, "next": {"type": "integer"}}}`
	readDescription = `Reads an output that was too long: a result with "truncated" names it as an attachment. Gives a part of its JSON as "text", "total" in bytes, and "next", the "offset" of the part that follows.`
)

// readPart is how much of an output is given at a time, in bytes.
const readPart = 32 << 10

// ReadTool makes the tool agent.readOutput. It finds what the conversation itself
// has kept (tool.Env.Kept), and nothing else.
func ReadTool() tool.Tool {
	return tool.Tool{
		Spec: tool.Spec{
			Name: ReadToolName, Version: "1.0.0", Lifecycle: tool.Active, Category: "utility", SideEffects: tool.Reads,
			Cache: tool.CacheNone, Simulable: true, Flags: tool.Flags{WorkspaceOnly: true}, Facts: tool.Facts{ReadsOn: true},
			Description: readDescription, Input: json.RawMessage(readInput), Output: json.RawMessage(readOutput),
			Aliases: map[string]string{"url": "file", "name": "file"},
		},
		Deed: tool.Deed{Key: "readOn"},
		Run:  readKept,
	}
}

func readKept(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	if env.Model.Kept == nil {
		return nil, fault.New(fault.Precondition, "agent.output.none", nil)
	}
	name := args.String("file")
	if i := strings.LastIndex(name, "file="); i >= 0 {
		name = name[i+len("file="):]
	}
	data, err := env.Model.Kept(ctx, name)
	if err != nil {
		return nil, err
	}
	from := min(args.Int("offset"), len(data))
	for from < len(data) && !utf8.RuneStart(data[from]) {
		from++
	}
	to := min(from+readPart, len(data))
	for to < len(data) && !utf8.RuneStart(data[to]) {
		to--
	}
	out := tool.Data{"text": string(data[from:to]), "total": len(data)}
	if to < len(data) {
		out["next"] = to
	}
	return out, nil
}
