package modelstep

import (
	"strings"
	"sync"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

// Pin is a named output of an agent: the result of one tool
// (docs/design/invocation.md#outputs). It stays when the tool is switched off,
// so nothing that reads it breaks.
type Pin struct {
	Name      string    `json:"name"`
	Selector  Selector  `json:"selector"`
	OnMissing OnMissing `json:"on_missing,omitempty"`
}

// Selector says which call fills a pin. Tool is a name, or name@version.
type Selector struct {
	Tool     string   `json:"tool"`
	Strategy Strategy `json:"strategy,omitempty"`
	CallID   string   `json:"call_id,omitempty"`
}

// Strategy chooses among several calls.
type Strategy string

// The strategies; empty is latest.
const (
	Latest       Strategy = "latest"
	FirstSuccess Strategy = "first_success"
	ByCallID     Strategy = "by_call_id"
)

// OnMissing gives the value of a pin that no call fills: none was made, or the
// one that was chosen failed.
type OnMissing string

// The ways; empty is null.
const (
	MissingNull  OnMissing = "null"
	MissingError OnMissing = "error"
	MissingStale OnMissing = "stale_last_success"
)

// LastValues keeps the last value of each pin, for stale_last_success. Key
// names the pin; whoever hands a LastValues in makes keys of different agents
// differ.
type LastValues interface {
	Last(key string) (value any, ok bool)
	Keep(key string, value any)
}

// MemoryValues is a LastValues in memory.
type MemoryValues struct {
	mu     sync.Mutex // guards values
	values map[string]any
}

// Last gives what was kept.
func (m *MemoryValues) Last(key string) (any, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.values[key]
	return v, ok
}

// Keep keeps a value.
func (m *MemoryValues) Keep(key string, value any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values == nil {
		m.values = map[string]any{}
	}
	m.values[key] = value
}

// CheckPins says what is wrong with a list of pins: VALIDATION_ERROR. A tool
// that is not there, or not enabled, is no mistake.
func CheckPins(pins []Pin) error {
	seen := map[string]bool{}
	for _, p := range pins {
		problem := ""
		switch {
		case !identifier(p.Name):
			problem = "its name is not a word"
		case seen[p.Name]:
			problem = "its name is used twice"
		case p.Selector.Tool == "":
			problem = "it names no tool"
		case !p.Selector.Strategy.known():
			problem = "its strategy is not known"
		case p.Selector.Strategy == ByCallID && p.Selector.CallID == "":
			problem = "it chooses by call_id and names none"
		case !p.OnMissing.known():
			problem = "its on_missing is not known"
		}
		if problem != "" {
			return fault.New(fault.Validation, "agent.pin.invalid", fault.P{"name": p.Name, "problem": problem})
		}
		seen[p.Name] = true
	}
	return nil
}

func (s Strategy) known() bool {
	return s == "" || s == Latest || s == FirstSuccess || s == ByCallID
}

func (o OnMissing) known() bool {
	return o == "" || o == MissingNull || o == MissingError || o == MissingStale
}

func identifier(s string) bool {
	for i, c := range s {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// ResolvePins gives every pin's value, the output of the call that it chooses.
// Every pin is in the answer. NOT_FOUND names the first pin whose on_missing is
// error and which has no value. Last may be nil; then nothing is ever stale.
func ResolvePins(pins []Pin, out Outputs, last LastValues) (map[string]any, error) {
	if err := CheckPins(pins); err != nil {
		return nil, err
	}
	values := make(map[string]any, len(pins))
	for _, p := range pins {
		value, found := p.Selector.choose(out)
		switch {
		case found && last != nil:
			last.Keep(p.Name, value)
		case found:
		case p.OnMissing == MissingError:
			return nil, fault.New(fault.NotFound, "agent.pin.missing", fault.P{"name": p.Name, "tool": p.Selector.Tool})
		case p.OnMissing == MissingStale && last != nil:
			value, _ = last.Last(p.Name)
		}
		values[p.Name] = value
	}
	return values, nil
}

// choose gives the output of the selected call; false when there is none.
func (s Selector) choose(out Outputs) (any, bool) {
	e := s.Call(out)
	if e == nil {
		return nil, false
	}
	return e.Output, true
}

// Call gives the call that the selector chooses; nil where there is none, or
// the one that it chooses failed.
func (s Selector) Call(out Outputs) *tool.Envelope {
	if s.Strategy == ByCallID {
		e, ok := out.ToolsByID[s.CallID]
		if !ok || !s.fits(e) || !Succeeded(e) {
			return nil
		}
		return &e
	}
	var chosen *tool.Envelope
	for _, id := range out.ToolOrder {
		e, ok := out.ToolsByID[id]
		if !ok || !s.fits(e) {
			continue
		}
		if s.Strategy == FirstSuccess && Succeeded(e) {
			return &e
		}
		chosen = &e
	}
	if s.Strategy == FirstSuccess || chosen == nil || !Succeeded(*chosen) {
		return nil
	}
	return chosen
}

func (s Selector) fits(e tool.Envelope) bool {
	name, version, _ := strings.Cut(s.Tool, "@")
	return e.Name == name && (version == "" || e.Version == version)
}
