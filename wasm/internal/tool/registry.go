package tool

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"embedded-agent/wasm/internal/digest"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/text"
)

// Entry is a registered tool with its schemas, compiled at first use: a start
// that compiled all of them would be felt.
type Entry struct {
	Tool
	input, output func() (*Schema, error)
	paths         func() map[string]string
}

// Registry maps name@version to tools (docs/design/tool-calls.md#names). It is built
// once and then only read.
type Registry struct {
	byID   map[string]*Entry
	byName map[string][]*Entry // newest last
	names  []string
	// version is the hash of every name@version.
	version string
}

// NewRegistry registers tools. It refuses a Spec that is incomplete, a version
// registered twice, and names that would collide on the wire.
func NewRegistry(tools ...Tool) (*Registry, error) {
	r := &Registry{byID: map[string]*Entry{}, byName: map[string][]*Entry{}}
	wire := map[string]string{}
	for _, t := range tools {
		if err := checkSpec(&t.Spec); err != nil {
			return nil, err
		}
		if _, twice := r.byID[t.ID()]; twice {
			return nil, fmt.Errorf("tool %s is registered twice", t.ID())
		}
		w := WireName(t.Name)
		if other, taken := wire[w]; taken && other != t.Name {
			return nil, fmt.Errorf("tools %s and %s are both %s on the wire", other, t.Name, w)
		}
		wire[w] = t.Name
		e := &Entry{Tool: t}
		e.input = sync.OnceValues(func() (*Schema, error) { return CompileSchema(e.ID()+"/input", e.Input) })
		e.output = sync.OnceValues(func() (*Schema, error) { return CompileSchema(e.ID()+"/output", e.Output) })
		e.paths = sync.OnceValue(func() map[string]string { return pathArgs(e.Input) })
		r.byID[t.ID()] = e
		if r.byName[t.Name] == nil {
			r.names = append(r.names, t.Name)
		}
		r.byName[t.Name] = append(r.byName[t.Name], e)
	}
	slices.Sort(r.names)
	r.version = versionOf(slices.Sorted(maps.Keys(r.byID)))
	for _, es := range r.byName {
		sorting.Func(es, func(a, b *Entry) int { return compareVersions(a.Version, b.Version) })
	}
	return r, nil
}

func checkSpec(s *Spec) error {
	switch {
	case s.Name == "" || strings.Count(s.Name, ".") != 1 || strings.Contains(s.Name, "__"):
		return fmt.Errorf("tool %q: a name is namespace.verb", s.Name)
	case s.Version == "":
		return fmt.Errorf("tool %s has no version", s.Name)
	case s.Description == "":
		return fmt.Errorf("tool %s has no description", s.Name)
	case len(s.Input) == 0 || len(s.Output) == 0:
		return fmt.Errorf("tool %s lacks a schema", s.Name)
	}
	return s.Facts.check(s)
}

// WireName gives the name that providers accept, who refuse dots (docs/design/tool-calls.md#names).
func WireName(name string) string { return strings.Replace(name, ".", "__", 1) }

// FromWire undoes WireName.
func FromWire(wire string) string { return strings.Replace(wire, "__", ".", 1) }

// Get finds a tool. An empty version means the newest that is not blocked. A
// tool that is not there is NOT_FOUND, one that is blocked is POLICY_DENIED.
func (r *Registry) Get(name, version string) (*Entry, error) {
	es := r.byName[name]
	if len(es) == 0 {
		if near := r.closest(name); near != "" {
			return nil, fault.New(fault.NotFound, "error.tool.unknown", fault.P{"tool": name, "near": near})
		}
		return nil, fault.New(fault.NotFound, "error.tool.none", fault.P{"tool": name})
	}
	if version == "" {
		for _, e := range slices.Backward(es) {
			if e.Lifecycle != Blocked {
				return e, nil
			}
		}
		return nil, fault.New(fault.Denied, "error.tool.blocked", fault.P{"tool": name})
	}
	e := r.byID[name+"@"+version]
	switch {
	case e == nil:
		return nil, fault.New(fault.NotFound, "error.tool.version", fault.P{"tool": name, "version": version})
	case e.Lifecycle == Blocked:
		return nil, fault.New(fault.Denied, "error.tool.blocked", fault.P{"tool": e.ID()})
	}
	return e, nil
}

// Names lists the tools' names, sorted.
func (r *Registry) Names() []string { return r.names }

// All lists every version of every tool, by name, oldest first.
func (r *Registry) All() []*Entry {
	var all []*Entry
	for _, n := range r.names {
		all = append(all, r.byName[n]...)
	}
	return all
}

