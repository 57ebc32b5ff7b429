package agent

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"strconv"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/digest"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/shorten"
	"embedded-agent/wasm/internal/tool"
)

// Step is one model step about to begin. The guard of its Config must be made
// from Tighten.
type Step struct {
	Config Config
	// Last keeps pinned values for stale_last_success; it may be nil.
	Last modelstep.LastValues
	// Done is told how the agent ended; it may be nil.
	Done func(*Outcome)
}

// StepStart makes a step ready. Env is the call's; in it is the call itself.
type StepStart func(ctx context.Context, env *tool.Env, a modelstep.Args) (Step, error)

// Steps gives what makes model steps (tool.Env.Model.Ask), each made ready by
// start.
func Steps(start StepStart) func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
	return func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
		return runStep(ctx, env, args, start)
	}
}

func runStep(ctx context.Context, env *tool.Env, args tool.Args, start StepStart) (tool.Data, error) {
	var a modelstep.Args
	if err := json.Unmarshal([]byte(shorten.JSON(args)), &a); err != nil {
		return nil, fault.New(fault.Validation, "error.json.invalid", nil).With(err)
	}
	if err := modelstep.CheckPins(a.Pins); err != nil {
		return nil, err
	}
	if err := a.CheckForm(); err != nil {
		return nil, fault.New(fault.Validation, "agent.step.schema", fault.P{"problem": err.Error()})
	}
	step, err := ready(ctx, env, a, start)
	if err != nil {
		return nil, err
	}
	in := Input{State: State{Seq: firstSeq(env, args)}, Messages: []llm.Message{messageOf(a)}}
	out, answer, err := step.ask(ctx, a, in)
	if err != nil {
		return nil, err
	}
	pins, err := modelstep.ResolvePins(a.Pins, out.Outputs, step.Last)
	if err != nil {
		return nil, err
	}
	return stepData(out.Outputs, pins, answer)
}

// ready makes a step ready, and refuses one that might write.
func ready(ctx context.Context, env *tool.Env, a modelstep.Args, start StepStart) (Step, error) {
	step, err := start(ctx, env, a)
	if err != nil {
		return Step{}, err
	}
	g := step.Config.Guard
	if g == nil || g.limits.EnabledTools == nil || g.limits.SideEffects == "" || !limits.AtMost(g.limits.SideEffects, tool.Reads) {
		return Step{}, fault.New(fault.Internal, "agent.config", fault.P{"problem": "a step may not write"})
	}
	return step, nil
}

// messageOf gives what the model of a step is told.
func messageOf(a modelstep.Args) llm.Message {
	message := llm.UserMessage(a.Prompt)
	if form := a.Form(); form != "" {
		message.Content = append(message.Content, llm.Text(form))
	}
	if a.Context != nil {
		message.Content = append(message.Content, llm.Text(i18n.English("agent.step.context", nil)+"\n"+shorten.JSON(a.Context)))
	}
	return message
}

// ask asks until the answer has its form: twice at most.
func (s *Step) ask(ctx context.Context, a modelstep.Args, in Input) (*Outcome, *modelstep.Answer, error) {
	for try := 1; ; try++ {
		out, err := s.run(ctx, s.Config, in)
		if err != nil || a.Form() == "" {
			return out, nil, err
		}
		answer, wrong := a.Read(out.Outputs.Response)
		if wrong == nil {
			return out, answer, nil
		}
		if try == 2 {
			return nil, nil, fault.New(fault.Provider, "agent.step.wrongForm", fault.P{"problem": wrong.Error()})
		}
		again := llm.UserMessage("This answer does not have its form: " + wrong.Error() + ". Give the answer again, and nothing else.")
		in = Input{State: out.State, Messages: []llm.Message{again}}
	}
}

// run asks the model once, with whatever tools the step has. An answer that has not
// come to its end is an error.
func (s *Step) run(ctx context.Context, cfg Config, in Input) (*Outcome, error) {
	out, err := Run(ctx, cfg, in)
	if err != nil {
		return nil, err
	}
	if s.Done != nil {
		s.Done(out)
	}
	switch {
	case out.Problem != nil:
		return nil, out.Problem
	case out.Stop != Done: // half an answer must not be frozen
		e := fault.New(fault.Provider, "agent.step.unfinished", fault.P{"why": string(out.Stop)})
		e.Retryable = false
		return nil, e
	}
	return out, nil
}

// Together asks for the answers of several calls in one request. They are Small and
// Alike, and env is that of the first. An answer that is missing, or has not its
// form, is nil: it is to be asked for alone.
func Together(ctx context.Context, env *tool.Env, calls []modelstep.Args, start StepStart) ([]*modelstep.Answer, error) {
	step, err := ready(ctx, env, calls[0], start)
	if err != nil {
		return nil, err
	}
	cfg := step.Config
	cfg.StepID += "+" + strconv.Itoa(len(calls)-1)
	out, err := step.run(ctx, cfg, Input{Messages: []llm.Message{llm.UserMessage(modelstep.Together(calls))}})
	if err != nil {
		return nil, err
	}
	return modelstep.Apart(calls, out.Outputs.Response), nil
}

// DataOf gives a call's data for an answer that came together with others.
func DataOf(answer *modelstep.Answer, tracesURL string) (tool.Data, error) {
	out := modelstep.Outputs{Response: answer.Response, ToolsByID: map[string]tool.Envelope{}, ToolOrder: []string{}, TracesURL: tracesURL}
	return stepData(out, map[string]any{}, answer)
}

// firstSeq keeps the numbers of the calls of several steps and iterations of one
// run apart, in the same way each time: call_id and callId depend on them.
func firstSeq(env *tool.Env, args tool.Args) int {
	text := shorten.JSON(args)
	if env != nil && env.Call != nil { // two iterations may have the same arguments
		text = strconv.Itoa(env.Call.Seq) + " " + text
	}
	sum := digest.Sum256([]byte(text))
	const calls = 1 << 12 // room for the calls of one step
	return int(binary.BigEndian.Uint32(sum[:4])>>1) &^ (calls - 1)
}

// stepData gives outputs as a tool's data; answer is nil for any text.
func stepData(out modelstep.Outputs, pins map[string]any, answer *modelstep.Answer) (tool.Data, error) {
	var data tool.Data
	err := json.Unmarshal([]byte(shorten.JSON(struct {
		modelstep.Outputs
		Pins map[string]any `json:"pins"`
	}{out, pins})), &data)
	if err != nil {
		return nil, fault.New(fault.Internal, "error.json.invalid", nil).With(err)
	}
	if answer != nil {
		if data["response"] = answer.Response; answer.Value != nil {
			data["value"] = answer.Value
		}
	}
	return data, nil
}
