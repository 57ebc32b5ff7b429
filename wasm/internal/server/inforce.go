package server

import (
	"context"
	"slices"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
)

// policyAge is how old the organisation's policy file may be, as it was read
// last, while something is being written.
const policyAge = time.Second

// inForce gives the policy of this moment: the settings as they are, tightened
// by the organisation's policy file as it was at most a moment ago.
func (s *Server) inForce(ctx context.Context) *policy.Policy {
	s.mu.Lock()
	old := time.Since(s.rails.read) >= policyAge
	if old {
		s.rails.read = time.Now() // of several that ask at once, one reads
	}
	s.mu.Unlock()
	if old {
		// A file that cannot be read closes the policy, which is what is given.
		_ = s.readOrganisation(context.WithoutCancel(ctx))
	}
	return s.currentPolicy()
}

// writable is the vault as a run writes to it.
func (s *Server) writable() host.Vault {
	return guard.Over(s.host.Vault, func(ctx context.Context, op host.Op) error {
		pol := s.inForce(ctx)
		if err := pol.CheckOp(op); err != nil {
			return err
		}
		return guard.Below(ctx, s.host.Vault, op, pol.MaySee)
	})
}

// checkPolicy holds what was simulated against the policy of this moment, before
// a run begins. What it refuses is not begun: the review is made anew, which
// shows what is left of it, and the refusal is the answer. It is asked again at
// each write (package guard).
func (s *Server) checkPolicy(ctx context.Context, se *session) error {
	_ = s.readOrganisation(ctx) // what cannot be read closes the policy
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
	s.mu.Lock()
	pol, hosts := s.policy, s.settings.HTTPHosts
	s.mu.Unlock()
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
		if c.Seq < runner.Seq(se.from, 0) {
			continue
		}
		e, err := s.registry.Get(c.Tool, c.Version)
		if err != nil {
			return err
		}
		if !e.Sends() {
			continue
		}
		if _, err := reachable(hosts, e.MethodOf(c.Args), c.Args.String("url")); err != nil {
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
