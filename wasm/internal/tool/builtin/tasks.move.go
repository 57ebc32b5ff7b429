package builtin

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

func tasksMove() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "tasks.move", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"from": "path", "source": "path", "target": "to", "destination": "to", "newPath": "to"},
		},
		Run: moveTasks,
		Claims: func(args tool.Args) []string {
			return append(claimPath(args), claimPath(tool.Args{"path": args.String("to")})...)
		},
	})
}

func moveTasks(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	from, source, err := readNote(ctx, env, args.String("path"))
	if err == nil {
		err = onlyNote(from)
	}
	if err != nil {
		return nil, err
	}
	to, target, err := readNote(ctx, env, args.String("to"))
	if fault.Is(err, fault.NotFound) && args.Bool("create") {
		to, target, err = "", nil, nil
	}
	if err != nil {
		return nil, err
	}
	d := note.Parse(source)
	found, err := newTaskFilter(args).find(d, from, true)
	switch {
	case err != nil:
		return nil, err
	case to == from && args.Bool("keep"):
		return nil, fault.New(fault.Validation, "tools.tasks.same", fault.P{"path": from})
	case to == from:
		return moveTasksWithin(ctx, env, d, from, withoutBelow(d, found), args)
	}
	path := to
	if path == "" {
		if path, err = newFilePath(env.Platform.Name, tool.Args{"path": args.String("to")}); err != nil {
			return nil, err
		}
	}
	names, err := namesOf(ctx, env)
	if err != nil {
		return nil, err
	}
	var groups []group
	found = withoutBelow(d, found) // these go along with the task above them
	for _, n := range found {
		task := string(relocate(env, names, from, path).text([]byte(d.ItemText(n))))
		groups = addToGroup(groups, d, n, task, args.Bool("withHeading"))
	}
	if names.err != nil {
		return nil, names.err
	}
	if len(found) == 0 {
		return tool.Data{"from": from, "to": orArg(to, args.String("to")), "moved": 0}, nil
	}
	before, known := target, tasksAt(target)
	for _, g := range groups {
		target = putTasks(target, g, known, args)
	}
	if to == "" {
		if to, err = newFile(ctx, env, tool.Args{"path": args.String("to")}); err == nil {
			err = apply(ctx, env, host.Op{Kind: host.OpCreate, Path: to, Data: target}, source)
		}
	} else {
		_, err = modify(ctx, env, to, before, target, source)
	}
	if err != nil {
		return nil, err
	}
	// The tasks are in their new place before they leave the old one: what goes
	// wrong between leaves them twice, never nowhere.
	if !args.Bool("keep") {
		if _, err := modify(ctx, env, from, source, d.CutItems(found)); err != nil {
			return nil, err
		}
	}
	return tool.Data{"from": from, "to": to, "moved": len(found)}, nil
}

func orArg(s, arg string) string {
	if s == "" {
		return arg
	}
	return s
}

// group is the tasks that stood under one heading, of a level from 1.
type group struct {
	heading string
	level   int
	tasks   []string
}

// addToGroup adds a task to those of its heading; all are one group where the
// headings do not go along.
func addToGroup(groups []group, d *note.Doc, item int, task string, byHeading bool) []group {
	heading, level := "", 2
	if n := d.HeadingOf(d.Items[item].Start); n >= 0 && byHeading {
		heading, level = d.Headings[n].Text, d.Headings[n].Level
	}
	i := slices.IndexFunc(groups, func(g group) bool { return g.heading == heading })
	if i < 0 {
		i, groups = len(groups), append(groups, group{heading: heading, level: level})
	}
	groups[i].tasks = append(groups[i].tasks, task)
	return groups
}

// tasksAt gives the tasks at the top of a note's lists, each with all below it,
// by their first line. What stands in code or in a quote is not one of them.
func tasksAt(data []byte) map[string][]string {
	d := note.Parse(data)
	out := map[string][]string{}
	for i := range d.Items {
		it := &d.Items[i]
		if it.Task() && it.Depth == 0 && !bytes.Contains(it.Indent.Of(data), []byte(">")) {
			text := d.ItemText(i)
			first, _, _ := strings.Cut(text, "\n")
			out[first] = append(out[first], text)
		}
	}
	return out
}

// holdsTask says whether a task is among those given, perhaps with more below it.
func holdsTask(known map[string][]string, task string) bool {
	first, _, _ := strings.Cut(task, "\n")
	return slices.ContainsFunc(known[first], func(have string) bool {
		rest, ok := strings.CutPrefix(have, task)
		return ok && (rest == "" || rest[0] == '\n')
	})
}

// putTasks adds a group of tasks to the target: under the heading given, or
// under the one they stood under, or at the end. Tasks that are there already
// are not added again.
func putTasks(data []byte, g group, known map[string][]string, args tool.Args) []byte {
	heading, level := args.String("toHeading"), 2
	if g.heading != "" {
		heading, level = g.heading, g.level
	}
	var fresh []string
	for _, t := range g.tasks {
		if !holdsTask(known, t) {
			fresh = append(fresh, t)
		}
	}
	text := strings.Join(fresh, "\n")
	switch {
	case text == "":
		return data
	case strings.Trim(heading, "# \t") != "":
		out, _ := note.InsertUnderLevel(data, heading, level, text, false)
		return out
	}
	return note.Append(data, text)
}
