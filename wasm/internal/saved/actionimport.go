package saved

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/reach"
	"embedded-agent/wasm/internal/tool"
)

// Export writes actions as JSON that Import reads: those that p names, or where it
// names none, all of the person's own.
func (s *Saved) Export(ctx context.Context, p protocol.Export) (protocol.Exported, error) {
	b, err := s.deps.Library.Export(ctx, p.IDs)
	return protocol.Exported{JSON: string(b)}, err
}

// Import reads an export; it keeps it only once the person has seen what
// it may touch.
func (s *Saved) Import(ctx context.Context, p protocol.Import) (protocol.Imported, error) {
	list, err := action.Parse([]byte(p.JSON))
	if err != nil {
		return protocol.Imported{}, err
	}
	out := protocol.Imported{Actions: s.Views(list), Review: s.importReview(list)}
	if !p.Confirm {
		return out, nil
	}
	if err := s.deps.Library.Import(ctx, list, ids.New); err != nil {
		return protocol.Imported{}, err
	}
	out.Kept, out.Actions = true, s.Views(list) // under the ids that they have now
	_, err = s.tellActions(ctx)
	return out, err
}

// importReview says in words what imported actions may touch.
func (s *Saved) importReview(list []*action.Action) []protocol.Message {
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

// touches says in words what an action may touch: a sentence for each of the
// gravest things that it does, and one for each other thing that a person would
// want to know of.
func (s *Saved) touches(a *action.Action, p *plan.Plan) []protocol.Message {
	if a.Plan == nil {
		return []protocol.Message{{Key: "import.prompt", Params: map[string]string{"name": a.Name, "goal": p.Goal}}}
	}
	return reachWords(a.Name, p.Goal, reach.Of(p, s.deps.Registry))
}

// reachWords says what a plan may touch. What only a run can tell is said to be
// anything.
func reachWords(name, goal string, r reach.Reach) []protocol.Message {
	// Each of these is told, whatever else the action does.
	var most []string
	if r.Runs {
		most = append(most, "import.commands")
	}
	if r.Sends {
		most = append(most, "import.sends")
	}
	if r.Deletes {
		most = append(most, "import.deletes")
	}
	if r.Renames {
		most = append(most, "import.renames")
	}
	switch {
	case len(most) > 0:
	case r.Risk == tool.RiskWrites || r.Anywhere || len(r.Folders) > 0:
		most = append(most, "import.writes")
	default:
		most = append(most, "import.readOnly")
	}
	var out []protocol.Message
	for _, key := range most {
		out = append(out, protocol.Message{Key: key, Params: map[string]string{"name": name, "goal": goal}})
	}
	say := func(key string, names ...string) {
		if len(names) > 0 {
			out = append(out, protocol.Message{Key: key, Params: map[string]string{
				"name": name, "n": strconv.Itoa(len(names)), "names": strings.Join(names, ", "),
			}})
		}
	}
	if r.Anywhere {
		say("import.anywhere", name)
	}
	say("import.inFolders", r.Folders...)
	sayNamed := func(key, any string, names []string) {
		if slices.Contains(names, reach.Unknown) {
			say(any, name)
		}
		say(key, slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == reach.Unknown })...)
	}
	sayNamed("import.whichCommands", "import.anyCommand", r.Commands)
	sayNamed("import.hosts", "import.anyHost", r.Hosts)
	if r.Model {
		say("import.model", name)
	}
	if r.Code {
		say("import.code", name)
	}
	say("import.gone", r.Gone...)
	return out
}
