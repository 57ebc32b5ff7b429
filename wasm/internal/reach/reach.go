// Package reach says what a plan may touch before it is simulated: for the
// review of an import, for the list of saved actions, and for what a change to
// one would allow it.
//
// It asks the tools (tool.TouchOf), so that there is no second idea of what a
// call writes. What a plan leaves open, a parameter or what another step gives,
// is filled with a mark: where the mark comes out in a path, the path is known
// up to the folder before it, and where it is not known at all it is said to be
// anywhere. What is said is never less than what a run can do.
package reach

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

// Reach says which paths a plan may touch, and what else it may do.
type Reach struct {
	Risk             tool.Risk
	Deletes, Renames bool
	Model, Code      bool
	// Runs: commands of the app; Sends: data to the network.
	Runs, Sends bool
	// Anywhere: it writes to notes that only a run can tell. Folders, otherwise,
	// are where it writes, with all that is below.
	Anywhere bool
	Folders  []string
	// Commands, Hosts and Gone (tools that are not there) are named as the plan
	// has them; Unknown stands for one that only a run can tell.
	Commands, Hosts, Gone []string
}

// Unknown is a name that only a run can tell.
const Unknown = "?"

// Tools is where a plan's tools are looked up.
type Tools interface {
	Get(name, version string) (*tool.Entry, error)
}

// mark stands for what a plan leaves open. No path has it by chance, and no rule
// for paths changes it.
const mark = "qzxunknownxzq"

// RiskOf gives the risk of a plan alone, which its tools say without its
// arguments: a list of plans costs no schema.
func RiskOf(p *plan.Plan, tools Tools) tool.Risk {
	risk := tool.ReadOnly
	for i := range p.Steps {
		if e, err := entryOf(&p.Steps[i], tools); err == nil {
			risk = risk.Max(e.SideEffects.Risk())
		}
	}
	return risk
}

// entryOf gives the tool of a step.
func entryOf(step *plan.Step, tools Tools) (*tool.Entry, error) {
	name, version, _ := strings.Cut(step.Tool, "@")
	return tools.Get(name, cmp.Or(step.Version, version))
}

// Of gives what a plan may touch.
func Of(p *plan.Plan, tools Tools) Reach {
	r := Reach{Risk: tool.ReadOnly}
	folders, commands, hosts, gone := set{}, set{}, set{}, set{}
	for i := range p.Steps {
		step := &p.Steps[i]
		e, err := entryOf(step, tools)
		if err != nil {
			name, _, _ := strings.Cut(step.Tool, "@")
			gone[name] = true
			continue
		}
		args, err := e.NormaliseArgs(step.Args)
		risk := e.EffectsOf(args).Risk()
		if err != nil {
			// Which of two spellings counts is not known; a run would refuse it.
			risk = e.SideEffects.Risk()
			r.Anywhere = r.Anywhere || risk == tool.RiskWrites
			args = step.Args
		}
		r.Risk = r.Risk.Max(risk)
		closed := closedArgs(e, args)
		switch {
		case risk != tool.RiskCommands:
		case e.Sends():
			r.Sends = true
		default:
			r.Runs = true
		}
		r.Model = r.Model || e.Facts.AsksModel
		r.Code = r.Code || e.Facts.RunsScript
		if e.Facts.RunsCommand {
			commands[literal(args["id"])] = true
		}
		if e.Facts.Requests != "" {
			hosts[hostOf(args["url"])] = true
		}
		if risk == tool.RiskWrites {
			r.add(e.TouchOf(closed), folders)
		}
	}
	if !r.Anywhere {
		r.Folders = folders.outermost()
	}
	r.Commands, r.Hosts, r.Gone = commands.sorted(), hosts.sorted(), gone.sorted()
	return r
}

func (r *Reach) add(t tool.Touch, folders set) {
	r.Anywhere = r.Anywhere || t.Anywhere
	r.Deletes = r.Deletes || t.Deletes
	r.Renames = r.Renames || t.Renames
	for _, f := range t.Files {
		r.folder(f, false, folders)
	}
	for _, f := range t.Folders {
		r.folder(f, true, folders)
	}
}

