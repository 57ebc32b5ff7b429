// Package planner turns an instruction into a plan: ask → decode → check →
// repair (at most twice). It talks to a model and writes nothing.
//
// The plan comes as the argument of one call of submit_plan; where an endpoint
// has no functions, as JSON held to a schema, or as JSON in text.
// A plain answer, or a question back, is an outcome too. What the checks refuse
// goes back to the model with the reasons, before the person sees anything.
package planner

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/tool"
)

// maxRepairs is how often a refused plan goes back to the model.
const maxRepairs = 2

// SubmitPlan is the function whose argument is the plan.
const SubmitPlan = "submit_plan"

// Input has the instruction, and all that it is planned with.
type Input struct {
	Context
	Registry *tool.Registry
	// Offer says which tools the model hears of; nil offers all active ones.
	Offer func(e *tool.Entry) bool
	Rules plan.Rules
	// Check finds in a plan that has passed what only the host knows, such as
	// commands that are not there; nil finds nothing.
	Check func(g *plan.Graph) []plan.Problem
	// Try tries out the first plan that has passed, and says why it failed; nil for
	// one that did not. That goes back to the model, once. Its error ends the asking.
	// Nil tries nothing.
	Try func(ctx context.Context, out *Outcome) (*Failed, error)
	// Modes are the ways to ask for a plan, the first one first; the others are
	// for an endpoint that refuses it. None stands for all three.
	Modes []llm.PlanMode

	// Small asks with few words and few tools, for a model with a small window.
	Small bool

	Model       string
	MaxTokens   int
	Temperature *float64
	Whole       bool // no streaming
	// History is the conversation so far.
	History []llm.Message
	// Images go along with the instruction.
	Images []llm.Block
}

// Watch is told of what happens meanwhile. Its functions may be nil.
type Watch struct {
	Text      func(delta string)
	Reasoning func(delta string)
	// Repairing is told that a plan was refused, before the model is asked
	// again.
	Repairing func(attempt int, problems []plan.Problem)
	// Lowered is told that the endpoint refused to be asked for a plan in one
	// way, and is asked in the next.
	Lowered func(from, to llm.PlanMode, why *llm.Error)
}

// Failed says why a plan failed when it was tried out: the reason in words, and in
// Data what the step was given, which comes from notes.
type Failed struct{ Reason, Data string }

// Outcome is the planner's answer to an instruction: a checked plan, or an answer or
// question in Reply alone.
type Outcome struct {
	Plan     *plan.Plan
	Graph    *plan.Graph
	Raw      json.RawMessage
	Warnings []plan.Problem
	Reply    string
	Question bool
	// Cut says that the reply broke off at the output limit.
	Cut      bool
	Usage    price.Usage
	Messages []llm.Message // what to go on with
}

// maxPauses is how often a model that pauses is told to go on.
const maxPauses = 8

// Plan asks the model. Its errors are *fault.Error: the provider's, or
// VALIDATION_ERROR with what is still wrong after the last repair.
func Plan(ctx context.Context, p llm.Provider, in Input, w Watch) (*Outcome, error) {
	a := &asking{in: in, w: w, out: &Outcome{}, modes: in.Modes}
	if len(a.modes) == 0 {
		a.modes = []llm.PlanMode{llm.PlanByCall, llm.PlanBySchema, llm.PlanByText}
	}
	out, err := a.ask(ctx, p)
	if a.failed && err != nil && ctx.Err() == nil {
		// The plan that failed is worth seeing, whatever became of the second question.
		out.Reply = cmp.Or(out.Reply, a.reply)
		return out, nil
	}
	return out, err
}

// ask asks until there is a plan that passes, or an answer.
func (a *asking) ask(ctx context.Context, p llm.Provider) (*Outcome, error) {
	w := a.w
	req := a.request()
	pauses := 0
	for attempt := 0; ; {
		msg, lerr := llm.Collect(p.Stream(ctx, req), a.see)
		a.count(msg)
		switch {
		case lerr != nil && attempt == 0 && !a.tried && len(msg.Content) == 0 && a.lower(lerr):
			req = a.request()
			continue
		case lerr != nil:
			a.out.Reply = strings.TrimSpace(msg.Text() + msg.Refusal())
			return a.out, FromLLM(lerr)
		case msg.StopReason == llm.StopPause && pauses < maxPauses:
			pauses++
			req.Messages = append(req.Messages, msg)
			continue
		case msg.StopReason == llm.StopContextWindow:
			return a.out, FromLLM(llm.NewError("llm.error.tooLong", "detail", msg.StopDetail))
		}
		a.out.Reply = strings.TrimSpace(msg.Text() + msg.Refusal())
		problems, done := a.take(msg)
		complaint := refusal(problems) + a.tools(msg, problems)
		if done {
			a.out.Messages = append(req.Messages, msg)
			failed, err := a.try(ctx)
			if err != nil || failed == nil {
				return a.out, cmp.Or(err, a.empty())
			}
			complaint = failing(failed) + a.tools(msg, nil)
		} else if attempt++; attempt > maxRepairs {
			return a.out, notRepaired(problems)
		}
		if w.Repairing != nil {
			w.Repairing(attempt, problems)
		}
		req.Messages = append(req.Messages, msg)
		req.Messages = append(req.Messages, answer(msg, complaint)...)
	}
}

