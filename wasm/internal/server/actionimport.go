package server

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

func (s *Server) actionsExport(ctx context.Context, p protocol.Export) (protocol.Exported, error) {
	b, err := s.library.Export(ctx, p.IDs)
	return protocol.Exported{JSON: string(b)}, err
}

// actionsImport reads an export; it keeps it only once the person has seen what
// it may touch.
func (s *Server) actionsImport(ctx context.Context, p protocol.Import) (protocol.Imported, error) {
	list, err := action.Parse([]byte(p.JSON))
	if err != nil {
		return protocol.Imported{}, err
	}
	out := protocol.Imported{Actions: s.actionViews(list), Review: s.importReview(list)}
	if !p.Confirm {
		return out, nil
	}
	if err := s.library.Import(ctx, list, newID); err != nil {
		return protocol.Imported{}, err
	}
	out.Kept, out.Actions = true, s.actionViews(list) // under the ids that they have now
	_, err = s.tellActions(ctx)
	return out, err
}

// importReview says in words what imported actions may touch.
func (s *Server) importReview(list []*action.Action) []protocol.Message {
	out := []protocol.Message{}
	for _, a := range list {
		p, err := a.Template()
		if err != nil {
			continue
		}
		out = append(out, s.touches(a, p)...)
	}
	return out
}

// reach is what an action's steps may touch.
type reach struct {
	risk             tool.Risk
	deletes, renames bool
	model, code      bool
	anywhere         bool // writes where only a run can tell
	folders          map[string]bool
	commands, hosts  map[string]bool
	gone             map[string]bool
}

// touches says in words what an action may touch: a sentence for each of the
// gravest things that it does, and one for each other thing that a person would
// want to know of.
func (s *Server) touches(a *action.Action, p *plan.Plan) []protocol.Message {
	name := map[string]string{"name": a.Name, "goal": p.Goal}
	if a.Plan == nil {
		return []protocol.Message{{Key: "import.prompt", Params: name}}
	}
	r := s.reachOf(p)
	// Each of these is told, whatever else the action does.
	var most []string
	if r.risk == tool.RiskCommands {
		most = append(most, "import.commands")
	}
	if r.deletes {
		most = append(most, "import.deletes")
	}
	if r.renames {
		most = append(most, "import.renames")
	}
	switch {
	case len(most) > 0:
	case r.risk == tool.RiskWrites:
		most = append(most, "import.writes")
	default:
		most = append(most, "import.readOnly")
	}
	var out []protocol.Message
	for _, key := range most {
		out = append(out, protocol.Message{Key: key, Params: name})
	}
	say := func(key string, things map[string]bool) {
		if len(things) > 0 {
			names := slices.Sorted(maps.Keys(things))
			out = append(out, protocol.Message{Key: key, Params: map[string]string{
				"name": a.Name, "n": strconv.Itoa(len(names)), "names": strings.Join(names, ", "),
			}})
		}
	}
	if r.risk != tool.ReadOnly && !r.anywhere {
		say("import.inFolders", r.folders)
	} else if r.risk != tool.ReadOnly {
		say("import.anywhere", map[string]bool{a.Name: true})
	}
	say("import.whichCommands", r.commands)
	say("import.hosts", r.hosts)
	if r.model {
		say("import.model", map[string]bool{a.Name: true})
	}
	if r.code {
		say("import.code", map[string]bool{a.Name: true})
	}
	say("import.gone", r.gone)
	return out
}

func (s *Server) reachOf(p *plan.Plan) reach {
	r := reach{
		risk: tool.ReadOnly, folders: map[string]bool{}, commands: map[string]bool{},
		hosts: map[string]bool{}, gone: map[string]bool{},
	}
	for i := range p.Steps {
		step := &p.Steps[i]
		name, version := pinned(step)
		e, err := s.registry.Get(name, version)
		if err != nil {
			r.gone[name] = true
			continue
		}
		effects := e.SideEffects.Risk()
		r.risk = r.risk.Max(effects)
		r.deletes = r.deletes || name == "vault.delete" || step.Args["deleteSources"] == true
		r.renames = r.renames || name == "vault.rename"
		r.model = r.model || asksModel(*step)
		r.code = r.code || name == "code.run"
		switch name {
		case "commands.run":
			r.commands[text(step.Args["id"])] = true
		case "http.request", "http.send":
			r.hosts[text(step.Args["url"])] = true
		}
		if effects == tool.RiskWrites {
			r.where(step, e)
		}
	}
	return r
}

// where notes the folders that a step writes to, as far as the plan says.
func (r *reach) where(step *plan.Step, e *tool.Entry) {
	said := false
	for arg, kind := range e.PathArgs() {
		v, ok := step.Args[arg].(string)
		if !ok {
			continue
		}
		if kind != "folder" {
			slash := strings.LastIndexByte(v, '/')
			if slash < 0 || strings.ContainsAny(v[:slash], "{$") {
				continue
			}
			v = v[:slash]
		}
		if v != "" && v != "/" && !strings.ContainsAny(v, "{$") {
			r.folders[v] = true
			said = true
		}
	}
	r.anywhere = r.anywhere || !said
}

func text(v any) string {
	s, ok := v.(string)
	if !ok {
		return "?"
	}
	return s
}
