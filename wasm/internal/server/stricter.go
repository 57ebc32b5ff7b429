package server

import (
	"context"
	"slices"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/network"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/taint"
	"embedded-agent/wasm/internal/tool"
)

// checkPolicy holds what was simulated against the policy of this moment, before
// a run begins. What it refuses is not begun: the review is made anew, which
// shows what is left of it, and the refusal is the answer. It is asked again at
// each write (package guard).
func (s *Server) checkPolicy(ctx context.Context, se *session) error {
	_ = s.guard.ReadOrganisation(ctx) // what cannot be read closes the policy
	refusal := s.refusedNow(ctx, se)
	if refusal == nil {
		return nil
	}
	next := *se
	next.base = nil
	told := protocol.Message{Key: "review.stricter"}
	next.warnings = append(slices.DeleteFunc(slices.Clone(se.warnings), func(m protocol.Message) bool { return m.Key == told.Key }), told)
	if err := s.simulate(ctx, &next); err != nil {
		return err
	}
	if err := s.replaceReview(se, &next); err != nil {
		return err
	}
	return refusal
}

// refusedNow gives the first thing of a review that the policy refuses.
func (s *Server) refusedNow(ctx context.Context, se *session) error {
	if se.undo != nil {
		for _, p := range se.undo.done.writes("") {
			if err := s.checkUndo(ctx, se.undo.done.ours, p.Op); err != nil {
				return err
			}
		}
		return nil
	}
	pol, hosts := s.guard.Policy(), s.guard.Settings().HTTPHosts
	if pol.Closed != nil {
		return pol.Closed
	}
	for place, n := range se.graph.Nodes {
		if place < se.from {
			continue
		}
		if v := pol.Decide(n.Tool, n.Step.Args); v.Effect == policy.Deny && !deniedThen(se, place) {
			return v.Error()
		}
	}
	for _, c := range se.called {
		if c.Seq < runner.Seq(se.from, 0) || c.Tool != "http.send" {
			continue
		}
		address, _ := c.Args["url"].(string)
		method, named := c.Args["method"].(string)
		if !named {
			method = "POST"
		}
		if _, err := network.Reachable(hosts, method, address); err != nil {
			return err
		}
	}
	for _, w := range se.writes(se.from) {
		if err := pol.CheckOp(w.Op); err != nil {
			return err
		}
		if err := guard.Below(ctx, s.host.Vault, w.Op, pol.MaySee); err != nil {
			return err
		}
	}
	return nil
}

// deniedThen says whether a step was refused when it was simulated, too: that
// was shown.
func deniedThen(se *session, place int) bool {
	st := se.report.Steps[place]
	return st.Cause != nil && fault.Is(st.Cause, fault.Denied)
}

// outgoingOf is what a session's plan may send. A plan whose words came out of
// notes, or may have, holds them in its constants too.
func (s *Server) outgoingOf(se *session) *guard.Outgoing {
	var plan map[string]bool
	if se.ownWords {
		plan = taint.Steps(se.graph)
	}
	return s.guard.NewOutgoing(func() string { return se.said }, plan)
}

// judge judges a simulated call. It also sees to it that the model of a model
// step may be sent its key, before the time of the call begins. What is frozen is
// not asked for again, and sends nothing.
func (sim *simulation) judge(ctx context.Context, c *tool.Call, e *tool.Entry) (policy.Verdict, error) {
	switch {
	case sim.se.sealed:
		return policy.Verdict{Effect: policy.Allow}, nil
	case e.Name == agent.StepToolName:
		return policy.Verdict{Effect: policy.Allow}, sim.s.confirmKey(ctx)
	}
	return sim.se.out.Judge(ctx, c, e)
}
