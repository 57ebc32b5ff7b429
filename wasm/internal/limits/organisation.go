package limits

import (
	"math"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/strictjson"
	"embedded-agent/wasm/internal/tool"
)

// organisationPolicy is the policy file of an organisation. What it leaves out
// it leaves as it is. Numbers are at least 1: whoever wants to allow nothing
// writes an empty list of tools.
type organisationPolicy struct {
	Version       int               `json:"version"`
	EnabledTools  *[]string         `json:"enabled_tools"`
	BlockedTools  []string          `json:"blocked_tools"`
	MaxIterations *int              `json:"max_iterations"`
	MaxToolCalls  *int              `json:"max_tool_calls"`
	MaxTokens     *int64            `json:"max_tokens"`
	MaxCost       *float64          `json:"max_cost"` // in the price table's currency
	SideEffects   *tool.SideEffects `json:"side_effects"`
	Rates         map[string]Rate   `json:"rate_limits"`
	// Secrets names the organisation's secrets: a tool's name for one to the
	// name under which the secret store has it.
	Secrets map[string]string `json:"secrets"`
	// SecretHosts are the hosts that each of them may be sent to; one without
	// hosts goes nowhere.
	SecretHosts map[string][]string `json:"secret_hosts"`
}

// Tighten applies an organisation's policy file (JSON). It can only tighten:
// each limit becomes the stricter of the two. A file with anything in it that
// is not understood is VALIDATION_ERROR; a limit that was misspelt must not be
// taken for none.
func Tighten(l Limits, organisation []byte) (Limits, error) {
	p, err := readOrganisation(organisation)
	if err != nil {
		return l, err
	}
	// What the settings leave open is their default, which a policy cannot
	// raise either.
	l.MaxIterations = stricter(l.MaxIterations, DefaultMaxIterations, p.MaxIterations)
	l.MaxToolCalls = stricter(l.MaxToolCalls, DefaultMaxToolCalls, p.MaxToolCalls)
	l.MaxTokens = stricter(l.MaxTokens, math.MaxInt64, p.MaxTokens)
	if p.MaxCost != nil {
		nano := int64(*p.MaxCost * 1e9)
		l.MaxCost = price.Nano(stricter(int64(l.MaxCost), math.MaxInt64, &nano))
	}
	if p.EnabledTools != nil {
		l.EnabledTools = both(l.EnabledTools, *p.EnabledTools)
	}
	l.BlockedTools = append(slices.Clone(l.BlockedTools), p.BlockedTools...)
	if p.SideEffects != nil && (l.SideEffects == "" || rank(*p.SideEffects) < rank(l.SideEffects)) {
		l.SideEffects = *p.SideEffects
	}
	l.Rates = tightenRates(l.Rates, p.Rates)
	return l, nil
}

// OrganisationSecrets gives the names of an organisation's secrets and the hosts
// that each may be sent to, out of its policy file.
func OrganisationSecrets(organisation []byte) (names map[string]string, hosts map[string][]string, err error) {
	p, err := readOrganisation(organisation)
	return p.Secrets, p.SecretHosts, err
}

// stricter gives the smaller of a setting (0 or less: its default) and the
// organisation's word.
func stricter[N int | int64](have, def N, given *N) N {
	if given == nil {
		return have
	}
	if have <= 0 {
		have = def
	}
	return min(have, *given)
}

func tightenRates(have, given map[string]Rate) map[string]Rate {
	if len(given) == 0 {
		return have
	}
	out := make(map[string]Rate, len(have)+len(given))
	for name, r := range have {
		out[name] = r.stricter(given["*"]).stricter(given[name])
	}
	for name, r := range given {
		if _, ok := have[name]; !ok {
			out[name] = r.stricter(have["*"])
		}
	}
	return out
}

func readOrganisation(doc []byte) (organisationPolicy, error) {
	var p organisationPolicy
	invalid := func(problem string) error {
		return fault.New(fault.Validation, "agent.organisation.invalid", fault.P{"problem": problem})
	}
	if err := strictjson.Into(doc, &p); err != nil {
		return organisationPolicy{}, invalid(err.Error())
	}
	if problem := p.problem(); problem != "" {
		return p, invalid(problem)
	}
	return p, nil
}

func (p *organisationPolicy) problem() string {
	small := func(n *int) bool { return n != nil && *n < 1 }
	switch {
	case p.Version != 1:
		return "its version is not 1"
	case small(p.MaxIterations):
		return "max_iterations is less than 1"
	case small(p.MaxToolCalls):
		return "max_tool_calls is less than 1"
	case p.MaxTokens != nil && *p.MaxTokens < 1:
		return "max_tokens is less than 1"
	case p.MaxCost != nil && !(*p.MaxCost >= 1e-9 && *p.MaxCost < 1e9):
		return "max_cost is not an amount"
	case p.SideEffects != nil && !slices.Contains([]tool.SideEffects{tool.None, tool.Reads, tool.Writes, tool.Commands}, *p.SideEffects):
		return "side_effects is none of none, reads, writes, commands"
	}
	for name, r := range p.Rates {
		if !(r.PerMinute > 0) || r.Burst < 1 {
			return "the rate limit of " + strings.TrimSpace(name) + " is not above 0"
		}
	}
	return ""
}
