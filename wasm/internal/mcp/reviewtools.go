//go:build !js

package mcp

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"embedded-agent/wasm/internal/fault"
)

// reviewTool is a tool that is about what is staged, or about runs.
type reviewTool struct {
	name, about, schema string
	reads               bool
	destroys            bool
	do                  func(ctx context.Context, r *sdk.CallToolRequest, args map[string]any) (*sdk.CallToolResult, error)
}

const nothingNeeded = `{"type":"object","properties":{},"additionalProperties":false}`

func (s *Server) addReviewTools() {
	for _, t := range []reviewTool{
		{
			name: "plan_submit", do: s.planSubmit, about: "Stages what a plan does: all of it, or nothing where a step fails. " +
				`A plan is {"goal": text, "steps": [{"id", "tool", "args", "foreach"?: {"from", "itemName"}, "dependsOn"?: [ids]}]}; tools have their dotted names, such as vault.createFile. "$steps.ID.FIELD" gives what an earlier step found, "{item.FIELD}" the element of a loop.`,
			schema: `{"type":"object","properties":{"plan":{"type":"object","description":"The plan."},"parameters":{"type":"object","description":"Values for its parameters, by name."}},"required":["plan"],"additionalProperties":false}`,
		},
		{name: "review_show", do: s.reviewShow, reads: true, schema: nothingNeeded, about: "Shows all that is staged, file by file, as it will be. Changes nothing."},
		{name: "review_approve", do: s.reviewApprove, destroys: true, schema: nothingNeeded, about: "Shows the person all that is staged, and asks whether to make these changes. The answer is the person's."},
		{name: "runs_list", do: s.runsList, reads: true, schema: nothingNeeded, about: "Lists the last runs on these notes, newest first: what they were for, when, and whether they can be undone."},
		{
			name: "run_revert", do: s.runRevert, destroys: true, about: "Shows the person what undoing a run would restore, and asks whether to undo it. The answer is the person's.",
			schema: `{"type":"object","properties":{"run":{"type":"string","description":"The run, as runs_list names it."}},"required":["run"],"additionalProperties":false}`,
		},
	} {
		closed := false
		s.sdk.AddTool(&sdk.Tool{
			Name: t.name, Description: t.about, InputSchema: json.RawMessage(t.schema),
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: t.reads, DestructiveHint: &t.destroys, IdempotentHint: t.reads, OpenWorldHint: &closed},
		}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			args, err := argsOf(r.Params.Arguments)
			if err != nil {
				return refused(err)
			}
			if err := t.takes(args); err != nil {
				return refused(err)
			}
			out, err := t.do(ctx, r, args)
			if err != nil {
				return refused(err)
			}
			return out, nil
		})
	}
}

// takes refuses arguments that the tool does not have, or that it needs and are missing.
func (t *reviewTool) takes(args map[string]any) error {
	var schema struct {
		Properties map[string]struct{ Type string }
		Required   []string
	}
	if err := json.Unmarshal([]byte(t.schema), &schema); err != nil {
		return err
	}
	wrong := func(problem string) error {
		return fault.New(fault.Validation, "error.tool.args", fault.P{"tool": t.name, "problems": problem})
	}
	for name, v := range args {
		want, known := schema.Properties[name]
		_, text := v.(string)
		_, object := v.(map[string]any)
		switch {
		case !known:
			return wrong("there is no " + name)
		case want.Type == "string" && !text, want.Type == "object" && !object:
			return wrong(name + " must be " + want.Type)
		}
	}
	for _, name := range schema.Required {
		if _, there := args[name]; !there {
			return wrong(name + " is missing")
		}
	}
	return nil
}

func (s *Server) planSubmit(ctx context.Context, r *sdk.CallToolRequest, args map[string]any) (*sdk.CallToolResult, error) {
	plan, err := json.Marshal(args["plan"])
	if err != nil {
		return nil, fault.New(fault.Validation, "error.json.invalid", nil).With(err)
	}
	values, _ := args["parameters"].(map[string]any)
	out, err := s.notes.Submit(ctx, by(r.Session), plan, values)
	if err != nil {
		return nil, err
	}
	return told(out)
}

func (s *Server) reviewShow(ctx context.Context, _ *sdk.CallToolRequest, _ map[string]any) (*sdk.CallToolResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rv, err := s.notes.Review(ctx)
	if err != nil {
		return nil, err
	}
	return said(rv.Text), s.notes.Close(ctx, rv)
}

func (s *Server) reviewApprove(ctx context.Context, r *sdk.CallToolRequest, _ map[string]any) (*sdk.CallToolResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rv, err := s.notes.Review(ctx)
	if err != nil {
		return nil, err
	}
	return s.decide(ctx, r.Session, rv, "Make these changes")
}

func (s *Server) runRevert(ctx context.Context, r *sdk.CallToolRequest, args map[string]any) (*sdk.CallToolResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	run, _ := args["run"].(string)
	rv, err := s.notes.Revert(ctx, run)
	if err != nil {
		return nil, err
	}
	return s.decide(ctx, r.Session, rv, "Undo this run")
}

func (s *Server) runsList(ctx context.Context, _ *sdk.CallToolRequest, _ map[string]any) (*sdk.CallToolResult, error) {
	runs, err := s.notes.Runs(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]map[string]any, 0, len(runs))
	for _, r := range runs {
		list = append(list, map[string]any{
			"run": r.Run, "kind": r.Kind, "goal": r.Goal, "startedAt": r.StartedAt, "outcome": r.Outcome, "files": r.Files,
			"canRevert": r.Can.Revert, "revertedBy": r.RevertedBy,
		})
	}
	return told(map[string]any{"runs": list})
}

// decide asks the person about a review, and does what they say. Without a person to
// ask, or with more than a client would show, it says where they can answer.
func (s *Server) decide(ctx context.Context, ss *sdk.ServerSession, rv *Review, yes string) (*sdk.CallToolResult, error) {
	if !rv.Approvable {
		return said(rv.Text + "\nThere is nothing to approve."), s.notes.Close(ctx, rv)
	}
	if !canAsk(ss) || utf8.RuneCountInString(rv.Text) > mostAsked {
		return said("Nothing was changed: the person has not been asked. They can look and answer on a terminal with\n  " + rv.Terminal), s.notes.Close(ctx, rv)
	}
	agreed, err := askPerson(ctx, ss, rv.Text, yes)
	if err != nil || !agreed {
		closed := s.notes.Close(context.WithoutCancel(ctx), rv)
		if err == nil {
			err = closed
		}
		return said("The person did not approve. Nothing was changed, and what is staged stays staged. If they were not asked, they can answer on a terminal with\n  " + rv.Terminal), err
	}
	text, ok, err := s.notes.Approve(ctx, rv)
	if err != nil {
		return nil, err
	}
	out := said(text)
	out.IsError = !ok
	return out, nil
}
