package transaction

import (
	"context"

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
func (r *reviews) checkPolicy(ctx context.Context, rv *Review) error {
	_ = r.deps.Guard.ReadOrganisation(ctx) // what cannot be read closes the policy
	refusal := r.refusedNow(ctx, rv)
	if refusal == nil {
		return nil
	}
	d := rv.again()
	d.readAnew(protocol.Message{Key: "review.stricter"})
	if _, err := r.again(ctx, rv, d); err != nil {
		return err
	}
	return refusal
}

// refusedNow gives the first thing of a review that the policy refuses.
func (r *reviews) refusedNow(ctx context.Context, rv *Review) error {
	if rv.Undo != nil {
		return rv.Undo.Refused(ctx)
	}
	pol, hosts := r.deps.Guard.Policy(), r.deps.Guard.Settings().HTTPHosts
	if pol.Closed != nil {
		return pol.Closed
	}
	for place, n := range rv.graph.Nodes {
		if place < rv.from {
			continue
		}
		if v := rv.once.Lifted(pol, n.Step.ID).Decide(n.Tool, n.Step.Args); v.Effect == policy.Deny && !deniedThen(rv, place) {
			return v.Error()
		}
	}
	for _, c := range rv.Called {
		if c.Seq < runner.Seq(rv.from, 0) {
			continue
		}
		e, err := r.deps.Registry.Get(c.Tool, c.Version)
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
	for _, w := range rv.writes(rv.from) {
		if err := rv.once.Lifted(pol, rv.Called[w.Call].StepID).CheckOp(w.Op); err != nil {
			return err
		}
		if err := guard.Below(ctx, r.deps.Host.Vault, w.Op, pol.MaySee); err != nil {
			return err
		}
	}
	return nil
}

// deniedThen says whether a step was refused when it was simulated, too: that
// was shown.
func deniedThen(rv *Review, place int) bool {
	st := rv.Report.Steps[place]
	return st.Cause != nil && fault.Is(st.Cause, fault.Denied)
}

// outgoingOf says which data a draft's plan may send. A plan whose words came out of
// notes, or may have, holds them in its constants too.
func (s *simulator) outgoingOf(d *Draft) *guard.Outgoing {
	var steps map[string]bool
	if d.OwnWords {
		steps = taint.Steps(d.graph)
	}
	said := d.Said // it outlives the draft, which holds what was read of the vault
	return s.deps.Guard.NewOutgoing(func() string { return said }, steps)
}

// judge judges a simulated call. It also sees to it that the model of a model
// step may be sent its key, before the time of the call begins. What is frozen is
// not asked for again, and sends nothing.
func (sim *Simulation) judge(ctx context.Context, c *tool.Call, e *tool.Entry) (policy.Verdict, error) {
	switch {
	case sim.Draft.sealed:
		return policy.Verdict{Effect: policy.Allow}, nil
	case e.Facts.AsksModel:
		return policy.Verdict{Effect: policy.Ask, Key: "policy.modelStep"}, sim.s.deps.ConfirmKey(ctx)
	}
	return sim.Draft.out.Judge(ctx, c, e)
}
