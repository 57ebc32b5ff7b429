// Package limits says what an agent may do and use, and how much of it has been
// used: the settings, which a step of a plan and an organisation's policy file can
// make stricter and nothing can widen (docs/design/invocation.md#guard). It knows
// no model: whoever asks one holds to it.
package limits

import (
	"slices"

	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/tool"
)

// What holds where the settings say nothing else (docs/design/invocation.md#guard).
const (
	DefaultMaxIterations = 10
	DefaultMaxToolCalls  = 25
)

// Limits bound what an agent may do and use. They come from settings and an
// organisation's policy, never from a conversation.
type Limits struct {
	// EnabledTools is the allow-list by name; nil allows what the policy allows.
	EnabledTools []string
	// BlockedTools are refused whatever else is said.
	BlockedTools []string
	// MaxIterations bounds the questions to the model since the person last said
	// something; 0 is DefaultMaxIterations.
	MaxIterations int
	// MaxToolCalls bounds the calls over a whole Budget; 0 is
	// DefaultMaxToolCalls.
	MaxToolCalls int
	// MaxTokens and MaxCost bound tokens and money over a whole Budget; 0 is no
	// limit of their own.
	MaxTokens int64
	MaxCost   price.Nano
	// SideEffects is the most that a tool may do; "" is no ceiling.
	SideEffects tool.SideEffects
	// Rates bound single tools, by name; "*" is for each one that is not named.
	Rates map[string]Rate
}

// AtMost says whether a tool's side effects are within a ceiling; "" is none.
// Unknown side effects count as the worst.
func AtMost(s, ceiling tool.SideEffects) bool {
	return ceiling == "" || rank(s) <= rank(ceiling)
}

// rank orders side effects; unknown ones count as the worst.
func rank(s tool.SideEffects) int {
	i := slices.Index([]tool.SideEffects{tool.None, tool.Reads, tool.Writes, tool.Commands}, s)
	if i < 0 {
		return 3
	}
	return i
}

// Reading gives the limits of a part of a plan, within these: what reads at most,
// with the tools named, and no more questions and calls than it says itself (0
// says nothing).
func (l Limits) Reading(tools []string, iterations, calls int) Limits {
	l.EnabledTools = both(l.EnabledTools, tools)
	if !AtMost(l.SideEffects, tool.Reads) {
		l.SideEffects = tool.Reads
	}
	if iterations > 0 {
		l.MaxIterations = stricter(l.MaxIterations, DefaultMaxIterations, &iterations)
	}
	if calls > 0 {
		l.MaxToolCalls = stricter(l.MaxToolCalls, DefaultMaxToolCalls, &calls)
	}
	return l
}

// both gives the tools that are in two lists of allowed ones; have is nil where
// all are.
func both(have, given []string) []string {
	out := []string{}
	for _, name := range given {
		if have == nil || slices.Contains(have, name) {
			out = append(out, name)
		}
	}
	return out
}