// folder notes the folder of a path, or the path itself where it is one. The root
// is anywhere.
func (r *Reach) folder(path string, isFolder bool, folders set) {
	if at := strings.Index(path, mark); at >= 0 {
		path, isFolder = path[:strings.LastIndexByte(path[:at], '/')+1], true
	}
	clean, err := vaultpath.CleanFolder(path)
	if err == nil && !isFolder {
		clean = vaultpath.Parent(clean)
	}
	if err != nil || clean == "" {
		r.Anywhere = true
		return
	}
	folders[clean] = true
}

// Covers says whether writing a path was said.
func (r *Reach) Covers(path string) bool {
	return r.Anywhere || slices.ContainsFunc(r.Folders, func(f string) bool { return vaultpath.Under(path, f) })
}

// Beyond gives what a plan may touch that another one may not: what changes when
// it takes the other's place.
func (r Reach) Beyond(old Reach) Reach {
	out := Reach{
		Risk: tool.ReadOnly, Deletes: r.Deletes && !old.Deletes, Renames: r.Renames && !old.Renames,
		Model: r.Model && !old.Model, Code: r.Code && !old.Code,
		Runs: r.Runs && !old.Runs, Sends: r.Sends && !old.Sends, Anywhere: r.Anywhere && !old.Anywhere,
	}
	if r.Risk.Max(old.Risk) != old.Risk {
		out.Risk = r.Risk
	}
	for _, f := range r.Folders {
		if !old.Covers(f) {
			out.Folders = append(out.Folders, f)
		}
	}
	more := func(now, before []string) []string {
		return slices.DeleteFunc(slices.Clone(now), func(s string) bool { return s != Unknown && slices.Contains(before, s) })
	}
	out.Commands, out.Hosts, out.Gone = more(r.Commands, old.Commands), more(r.Hosts, old.Hosts), more(r.Gone, old.Gone)
	return out
}

// Nothing says whether a reach is none at all.
func (r Reach) Nothing() bool {
	return r.Risk == tool.ReadOnly && !r.Model && !r.Code && !r.Deletes && !r.Renames && !r.Anywhere && !r.Runs && !r.Sends &&
		len(r.Folders)+len(r.Commands)+len(r.Hosts)+len(r.Gone) == 0
}

// closedArgs fills what arguments leave open with what could be the worst: a mark
// in texts and lists, yes for a switch.
func closedArgs(e *tool.Entry, args map[string]any) tool.Args {
	out := tool.Args{}
	kinds := e.ArgTypes()
	for name, v := range args {
		s, isText := v.(string)
		switch {
		case !isText || !open(s):
			out[name] = closed(v)
		case kinds[name] == "array":
			out[name] = []any{mark}
		case kinds[name] == "boolean":
			out[name] = true
		default:
			out[name] = known(s)
		}
	}
	return out
}

func closed(v any) any {
	switch v := v.(type) {
	case string:
		return known(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = closed(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = closed(e)
		}
		return out
	}
	return v
}

// open says whether a text has something in it that is filled in: a reference, a
// parameter, or an escape, which is not worth reading here.
func open(s string) bool { return strings.ContainsAny(s, `${\`) }

// known gives a text up to what is filled in, and the mark for the rest.
func known(s string) string {
	if at := strings.IndexAny(s, `${\`); at >= 0 {
		return s[:at] + mark
	}
	return s
}

func literal(v any) string {
	s, ok := v.(string)
	if !ok || open(s) {
		return Unknown
	}
	return s
}

// hostOf gives the host of an address, as far as it is known. One that is there
// in part only could be any.
func hostOf(v any) string {
	s, ok := v.(string)
	if !ok {
		return Unknown
	}
	scheme, rest, found := strings.Cut(s, "://")
	if !found || open(scheme) {
		return Unknown
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host := rest[:end]
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	if host == "" || open(rest[:end]) {
		return Unknown
	}
	return strings.ToLower(host)
}

type set map[string]bool

func (s set) sorted() []string { return slices.Sorted(maps.Keys(s)) }

// outermost leaves out folders that are in others.
func (s set) outermost() []string {
	var out []string
	for _, f := range s.sorted() {
		if !slices.ContainsFunc(out, func(o string) bool { return vaultpath.Under(f, o) }) {
			out = append(out, f)
		}
	}
	return out
}
