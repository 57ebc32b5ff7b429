package guard

import (
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/quota"
)

// The bounds of scripts where the settings name none: milliseconds and megabytes.
const (
	defaultCodeMs = 5_000
	defaultCodeMB = 128
)

// withDefaults fills what the person has not set.
func withDefaults(s protocol.Settings) protocol.Settings {
	positive := func(n *int, def int) {
		if *n <= 0 {
			*n = def
		}
	}
	if s.Provider == "" {
		s.Provider = protocol.ProviderOpenAI
		if s.DemoURL != "" && s.KeyName == "" {
			s.Provider = protocol.ProviderDemo
		}
	}
	if s.Confirm == "" {
		s.Confirm = protocol.ConfirmAlways
	}
	positive(&s.MaxAttempts, 3)
	positive(&s.MaxBackoffMs, 60_000)
	positive(&s.TimeoutMs, 60_000)
	positive(&s.MaxConcurrency, 8)
	positive(&s.MaxSteps, plan.DefaultMaxSteps)
	positive(&s.MaxCalls, 20_000)
	positive(&s.MaxPlanMB, quota.DefaultMB)
	s.MaxPlanMB = min(s.MaxPlanMB, quota.MaxMB)
	positive(&s.CodeMaxMs, defaultCodeMs)
	positive(&s.CodeMaxMB, defaultCodeMB)
	positive(&s.KeepRuns, 100)
	positive(&s.KeepDays, 365)
	positive(&s.AgentIterations, limits.DefaultMaxIterations)
	positive(&s.AgentCalls, limits.DefaultMaxToolCalls)
	if s.KeepBytes <= 0 {
		s.KeepBytes = 500 << 20
	}
	return s
}
