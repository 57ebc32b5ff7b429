// Package tool holds what a tool is: its Spec, the Registry of name@version,
// the Call that runs it, the Result it gives, and the Envelope (receipt) that
// is derived from both.
//
// A tool is a pure description plus one function. It sees the world only
// through the Env it is handed, whose Vault is the overlay or the journaled
// vault; so the same function simulates and executes. A built-in tool lives in
// builtin/ as one .go, one .md (what the model reads) and one .schema.json.
package tool

import (
	"context"
	"encoding/json"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/quota"
)

// Error and its codes are shared by the whole program.
type Error = fault.Error

// Args is a call's materialised arguments, valid under the tool's input
// schema. The getters give the zero value for what is absent.
type Args map[string]any

// Data is a tool's output, valid under its output schema. Values are as
// encoding/json decodes them, or int, int64, []string, []any, map[string]any.
type Data map[string]any

// SideEffects is the most that a tool can do (docs/design/tool-calls.md#side-effects).
type SideEffects string

// From harmless to most far-reaching.
const (
	None     SideEffects = "none"
	Reads    SideEffects = "reads"
	Writes   SideEffects = "writes"
	Commands SideEffects = "commands"
)

// Risk is a plan's or call's risk level (docs/design/tool-calls.md#side-effects).
type Risk string

// The three levels.
const (
	ReadOnly     Risk = "read-only"
	RiskWrites   Risk = "writes"
	RiskCommands Risk = "commands"
)

// Risk gives the level that side effects amount to.
func (s SideEffects) Risk() Risk {
	switch s {
	case None, Reads:
		return ReadOnly
	case Writes:
		return RiskWrites
	}
	return RiskCommands // unknown counts as the worst
}

// Max gives the higher of two levels.
func (r Risk) Max(o Risk) Risk {
	rank := func(x Risk) int {
		switch x {
		case ReadOnly:
			return 0
		case RiskWrites:
			return 1
		}
		return 2
	}
	if rank(o) > rank(r) {
		return o
	}
	return r
}

// Lifecycle is the state of one version of a tool (docs/design/tool-calls.md#side-effects).
type Lifecycle string

// The states: deprecated runs and warns, blocked never runs.
const (
	Active     Lifecycle = "active"
	Deprecated Lifecycle = "deprecated"
	Blocked    Lifecycle = "blocked"
)

// CachePolicy says whether results may be reused (docs/design/tool-calls.md#identity).
type CachePolicy string

// The policies.
const (
	CacheNone    CachePolicy = "none"
	CacheTTL     CachePolicy = "ttl"
	CacheForever CachePolicy = "forever"
)

// Flags say what a tool needs or allows beside its side effects
// (docs/design/tool-calls.md#side-effects).
type Flags struct {
	OwnerOnly     bool `json:"ownerOnly,omitempty"`     // only from the interface, never from a link
	Elevated      bool `json:"elevated,omitempty"`      // asks every time
	WorkspaceOnly bool `json:"workspaceOnly,omitempty"` // vault only
	// Unstoppable: once begun it runs to its end, whoever cancels it.
	Unstoppable bool `json:"unstoppable,omitempty"`
}

// Example is one use of a tool: it stands on the tool's page, and runs as a test.
type Example struct {
	Name string `json:"name"`
	// Given is the vault before: path to text. Selection marks the active
	// note's selected text with "⟦" and "⟧".
	Given  map[string]string `json:"given,omitempty"`
	Active string            `json:"active,omitempty"`
	Args   Args              `json:"args"`
	// Output is the call's output (fields left out are not compared); Error
	// is the code of the failure instead.
	Output Data       `json:"output,omitempty"`
	Error  fault.Code `json:"error,omitempty"`
	// Then is the vault after, of the paths named; null for a path that is
	// gone.
	Then map[string]*string `json:"then,omitempty"`
}

// Spec describes one version of a tool.
type Spec struct {
	Name        string          `json:"name"` // dotted: vault.createFile
	Version     string          `json:"version"`
	Lifecycle   Lifecycle       `json:"lifecycle"`
	Category    string          `json:"category"` // api, code, data, search, utility
	SideEffects SideEffects     `json:"sideEffects"`
	Cache       CachePolicy     `json:"cache"`
	CacheTTLS   float64         `json:"cacheTtlS,omitempty"`
	Simulable   bool            `json:"simulable"`
	Flags       Flags           `json:"flags"`
	Facts       Facts           `json:"-"`
	Description string          `json:"description"` // Markdown, for the model
	Input       json.RawMessage `json:"inputSchema"` // draft-07, refuses unknown properties
	Output      json.RawMessage `json:"outputSchema"`
	Timeout     time.Duration   `json:"-"` // zero: the policy's
	// Secrets names the secrets the tool needs.
	Secrets []string `json:"secrets,omitempty"`
	// Limit names the argument that bounds how much a call gives; "" for none. A
	// plan's step that does not name it gets everything.
	Limit string `json:"limit,omitempty"`
	// Replacement is the tool to use instead of a deprecated one.
	Replacement string `json:"replacement,omitempty"`
	// Aliases maps other parameter names that models use to the tool's own
	// (docs/design/tool-calls.md#names); camelCase and snake_case are folded already.
	Aliases map[string]string `json:"-"`
}

