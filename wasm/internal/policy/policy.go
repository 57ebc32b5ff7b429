// Package policy decides: allow, ask or deny, and the reason. It is pure: no
// I/O, no clock. An error in a guard is a denial.
//
// The settings and an organisation's policy file, which can only tighten them,
// are the policy's only sources. Nothing that a model or a note
// says can change it (docs/ARCHITECTURE.md#principles).
package policy

import (
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

// Origin is who started something.
type Origin string

// The origins: the panel, or a link or schedule outside it.
const (
	FromInterface Origin = "interface"
	FromLink      Origin = "link"
)

// Policy is the settings as guards read them.
type Policy struct {
	// Confirm says which plans are asked about. Deletes, renames, commands and
	// imported or changed actions are asked about whatever it says.
	Confirm       protocol.Confirm
	AllowCommands bool
	AllowDeletes  bool
	AllowRenames  bool
	AllowHTTP     bool
	// EnabledTools is the allow-list by name; nil allows every tool.
	EnabledTools map[string]bool
	// Forbidden are tools that an organisation's policy refuses.
	Forbidden map[string]bool
	// Closed is why nothing at all may run, such as an organisation's policy that
	// cannot be read; nil when something may.
	Closed *fault.Error
	// Ceiling is the most that a tool may do; "" is no ceiling.
	Ceiling tool.SideEffects
	Sandbox tool.Sandbox
	Limits  tool.Limits
	Origin  Origin
	// Platform is where new names must be legal besides everywhere else.
	Platform string
	// Readable are hidden files that tools may read all the same, by their whole
	// path: settings of the app that they work by.
	Readable []string
}

// Effect is a decision.
type Effect int

// The decisions. The zero value denies: guards fail closed.
const (
	Deny Effect = iota
	Ask
	Allow
)

// Verdict is a decision with its reason: a message key with parameters.
type Verdict struct {
	Effect Effect
	Key    string
	Params fault.P
}

// Error gives a denial as an error.
func (v Verdict) Error() *fault.Error { return fault.New(fault.Denied, v.Key, v.Params) }

func deny(key string, p fault.P) Verdict { return Verdict{Deny, key, p} }

// Decide judges one call by its tool and its literal path arguments.
func (p *Policy) Decide(e *tool.Entry, args tool.Args) Verdict {
	name := fault.P{"tool": e.Name}
	switch {
	case p.Closed != nil:
		return deny(p.Closed.Key, p.Closed.Params)
	case e.Lifecycle == tool.Blocked:
		return deny("error.tool.blocked", name)
	case p.EnabledTools != nil && !p.EnabledTools[e.Name]:
		return deny("policy.toolDisabled", name)
	case p.Forbidden[e.Name]:
		return deny("policy.forbidden", name)
	case e.Flags.OwnerOnly && p.Origin != FromInterface:
		return deny("policy.ownerOnly", name)
	case rank(e.EffectsOf(args)) > rank(p.ceiling()):
		return deny("policy.ceiling", name)
	case e.Facts.Requests != "" && !p.AllowHTTP:
		return deny("policy.httpOff", name)
	case e.SideEffects == tool.Commands && e.Facts.Requests == "" && !p.AllowCommands:
		// What a request sends cannot be taken back either, but requests have a
		// switch of their own.
		return deny("policy.commandsOff", name)
	}
	for arg := range e.PathArgs() {
		path, ok := args[arg].(string)
		if !ok || path == "" {
			continue
		}
		if err := p.CheckPath(path); err != nil {
			f := fault.From(err)
			return deny(f.Key, f.Params)
		}
	}
	if e.Flags.Elevated || !e.Simulable {
		return Verdict{Ask, "policy.asksEachTime", name}
	}
	return Verdict{Effect: Allow}
}

// Offers says whether a model hears of a tool: not of one that would be refused
// whatever its arguments are, or that exists for what the settings forbid.
func (p *Policy) Offers(e *tool.Entry) bool {
	switch {
	case e.SideEffects == tool.Commands && e.Facts.Requests == "" && !p.AllowCommands,
		e.Facts.Requests != "" && !p.AllowHTTP, e.Facts.Deletes && !p.AllowDeletes, e.Facts.Renames && !p.AllowRenames:
		return false
	}
	return p.EnabledTools == nil || p.EnabledTools[e.Name]
}

func (p *Policy) ceiling() tool.SideEffects {
	if p.Ceiling == "" {
		return tool.Commands
	}
	return p.Ceiling
}

func rank(s tool.SideEffects) int {
	switch s {
	case tool.None:
		return 0
	case tool.Reads:
		return 1
	case tool.Writes:
		return 2
	}
	return 3
}

// CheckPath says whether a path may be touched at all: inside the vault, not
// hidden, under an allowed folder, matching no refused pattern.
func (p *Policy) CheckPath(path string) error {
	clean, err := vaultpath.Clean(path)
	if err != nil {
		return err
	}
	if p.Platform == vaultpath.Windows {
		if err := vaultpath.CheckShort(clean); err != nil {
			return err
		}
	}
	if p.Sandbox.Enabled && !vaultpath.AllowedClean(clean, p.Sandbox) {
		return fault.New(fault.Denied, "error.path.denied", fault.P{"path": path})
	}
	return nil
}

// MaySee says whether a path may be seen: told by name, read, or counted. It is
// the one rule for everything that leaves the vault, to a model, a tool, a log or
// a file elsewhere; package sight lays it over each port of a host. The root
// itself holds nothing and may be seen: what is in it is judged by its own path.
func (p *Policy) MaySee(path string) error {
	if path == "" || slices.Contains(p.Readable, path) {
		return nil
	}
	if err := p.CheckPath(path); err != nil {
		// What may not be seen is not named either.
		return fault.New(fault.From(err).Code, "error.path.unseen", nil)
	}
	return nil
}

// CheckOp guards every single write, whatever tool makes it.
func (p *Policy) CheckOp(op host.Op) error {
	switch {
	case p.Closed != nil:
		return p.Closed
	case op.Kind == host.OpRemove:
		return fault.New(fault.Denied, "policy.removeOnlyByRevert", fault.P{"path": op.Path})
	case op.Kind == host.OpTrash && !p.AllowDeletes, op.Kind == host.OpRmdir && !p.AllowDeletes:
		return fault.New(fault.Denied, "policy.deletesOff", fault.P{"path": op.Path})
	case op.Kind == host.OpRename && !p.AllowRenames:
		return fault.New(fault.Denied, "policy.renamesOff", fault.P{"path": op.Path})
	}
	if err := p.CheckPath(op.Path); err != nil {
		return err
	}
	made := ""
	switch op.Kind {
	case host.OpCreate, host.OpMkdir:
		made = op.Path
	case host.OpRename:
		made = op.To
		if err := p.CheckPath(op.To); err != nil {
			return err
		}
	}
	if made == "" {
		return nil
	}
	// Only the name that is made: the folders above it may have been there before
	// this plugin, under names that it would not give.
	return vaultpath.CheckNameOn(p.Platform, made)
}

// CheckUndo guards every single write that takes back, or finishes, a run of
// this device: what the run did was allowed and approved, so the switches for
// deletes and renames do not keep a person from undoing it, and names that were
// there before may be there again. What may not be touched may not be touched.
func (p *Policy) CheckUndo(op host.Op) error {
	if p.Closed != nil {
		return p.Closed
	}
	if err := p.CheckPath(op.Path); err != nil {
		return err
	}
	if op.Kind == host.OpRename {
		return p.CheckPath(op.To)
	}
	return nil
}

// Asks says whether a person must approve a run with these effects.
func (p *Policy) Asks(risk tool.Risk, deletesOrRenames bool) bool {
	switch {
	case deletesOrRenames, risk == tool.RiskCommands:
		return true
	case p.Confirm == protocol.ConfirmNever:
		return false
	case p.Confirm == protocol.ConfirmWrites:
		return risk != tool.ReadOnly
	}
	return true
}

// Snapshot gives the policy as envelopes carry it.
func (p *Policy) Snapshot() tool.PolicySnapshot {
	return tool.PolicySnapshot{
		ConfirmationsRequired: p.Confirm != protocol.ConfirmNever,
		Sandbox:               p.Sandbox,
		Limits:                p.Limits,
	}
}