// Version names the registry's contents, for the envelopes: it changes when a
// tool is added or removed, or its version moves.
func (r *Registry) Version() string { return r.version }

func versionOf(ids []string) string {
	sum := digest.Sum256([]byte(strings.Join(ids, "\n")))
	return "tools-" + hex.EncodeToString(sum[:8])
}

// closest gives the registered name that looks most like the one asked for.
func (r *Registry) closest(name string) string {
	best, score := "", 0
	for _, n := range r.names {
		s := text.CommonPrefix(n, name) + text.CommonSuffix(n, name)
		if s > score {
			best, score = n, s
		}
	}
	return best
}

func compareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, y := as[i], bs[i]
		if len(x) != len(y) { // numbers without leading zeros
			return len(x) - len(y)
		}
		if c := strings.Compare(x, y); c != 0 {
			return c
		}
	}
	return len(as) - len(bs)
}

// InputSchema gives the compiled input schema.
func (e *Entry) InputSchema() (*Schema, error) { return e.input() }

// OutputSchema gives the compiled output schema.
func (e *Entry) OutputSchema() (*Schema, error) { return e.output() }

// CheckInput validates materialised arguments: VALIDATION_ERROR.
func (e *Entry) CheckInput(args Args) error {
	s, err := e.input()
	if err != nil {
		return err
	}
	vs := s.Validate(map[string]any(args))
	if vs == nil {
		return nil
	}
	if err := e.unknown(s, args, vs); err != nil {
		return err
	}
	return invalid(e.Name, vs)
}

// unknown names an argument that the tool does not have, with the name that was
// probably meant; nil where the tool has them all, or is open to others.
func (e *Entry) unknown(s *Schema, args Args, vs []Violation) error {
	open := !slices.ContainsFunc(vs, func(v Violation) bool {
		return v.Path == "" && strings.HasPrefix(v.Message, "additionalProperties")
	})
	if open {
		return nil
	}
	names := slices.Sorted(maps.Keys(s.Properties()))
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if slices.Contains(names, name) {
			continue
		}
		params := fault.P{"tool": e.Name, "name": name, "fields": strings.Join(names, ", ")}
		if near := text.Closest(name, names); near != "" {
			params["near"] = near
			return fault.New(fault.Validation, "error.plan.args.unknownNear", params)
		}
		return fault.New(fault.Validation, "error.plan.args.unknown", params)
	}
	return nil
}

// CheckOutput validates what the tool gave. A miss is the tool's own mistake:
// INTERNAL_ERROR.
func (e *Entry) CheckOutput(data Data) error {
	s, err := e.output()
	if err != nil {
		return err
	}
	if vs := s.Validate(Plain(data)); vs != nil {
		return fault.New(fault.Internal, "error.tool.output", fault.P{"tool": e.ID(), "problems": invalid(e.Name, vs).Params["problems"]})
	}
	return nil
}

// SecretNames names the secrets that a call needs.
func (e *Entry) SecretNames(args Args) []string {
	if e.SecretsOf == nil {
		return e.Secrets
	}
	return append(slices.Clone(e.Secrets), e.SecretsOf(args)...)
}

// PathArgs names the arguments that hold paths, with what their schema says of
// them in x-path: "existing", "new" or "folder".
func (e *Entry) PathArgs() map[string]string { return e.paths() }

// ArgTypes gives the type of each argument as its schema says it ("" where it may
// be several).
func (e *Entry) ArgTypes() map[string]string {
	var root struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	out := map[string]string{}
	if json.Unmarshal(e.Input, &root) != nil {
		return out // CheckInput reports it
	}
	for name, p := range root.Properties {
		out[name], _ = p.Type.(string)
	}
	return out
}

// InputProperties names the input's properties; nil where the schema is none.
func (e *Entry) InputProperties() map[string]bool {
	s, err := e.input()
	if err != nil {
		return nil
	}
	out := map[string]bool{}
	for name := range s.Properties() {
		out[name] = true
	}
	return out
}

// pathArgs reads the x-path annotations of an input schema, without compiling
// it: every saved action's tools are asked for theirs when the core starts.
func pathArgs(input json.RawMessage) map[string]string {
	out := map[string]string{}
	var root struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(input, &root) != nil {
		return nil // CheckInput reports it
	}
	for name, raw := range root.Properties {
		var p struct {
			Path string `json:"x-path"`
		}
		if json.Unmarshal(raw, &p) == nil && p.Path != "" {
			out[name] = p.Path
		}
	}
	return out
}
