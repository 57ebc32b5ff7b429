package transaction

import (
	"context"
	"slices"

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
func (t *Transactions) checkPolicy(ctx context.Context, se *Review) error {
	_ = t.deps.Guard.ReadOrganisation(ctx) // what cannot be read closes the policy
	refusal := t.refusedNow(ctx, se)
	if refusal == nil {
		return nil
	}
	next := *se
	next.Base = nil
	told := protocol.Message{Key: "review.stricter"}
	next.Warnings = append(slices.DeleteFunc(slices.Clone(se.Warnings), func(m protocol.Message) bool { return m.Key == told.Key }), told)
	if err := t.Simulate(ctx, &next); err != nil {
		return err
	}
	if err := t.replaceReview(se, &next); err != nil {
		return err
	}
	return refusal
}

// refusedNow gives the first thing of a review that the policy refuses.
func (t *Transactions) refusedNow(ctx context.Context, se *Review) error {
	if se.Undo != nil {
		return se.Undo.Refused(ctx)
	}
	pol, hosts := t.deps.Guard.Policy(), t.deps.Guard.Settings().HTTPHosts
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
	for _, c := range se.Called {
		if c.Seq < runner.Seq(se.from, 0) {
			continue
		}
		e, err := t.deps.Registry.Get(c.Tool, c.Version)
		if err != nil {
			return err
		}
		if !e.Sends() {
			continue
		}
		if _, err := network.Reachable(hosts, e.MethodOf(c.Args), c.Args.String("url")); err != nil {
			return err
		}
	}
	for _, w := range se.writes(se.from) {
		if err := pol.CheckOp(w.Op); err != nil {
			return err
		}
		if err := guard.Below(ctx, t.deps.Host.Vault, w.Op, pol.MaySee); err != nil {
			return err
		}
	}
	return nil
}

// deniedThen says whether a step was refused when it was simulated, too: that
// was shown.
func deniedThen(se *Review, place int) bool {
	st := se.Report.Steps[place]
	return st.Cause != nil && fault.Is(st.Cause, fault.Denied)
}

// outgoingOf is what a session's plan may send. A plan whose words came out of
// notes, or may have, holds them in its constants too.
func (t *Transactions) outgoingOf(se *Review) *guard.Outgoing {
	var plan map[string]bool
	if se.OwnWords {
		plan = taint.Steps(se.graph)
	}
	return t.deps.Guard.NewOutgoing(func() string { return se.Said }, plan)
}

// judge judges a simulated call. It also sees to it that the model of a model
// step may be sent its key, before the time of the call begins. What is frozen is
// not asked for again, and sends nothing.
func (sim *Simulation) judge(ctx context.Context, c *tool.Call, e *tool.Entry) (policy.Verdict, error) {
	switch {
	case sim.Review.Sealed:
		return policy.Verdict{Effect: policy.Allow}, nil
	case e.Facts.AsksModel:
		return policy.Verdict{Effect: policy.Allow}, sim.t.deps.ConfirmKey(ctx)
	}
	return sim.Review.out.Judge(ctx, c, e)
}
