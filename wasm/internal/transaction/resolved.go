package transaction

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/tool"
)

// callsAt gives the calls of a step as they were simulated, in order, but for those
// that were made before; those that were not reached are missing.
func (rv *Review) callsAt(place int) []*tool.Call {
	var out []*tool.Call
	for s := range rv.calls(place, place+1) {
		if rv.prior[s.seq()] == nil {
			out = append(out, s.call)
		}
	}
	return out
}

// deedLines says what a plan is still to run and to send: each call as it was
// simulated, with the values that it is going to have, and not in the plan's own
// words. Of a step that the simulation did not reach, the step is named.
func deedLines(rv *Review) []protocol.SummaryLine {
	var commands, sends []string
	for place, n := range rv.graph.Nodes {
		if n.Tool.SideEffects != tool.Commands || rv.behind(place) {
			continue
		}
		list := &commands
		if n.Tool.Sends() {
			list = &sends
		}
		calls := rv.callsAt(place)
		for _, c := range calls {
			*list = append(*list, rv.deedName(n.Tool, c))
		}
		if len(calls) == 0 && len(rv.Report.Steps[place].Results) == 0 && rv.Report.Steps[place].Cause != nil {
			*list = append(*list, n.Step.ID)
		}
	}
	var lines []protocol.SummaryLine
	for _, l := range []struct {
		key   string
		names []string
	}{{"review.commands", commands}, {"review.sends", sends}} {
		if len(l.names) > 0 {
			lines = append(lines, deedLine(l.key, l.names))
		}
	}
	return lines
}

// inline is how many deeds are named in the sentence itself; more are listed
// below it.
const inline = 3

func deedLine(key string, names []string) protocol.SummaryLine {
	p := map[string]string{"n": strconv.Itoa(len(names)), "names": strings.Join(names, ", ")}
	if len(names) > inline {
		key += ".many"
		delete(p, "names")
		for i, name := range names {
			names[i] = strconv.Itoa(i+1) + ". " + name
		}
	}
	return protocol.SummaryLine{Tone: "command", Paths: names, Text: protocol.Message{Key: key, Params: p}}
}

// deedName names a call of a tool that does something which cannot be shown.
func (rv *Review) deedName(e *tool.Entry, c *tool.Call) string {
	switch {
	case e.Facts.RunsCommand:
		id := c.Args.String("id")
		if name := rv.commands[id]; name != "" && name != id {
			return name + " (" + id + ")"
		}
		return id
	case e.Sends():
		r := guard.RequestOf(e, c.Args)
		host := r.Host
		if r.Shown != "" {
			host = r.Shown + " = " + r.Host
		}
		return host + " (" + r.Method + ")"
	}
	return c.Tool
}

// commandsOf gives the names that the app's palette has for commands, by id; nil
// for a plan that runs none.
func (s *simulator) commandsOf(ctx context.Context, g *plan.Graph) map[string]string {
	for _, n := range g.Nodes {
		if n.Tool.Facts.RunsCommand {
			return s.deps.Guard.CommandNames(ctx)
		}
	}
	return nil
}

// UnknownCommands finds the commands that a plan names and the app does not have.
// An id that comes out of another step is looked at when the plan is simulated.
func (s *simulator) UnknownCommands(ctx context.Context, g *plan.Graph) []plan.Problem {
	var out []plan.Problem
	var names map[string]string
	for _, n := range g.Nodes {
		id, literal := n.Step.Args["id"].(string)
		if !n.Tool.Facts.RunsCommand || !literal || strings.ContainsAny(id, "${") {
			continue
		}
		if names == nil {
			if names = s.deps.Guard.CommandNames(ctx); names == nil {
				return nil // what the app has cannot be read: the run will find out
			}
		}
		if _, known := names[id]; known {
			continue
		}
		out = append(out, plan.Problem{
			Step: n.Step.ID, Field: "args.id", Key: "tools.commands.unknownNear",
			Params: map[string]string{"id": id, "near": nearCommands(id, names)},
		})
	}
	return out
}

// maxNear is how many commands are named in the place of one that is not there.
const maxNear = 8

// nearCommands lists the commands that share most words with an id.
func nearCommands(id string, names map[string]string) string {
	words := func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	wanted := words(id)
	shared := map[string]int{}
	ids := slices.Sorted(maps.Keys(names))
	for _, known := range ids {
		for _, w := range words(known + " " + names[known]) {
			if slices.Contains(wanted, w) {
				shared[known]++
			}
		}
	}
	sorting.StableFunc(ids, func(a, b string) int { return shared[b] - shared[a] })
	var out []string
	for _, known := range ids[:min(len(ids), maxNear)] {
		out = append(out, known+" ("+names[known]+")")
	}
	if len(out) == 0 {
		return "—"
	}
	return strings.Join(out, ", ")
}
