package policy

import (
	"maps"
	"slices"

	"embedded-agent/wasm/internal/tool"
)

// Once has the refusals, by step, that a person lifted for one plan: a switch of the
// settings stays off, and that step is done all the same. It is part of the plan's
// review, changes no setting, and lets nothing through that an organisation refuses.
type Once map[string][]string

// switches are the refusals that a person can lift for a plan: each is one switch of
// the settings that the person could turn as well. Requests are not among them, since
// whom they may reach is a list and not a switch.
var switches = map[string]func(*Policy){
	"policy.commandsOff":  func(p *Policy) { p.AllowCommands = true },
	"policy.deletesOff":   func(p *Policy) { p.AllowDeletes = true },
	"policy.renamesOff":   func(p *Policy) { p.AllowRenames = true },
	"policy.toolDisabled": func(p *Policy) { p.EnabledTools = nil },
}

// Lifted gives the policy for a step: without the refusals that were lifted for it.
func (o Once) Lifted(p *Policy, step string) *Policy {
	keys := o[step]
	if len(keys) == 0 {
		return p
	}
	lifted := *p
	for _, key := range keys {
		if lift := switches[key]; lift != nil {
			lift(&lifted)
		}
	}
	return &lifted
}

// With gives what is lifted with one more refusal. The map that it is called on stays
// as it is.
func (o Once) With(step, key string) Once {
	out := maps.Clone(o)
	if out == nil {
		out = Once{}
	}
	if !slices.Contains(out[step], key) {
		out[step] = append(slices.Clone(out[step]), key)
	}
	return out
}

// Refuses says why a step's tool would be refused whatever comes before it; "" where
// it would not.
func (p *Policy) Refuses(e *tool.Entry, args tool.Args) string {
	switch v := p.Decide(e, args); {
	case v.Effect == Deny:
		return v.Key
	case e.Facts.Deletes && !p.AllowDeletes:
		return "policy.deletesOff"
	case e.Facts.Renames && !p.AllowRenames:
		return "policy.renamesOff"
	}
	return ""
}

// MayLift says whether a person may let a step do once what was refused for this
// reason: only what the switch alone stands against, and only from the panel.
func (p *Policy) MayLift(key string, e *tool.Entry, args tool.Args) bool {
	if switches[key] == nil || p.Origin != FromInterface {
		return false
	}
	v := Once{"": {key}}.Lifted(p, "").Decide(e, args)
	return v.Effect != Deny || v.Key != key && switches[v.Key] != nil
}