// ID gives name@version.
func (s *Spec) ID() string { return s.Name + "@" + s.Version }

// Namespace gives the part before the dot: the envelope's category.
func (s *Spec) Namespace() string {
	for i := range len(s.Name) {
		if s.Name[i] == '.' {
			return s.Name[:i]
		}
	}
	return s.Name
}

// Env is all that a running tool can reach. Editor, Workspace and Commands are
// nil where the host has none; tools that need them fail with
// PRECONDITION_FAILED.
type Env struct {
	Vault     host.Vault
	Editor    host.Editor
	Workspace host.Workspace
	Commands  host.Commands
	// Sandbox, HTTP and Plugins are nil where the host has none, or where the
	// settings leave them off.
	Sandbox host.Sandbox
	Script  host.ScriptLimits
	HTTP    Fetcher
	Plugins PluginSearcher
	// Quota counts what a plan makes; nil has no limit.
	Quota    *quota.Plan
	Model    ForModel
	Platform host.Platform
	// Now is the run's clock, fixed in the simulation.
	Now time.Time
	// Secrets holds what stands for the secrets that the call needs, by the names
	// that the tool has for them; never logged.
	Secrets map[string]string
	// Call is the call itself, for what must be the same each time it is made.
	Call *Call
	// Progress reports how far a long call is. Never nil. A call that comes further
	// has all its time again, so that what takes long is not taken for hung.
	Progress func(p Progress)
}

// ForModel has the parts that are there only where a model reads the output, or is asked.
type ForModel struct {
	// Paged: a model reads the output, so that long lists come in pages. In a plan
	// they come whole.
	Paged bool
	// Image, where the model can look at images, makes one fit for it: the media
	// type and the bytes that go to the model. Nil elsewhere, as in a plan.
	Image func(ctx context.Context, mediaType string, data []byte) (string, []byte, error)
	// Kept gives an output that was too long to be told, by the name under which it
	// was kept; nil where nothing is.
	Kept func(ctx context.Context, name string) ([]byte, error)
	// Ask makes a model step; nil where no model is asked, as in a run.
	Ask func(ctx context.Context, env *Env, args Args) (Data, error)
}

// Progress is how far a call is: Done of Total, and how many of what it looks for
// it has Found so far.
type Progress struct{ Done, Total, Found int }

// Tool is a Spec with what it does. Run must return when ctx ends; it gives
// *Error values. It must not keep Env.
type Tool struct {
	Spec
	Run func(ctx context.Context, env *Env, args Args) (Data, error)
	// Claims names what a call may write, so that two calls with one claim in
	// common keep their source order and never run at once. Paths are folded
	// by the caller. Nil: the tool writes nothing. A claim of "*" waits for
	// everything before it and holds up everything after.
	Claims func(args Args) []string
	// Touches says what a call may do to notes, where its claims say more than it
	// does, or less (a claim is for order; a note in a folder that is removed is
	// not one). See TouchOf.
	Touches func(args Args) Touch
	// Pretend gives what a simulation assumes of a tool that cannot be
	// simulated.
	Pretend func(args Args) Data
	// Cut says how much of what there is an output holds, where Limit cut it: 0, 0
	// where nothing was. A total of -1 is not known. Nil: nothing ever is.
	Cut func(d Data) (shown, total int)
	// Found says how a person is told what a call found; nil: as any value.
	Found *Found
	// Deed says how a person is told what a call did.
	Deed Deed
	// Check, of a tool that cannot be simulated, says while a plan is simulated
	// whether a call could be made at all.
	Check func(ctx context.Context, env *Env, args Args) error
	// SecretsOf names the secrets that one call needs beside those of the Spec.
	SecretsOf func(args Args) []string
}

// String gives a string argument.
func (a Args) String(name string) string { s, _ := a[name].(string); return s }

// Bool gives a boolean argument.
func (a Args) Bool(name string) bool { b, _ := a[name].(bool); return b }

// Has says whether the argument was given and is not null.
func (a Args) Has(name string) bool { return a[name] != nil }

// Int gives a whole-number argument.
func (a Args) Int(name string) int {
	switch n := a[name].(type) {
	case float64:
		return int(n)
	case int:
		return n
	case int64:
		return int(n)
	case json.Number:
		f, _ := n.Float64()
		return int(f)
	}
	return 0
}

// List gives a list argument.
func (a Args) List(name string) []any { l, _ := a[name].([]any); return l }
