package guard

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/secrets"
	"embedded-agent/wasm/internal/tool"
)

// PolicyFile is the organisation's policy in the plugin's store, where no tool
// can read or write it. Whoever manages the device puts it there.
const PolicyFile = "policy.json"

// bounds are the limits of agents as they are in force: the settings, tightened
// by the organisation's policy.
type bounds struct {
	organisation []byte        // nil when there is none
	closed       *fault.Error  // the policy cannot be used: nothing runs
	limits       limits.Limits // the settings', tightened
	secrets      named
	limiter      *limits.RateLimiter
	rates        map[string]limits.Rate
	read         time.Time // when the file was read last
}

// ReadOrganisation reads the organisation's policy file and puts it in force. A
// file that cannot be read or understood closes everything.
func (g *Guard) ReadOrganisation(ctx context.Context) *fault.Error {
	doc, err := g.host.Store.Read(ctx, PolicyFile)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.bounds.read = time.Now()
	g.bounds.organisation, g.bounds.closed = nil, nil
	switch {
	case fault.Is(err, fault.NotFound):
	case err != nil:
		if ctx.Err() != nil {
			err = ctx.Err()
		} else {
			err = fault.New(fault.Denied, "agent.organisation.unreadable", nil).With(err)
		}
		g.bounds.closed = fault.From(err)
	default:
		g.bounds.organisation = append([]byte{}, doc...) // never nil: an empty file is a broken one
	}
	g.tighten()
	return g.bounds.closed
}

// tighten puts the settings and the organisation's policy in force. The lock is
// held.
func (g *Guard) tighten() {
	r := &g.bounds
	set, org := limitsOf(&g.settings), limits.Limits{}
	names, secretHosts := secretNames(g.settings.Secrets), map[string][]string(nil)
	tight := set
	if r.organisation != nil {
		var err error
		if tight, err = limits.Tighten(set, r.organisation); err != nil {
			f := fault.From(err)
			r.closed = fault.New(fault.Denied, f.Key, f.Params)
		} else if org, err = limits.Tighten(org, r.organisation); err != nil {
			r.closed = fault.From(err)
		} else if names[secrets.OrganisationScope], secretHosts, err = limits.OrganisationSecrets(r.organisation); err != nil {
			r.closed = fault.From(err)
		}
	}
	r.limits, r.secrets = tight, nameSecrets(&g.settings, names, secretHosts)
	if r.limiter == nil || !sameRates(r.rates, tight.Rates) {
		// Made anew only when the rates are others: settings that are saved again
		// give nobody a fresh start.
		r.limiter, r.rates = limits.NewRateLimiter(tight.Rates, ratePatience), tight.Rates
	}
	p := *g.base
	p.Closed, p.Ceiling = r.closed, tight.SideEffects
	p.EnabledTools, p.Forbidden = nil, nil
	for _, name := range g.registry.Names() {
		if !allows(&set, name) {
			if p.EnabledTools == nil {
				p.EnabledTools = g.every()
			}
			delete(p.EnabledTools, name)
		}
		if !allows(&org, name) { // also what the settings refuse: a person may lift those
			if p.Forbidden == nil {
				p.Forbidden = map[string]bool{}
			}
			p.Forbidden[name] = true
		}
	}
	g.policy = &p
}

func (g *Guard) every() map[string]bool {
	all := map[string]bool{}
	for _, name := range g.registry.Names() {
		all[name] = true
	}
	return all
}

func allows(l *limits.Limits, name string) bool {
	return !slices.Contains(l.BlockedTools, name) && (l.EnabledTools == nil || slices.Contains(l.EnabledTools, name))
}

func sameRates(a, b map[string]limits.Rate) bool {
	if len(a) != len(b) {
		return false
	}
	for name, r := range a {
		if b[name] != r {
			return false
		}
	}
	return true
}

// ratePatience is how long a call over its rate is held back instead of refused.
const ratePatience = 2 * time.Second

// limitsOf gives the limits that the settings set.
func limitsOf(c *protocol.Settings) limits.Limits {
	l := limits.Limits{
		MaxIterations: c.AgentIterations, MaxToolCalls: c.AgentCalls, MaxTokens: int64(max(c.AgentTokens, 0)),
		BlockedTools: slices.Clone(c.DisabledTools),
	}
	if c.AgentCost > 0 {
		l.MaxCost = price.Nano(math.Ceil(math.Min(c.AgentCost, 1e9) * 1e9))
	}
	for name, n := range c.CallsPerMinute {
		if n <= 0 {
			continue // no limit
		}
		if l.Rates == nil {
			l.Rates = map[string]limits.Rate{}
		}
		l.Rates[name] = limits.Rate{PerMinute: float64(n), Burst: n}
	}
	return l
}

// AgentLimits gives what an agent may do and use now. The tools that the policy
// would refuse are refused here already, so a model does not hear of them. A
// policy of the organisation that cannot be used is POLICY_DENIED.
func (g *Guard) AgentLimits() (limits.Limits, error) {
	g.mu.Lock()
	l, closed := g.bounds.limits, g.bounds.closed
	g.mu.Unlock()
	if closed != nil {
		return limits.Limits{}, closed
	}
	l.BlockedTools = slices.Clone(l.BlockedTools)
	for _, name := range g.registry.Names() {
		if e, err := g.registry.Get(name, ""); err == nil && !g.Offered(e) {
			l.BlockedTools = append(l.BlockedTools, name)
		}
	}
	return l, nil
}

// StillOffered judges a call of an agent: what was switched off while it works is
// off.
func (g *Guard) StillOffered(_ context.Context, c *tool.Call) error {
	if e, err := g.registry.Get(c.Tool, c.Version); err == nil && !g.Offered(e) {
		return errors.New("switched off meanwhile")
	}
	return nil
}

// Rate is the pipelines' stage that holds tools to their rates.
func (g *Guard) Rate(ctx context.Context, e *tool.Entry) error {
	g.mu.Lock()
	limiter := g.bounds.limiter
	g.mu.Unlock()
	return limiter.Limit(ctx, e)
}
