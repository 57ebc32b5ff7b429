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
	step, err := start(ctx, env, a)
	if err != nil {
		return nil, err
	}
	cfg := step.Config
	if cfg.Guard == nil || cfg.Guard.limits.EnabledTools == nil || cfg.Guard.limits.SideEffects == "" ||
		!limits.AtMost(cfg.Guard.limits.SideEffects, tool.Reads) {
		return nil, fault.New(fault.Internal, "agent.config", fault.P{"problem": "a step may not write"})
	}
	message := llm.UserMessage(a.Prompt)
	if a.Context != nil {
		message.Content = append(message.Content, llm.Text(i18n.English("agent.step.context", nil)+"\n"+shorten.JSON(a.Context)))
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
	pins, err := modelstep.ResolvePins(a.Pins, out.Outputs, step.Last)
	if err != nil {
		return nil, err
	}
	return stepData(out.Outputs, pins)
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

// stepData gives outputs as a tool's data.
func stepData(out modelstep.Outputs, pins map[string]any) (tool.Data, error) {
	var data tool.Data
	err := json.Unmarshal([]byte(shorten.JSON(struct {
		modelstep.Outputs
		Pins map[string]any `json:"pins"`
	}{out, pins})), &data)
	if err != nil {
		return nil, fault.New(fault.Internal, "error.json.invalid", nil).With(err)
	}
	return data, nil
}