// try tries out a plan that has passed, if none was before.
func (a *asking) try(ctx context.Context) (*Failed, error) {
	if a.tried || a.in.Try == nil || a.out.Plan == nil {
		return nil, nil
	}
	a.tried, a.reply = true, a.out.Reply
	failed, err := a.in.Try(ctx, a.out)
	a.failed = failed != nil && err == nil
	return failed, err
}

// lower takes the next way to ask for a plan, if the error refuses the present
// one.
func (a *asking) lower(why *llm.Error) bool {
	// Some servers take functions for a kind of schema, and say so.
	if len(a.modes) == 1 || llm.Refused(why, llm.FeatureTools, llm.FeatureSchema) == "" {
		return false
	}
	from := a.modes[0]
	a.modes = a.modes[1:]
	if a.w.Lowered != nil {
		a.w.Lowered(from, a.modes[0], why)
	}
	return true
}

// empty is the error of an answer in which nothing is said.
func (a *asking) empty() error {
	if a.out.Plan != nil || a.out.Reply != "" {
		return nil
	}
	return fault.New(fault.Provider, "error.planner.noPlan", nil)
}

type asking struct {
	in  Input
	w   Watch
	out *Outcome
	// modes are the ways to ask that are left, the present one first.
	modes []llm.PlanMode
	// tried: a plan was tried out; failed: in vain.
	tried, failed bool
	reply         string // what was said along with it
	// full are the tools that the model was told in full.
	full map[string]bool
}

// request asks in the present way.
func (a *asking) request() llm.Request {
	r, full := request(&a.in, a.modes[0])
	a.full = full
	return r
}

func (a *asking) see(e llm.Event) {
	switch e.Type {
	case llm.EventTextDelta:
		if a.w.Text != nil && a.modes[0] == llm.PlanByCall {
			a.w.Text(e.Delta)
		}
	case llm.EventThinkingDelta:
		if a.w.Reasoning != nil {
			a.w.Reasoning(e.Delta)
		}
	}
}

func (a *asking) count(m llm.Message) {
	if m.Usage != nil {
		a.out.Usage = a.out.Usage.Add(*m.Usage)
	}
}

// take finds the plan in a message. done is true for a plan that passes, and
// for an answer without one.
func (a *asking) take(m llm.Message) (problems []plan.Problem, done bool) {
	raw, found, problem := a.find(m)
	if problem != nil {
		return []plan.Problem{*problem}, false
	}
	if !found {
		a.out.Question = Asks(a.out.Reply)
		a.out.Cut = m.StopReason == llm.StopLength
		return nil, true
	}
	pl, graph, raw, problems := plan.Accept(raw, a.in.Registry, a.in.Rules)
	if graph == nil || plan.Failed(problems) {
		return problems, false
	}
	if a.in.Check != nil {
		if found := a.in.Check(graph); plan.Failed(found) {
			return found, false
		}
	}
	if parrots(pl.Goal, a.in.Instruction) {
		return []plan.Problem{{Key: "error.planner.example"}}, false
	}
	a.out.Plan, a.out.Graph, a.out.Raw, a.out.Warnings = pl, graph, raw, problems
	return nil, true
}

// find gives the plan's JSON: the argument of submit_plan, or the text.
func (a *asking) find(m llm.Message) (raw json.RawMessage, found bool, problem *plan.Problem) {
	if calls := m.Calls(); len(calls) > 0 {
		switch c := calls[0]; {
		case c.Name != SubmitPlan:
			return nil, false, &plan.Problem{Key: "error.planner.otherCall", Params: fault.P{"name": c.Name}}
		case c.Incomplete || m.StopReason == llm.StopLength:
			return nil, false, &plan.Problem{Key: "error.planner.cutOff"}
		case plan.Wrapped(c.RawArguments):
			return json.RawMessage(c.RawArguments), true, nil
		case !c.Executable():
			return nil, false, &plan.Problem{Key: "error.planner.notJSON"}
		default:
			return c.Arguments, true, nil
		}
	}
	byText := a.modes[0] != llm.PlanByCall
	raw, ok := plan.Extract(m.Text())
	written := Written(m.Text())
	if written || ok && byText {
		a.out.Reply = "" // a person does not read JSON
	}
	switch {
	case (ok || written) && byText && m.StopReason == llm.StopLength:
		return nil, false, &plan.Problem{Key: "error.planner.cutOff"}
	case ok && (byText || wholePlan(raw)):
		// Some models write the plan where they should call; others only speak of
		// plans. Where calls can be made, only what is whole passes for a plan.
		a.out.Reply = ""
		return raw, true, nil
	case written:
		return nil, false, &plan.Problem{Key: "error.planner.written"}
	}
	return nil, false, nil
}

// FromLLM turns a provider's error into the program's own.
func FromLLM(e *llm.Error) *fault.Error {
	return &fault.Error{
		Code: fault.Code(e.Code), Key: e.Key, Params: e.Params,
		Retryable: e.Retryable, RetryAfterS: e.RetryAfterS,
	}
}
