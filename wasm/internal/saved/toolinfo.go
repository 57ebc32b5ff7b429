package saved

import (
	"context"
	"slices"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// ToolsList describes every version of every tool for the selector. Blocked
// ones are not in it: they cannot be found, and do not run (docs/design/tool-calls.md#side-effects).
func (s *Saved) ToolsList(ctx context.Context, _ protocol.Empty) (protocol.ToolList, error) {
	out := protocol.ToolList{Tools: []protocol.ToolInfo{}}
	list, err := s.deps.Library.List(ctx)
	if err != nil {
		return out, err
	}
	used := s.usedBy(list)
	pinned := map[string]bool{}
	for _, name := range s.deps.Guard.Settings().PinnedTools {
		pinned[name] = true
	}
	for _, e := range s.deps.Registry.All() {
		if e.Lifecycle == tool.Blocked {
			continue
		}
		info := protocol.ToolInfo{
			Name: e.Name, Version: e.Version, Lifecycle: string(e.Lifecycle), Category: e.Category,
			SideEffects: string(e.SideEffects), Description: e.Description, Enabled: s.deps.Guard.Offered(e), Simulable: e.Simulable,
			Pinned: pinned[e.Name], Replacement: e.Replacement, UsedBy: used[e.ID()],
		}
		if v := s.deps.Guard.Policy().Decide(e, nil); v.Effect == policy.Deny {
			info.Refused = &protocol.Message{Key: v.Key, Params: v.Params}
		}
		if info.Auth, info.Scope, err = s.auth(ctx, e); err != nil {
			return out, err
		}
		out.Tools = append(out.Tools, info)
	}
	return out, nil
}

// auth says whether a tool has the secrets that it may need, and from which scope
// the widest of them comes: those it always needs, and where its calls name
// theirs, all that the settings and the organisation name for tools.
func (s *Saved) auth(ctx context.Context, e *tool.Entry) (auth, scope string, err error) {
	names := slices.Clone(e.Secrets)
	if e.SecretsOf != nil { // each call names its own, of those that there are
		names = append(names, s.deps.Guard.NamedSecrets()...)
	}
	if len(names) == 0 {
		return "", "", nil
	}
	_, scope, err = s.deps.Guard.Secrets().Resolve(ctx, e, names, "")
	switch {
	case fault.Is(err, fault.Auth):
		return "missing", "", nil
	case err != nil:
		return "", "", err
	}
	return "set", scope, nil
}

// usedBy names the saved actions that use each tool, by name@version; a step
// that pins no version uses the one that it would get now.
func (s *Saved) usedBy(list []*action.Action) map[string][]string {
	out := map[string][]string{}
	for _, a := range list {
		p, err := a.Template()
		if err != nil || p == nil {
			continue
		}
		seen := map[string]bool{}
		for i := range p.Steps {
			id := s.toolOf(&p.Steps[i])
			if id != "" && !seen[id] {
				seen[id] = true
				out[id] = append(out[id], a.Name)
			}
		}
	}
	return out
}

func (s *Saved) toolOf(step *plan.Step) string {
	e, err := s.deps.Registry.Get(step.Tool, step.Version)
	if err != nil {
		return ""
	}
	return e.ID()
}
