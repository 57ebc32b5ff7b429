package guard

import (
	"slices"
	"time"

	"embedded-agent/wasm/internal/moment"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sandbox"
	"embedded-agent/wasm/internal/tool"
)

// Rules gives the rules that a plan is checked against.
func (g *Guard) Rules() plan.Rules {
	g.mu.Lock()
	defer g.mu.Unlock()
	return plan.Rules{
		MaxSteps: g.settings.MaxSteps, MaxAttempts: g.settings.MaxAttempts,
		MaxBackoffMs: int64(g.settings.MaxBackoffMs), MaxTimeoutMs: int64(g.settings.TimeoutMs),
		Sandbox: g.policy.Sandbox, Script: sandbox.Check, Platform: g.host.Platform.Name,
	}
}

// BoundRules are for a plan whose words a person or a note has filled in: text
// that looks like a reference of another step is text.
func (g *Guard) BoundRules() plan.Rules {
	r := g.Rules()
	r.Bound = true
	return r
}

// Offered says which tools a model hears of: those that the policy would not
// refuse anyway, and that can run here.
func (g *Guard) Offered(e *tool.Entry) bool {
	return g.Policy().Offers(e) && (g.host.Sandbox != nil || !e.Facts.RunsScript)
}

// AlwaysDenied are patterns of paths that the settings cannot allow.
var AlwaysDenied = []string{"..", "://"}

// TakeSettings puts settings in force, with the defaults of what is not set. Whatever
// is not one of the ways to ask is the strictest.
func (g *Guard) TakeSettings(in protocol.Settings) {
	in = withDefaults(in)
	roots := in.AllowedRoots
	if len(roots) == 0 {
		roots = []string{"/"}
	}
	deny := append(slices.Clone(AlwaysDenied), in.DenyPatterns...)
	p := &policy.Policy{
		Confirm:       in.Confirm,
		AllowCommands: in.AllowCommands, AllowDeletes: in.AllowDeletes, AllowRenames: in.AllowRenames,
		AllowHTTP: in.AllowHTTP,
		Sandbox:   tool.Sandbox{Enabled: true, AllowedRoots: roots, DenyPatterns: deny},
		Limits: tool.Limits{
			MaxConcurrency: in.MaxConcurrency, MaxAttempts: in.MaxAttempts,
			MaxBackoffMs: int64(in.MaxBackoffMs), MaxTimeoutMs: int64(in.TimeoutMs),
			MaxCalls: in.MaxCalls, MaxOutputBytes: 2 << 20,
		},
		Origin: policy.FromInterface,
	}
	if !slices.Contains([]protocol.Confirm{protocol.ConfirmAlways, protocol.ConfirmWrites, protocol.ConfirmNever}, p.Confirm) {
		p.Confirm = protocol.ConfirmAlways
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	p.Platform, p.Readable = g.host.Platform.Name, g.readable()
	g.settings, g.base = in, p
	g.tighten()
}

// SetPlatform takes over what the app's side says of its app, and gives the zone of the
// person's days.
func (g *Guard) SetPlatform(p protocol.Platform) *time.Location {
	g.mu.Lock()
	defer g.mu.Unlock()
	own := &g.host.Platform
	own.Name, own.AppVersion, own.Language, own.ConfigDir = p.Name, p.AppVersion, p.Language, p.ConfigDir
	own.LinkFormat, own.MarkdownLinks = p.LinkFormat, p.MarkdownLinks
	own.Dates = nil
	if p.Locale != nil {
		// Tables that lack something leave dates in English: another plugin may have
		// changed the app's.
		own.Dates, _ = moment.NewLocale(*p.Locale)
	}
	g.zone = time.FixedZone("", p.UTCOffsetMin*60)
	g.base.Platform, g.base.Readable = p.Name, g.readable()
	g.tighten()
	return g.zone
}
