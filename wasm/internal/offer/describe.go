package offer

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

// DescribeName is the tool by which a model that acts reads how other tools are used.
const DescribeName = "tools.describe"

const (
	describeInput = `{
		"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "additionalProperties": false, "required": ["names"],
		"properties": {"names": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 20, "description": "Tools, or groups."}}}`
	describeOutput = `{
		"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "additionalProperties": false, "required": ["tools"],
		"properties": {"tools": {"type": "array", "items": {"type": "string"}}}}`
	describeDescription = "Tells how tools are used: arguments → output. `?` may be left out; without a type it is a string."
)

// DescribeTool makes the tool tools.describe. It tells of the tools that registry gives, which is asked at each call.
func DescribeTool(registry func() *tool.Registry) tool.Tool {
	return tool.Tool{
		Spec: tool.Spec{
			Name: DescribeName, Version: "1.0.0", Lifecycle: tool.Active, Category: "utility", SideEffects: tool.Reads,
			Cache: tool.CacheNone, Simulable: true, Flags: tool.Flags{WorkspaceOnly: true}, Facts: tool.Facts{ReadsOn: true},
			Description: describeDescription, Input: json.RawMessage(describeInput), Output: json.RawMessage(describeOutput),
			Aliases: map[string]string{"tools": "names", "name": "names"},
		},
		Deed: tool.Deed{Key: "tools"},
		Run: func(_ context.Context, _ *tool.Env, args tool.Args) (tool.Data, error) {
			return describe(registry(), args)
		},
	}
}

func describe(reg *tool.Registry, args tool.Args) (tool.Data, error) {
	var lines []string
	for _, v := range args.List("names") {
		name, _ := v.(string)
		found, err := named(reg, strings.TrimSuffix(strings.TrimSuffix(name, "*"), "."))
		if err != nil {
			return nil, err
		}
		for _, e := range found {
			if line := strings.TrimSuffix(strings.TrimPrefix(Line(e), "- "), "\n"); !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	if slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, scopeText) }) {
		lines = append([]string{scopeType}, lines...)
	}
	return tool.Data{"tools": lines}, nil
}

// named gives the tool of a name, or those of a group.
func named(reg *tool.Registry, name string) ([]*tool.Entry, error) {
	var out []*tool.Entry
	for _, n := range reg.Names() {
		if strings.HasPrefix(n, name+".") {
			if e, err := reg.Get(n, ""); err == nil && e.Lifecycle == tool.Active {
				out = append(out, e)
			}
		}
	}
	if out != nil {
		return out, nil
	}
	e, err := reg.Get(tool.FromWire(name), "")
	if err != nil {
		return nil, fault.From(err)
	}
	return []*tool.Entry{e}, nil
}
