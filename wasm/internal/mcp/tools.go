//go:build !js

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/strictjson"
	"embedded-agent/wasm/internal/tool"
)

// wireName gives the name that a tool has here: many clients take letters, digits,
// "_" and "-" alone.
func wireName(name string) string { return strings.ReplaceAll(name, ".", "_") }

// addTools offers the built-in tools.
func (s *Server) addTools() {
	for _, e := range s.notes.Tools() {
		name := e.Name
		s.sdk.AddTool(&sdk.Tool{
			Name: wireName(name), Title: name, Description: e.Description,
			InputSchema: e.Input, OutputSchema: e.Output, Annotations: annotations(&e.Spec),
		}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			args, err := argsOf(r.Params.Arguments)
			if err != nil {
				return refused(err)
			}
			res, err := s.notes.Call(ctx, by(r.Session), name, args)
			if err != nil {
				return refused(err)
			}
			if !res.OK {
				return failed(res), nil
			}
			return told(res.Data)
		})
	}
}

// annotations say what a tool does to the notes as they would be. None of it touches
// the notes themselves, and nothing is told to anybody outside.
func annotations(e *tool.Spec) *sdk.ToolAnnotations {
	reads := e.SideEffects == tool.None || e.SideEffects == tool.Reads
	outside := e.Facts.Requests != "" || e.Facts.ReadsElsewhere
	a := &sdk.ToolAnnotations{ReadOnlyHint: reads, IdempotentHint: reads && !e.Facts.Random, OpenWorldHint: &outside}
	destroys := !reads && (e.Facts.Deletes || changesWhatIsThere(e.Input))
	a.DestructiveHint = &destroys
	return a
}

// changesWhatIsThere says whether an input names a note that is there already: a tool
// that takes new paths alone only adds.
func changesWhatIsThere(input json.RawMessage) bool {
	var schema struct {
		Properties map[string]struct {
			Path string `json:"x-path"`
		} `json:"properties"`
	}
	if json.Unmarshal(input, &schema) != nil {
		return true
	}
	for _, p := range schema.Properties {
		if p.Path == "existing" {
			return true
		}
	}
	return false
}

func argsOf(raw json.RawMessage) (tool.Args, error) {
	if len(raw) == 0 || string(raw) == "null" { // some clients send null for none
		return tool.Args{}, nil
	}
	args, err := strictjson.Object(raw)
	if err != nil {
		return nil, fault.New(fault.Validation, "error.json.invalid", nil).With(err)
	}
	return args, nil
}

// told gives data to the client: as JSON, and as text for those that read text alone.
func told(data any) (*sdk.CallToolResult, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	return &sdk.CallToolResult{
		Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text),
	}, nil
}

func said(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// failed gives a call that failed as the model can read it.
func failed(r *tool.Result) *sdk.CallToolResult {
	text := string(r.Status)
	if r.Error != nil {
		text = string(r.Error.Code) + ": " + r.Error.Message
	}
	out := said(text)
	out.IsError = true
	return out
}

// refused gives an error as the model can read it. One that is none of the program's
// own is the protocol's.
func refused(err error) (*sdk.CallToolResult, error) {
	var f *fault.Error
	if !errors.As(err, &f) {
		return nil, err
	}
	out := said(string(f.Code) + ": " + f.Error())
	out.IsError = true
	return out, nil
}
