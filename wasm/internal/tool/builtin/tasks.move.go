package builtin

import (
	"bytes"
	"context"
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
	if to == from {
		return nil, fault.New(fault.Validation, "tools.tasks.same", fault.P{"path": from})
	}
	d := note.Parse(source)
	found, err := newTaskFilter(args).find(d, from, true)
	if err != nil {
		return nil, err
	}
	var groups []group
	moved := 0
	var cut []int
	for _, n := range found {
		if hasAncestor(d, n, found) {
			continue // goes along with the task above it
		}
		cut = append(cut, n)
		moved++
		groups = addToGroup(groups, d, d.Items[n].Start, d.ItemText(n))
	}
	if moved == 0 {
		return tool.Data{"from": from, "to": orArg(to, args.String("to")), "moved": 0}, nil
	}
	before := target
	for _, g := range groups {
		target = putTasks(target, g, args)
	}
	if to == "" {
		if to, err = newFile(ctx, env, tool.Args{"path": args.String("to")}); err == nil {
			_, err = env.Vault.Apply(ctx, host.Op{Kind: host.OpCreate, Path: to, Data: target})
		}
	} else {
		_, err = modify(ctx, env, to, before, target)
	}
	if err != nil {
		return nil, err
	}
	// The tasks are in their new place before they leave the old one: what goes
	// wrong between leaves them twice, never nowhere.
	if !args.Bool("keep") {
		if _, err := modify(ctx, env, from, source, d.CutItems(cut)); err != nil {
			return nil, err
		}
	}
	return tool.Data{"from": from, "to": to, "moved": moved}, nil
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

func addToGroup(groups []group, d *note.Doc, at int, task string) []group {
	heading, level := "", 2
	if n := d.HeadingOf(at); n >= 0 {
		heading, level = d.Headings[n].Text, d.Headings[n].Level
	}
	for i := range groups {
		if groups[i].heading == heading {
			groups[i].tasks = append(groups[i].tasks, task)
			return groups
		}
	}
	return append(groups, group{heading, level, []string{task}})
}

// hasLines says whether a text stands in the data as whole lines: "- [ ] a" is
// not in "- [ ] ab", nor in an item nested below another.
func hasLines(data []byte, text string) bool {
	for from := 0; ; {
		i := bytes.Index(data[from:], []byte(text))
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(text)
		if (start == 0 || data[start-1] == '\n') && (end == len(data) || data[end] == '\n' || data[end] == '\r') {
			return true
		}
		from = start + 1
	}
}

// putTasks adds a group of tasks to the target: under the heading given, or
// under the one they stood under, or at the end. Tasks that are there already
// are not added again.
func putTasks(data []byte, g group, args tool.Args) []byte {
	heading, level := args.String("toHeading"), 2
	if args.Bool("withHeading") && g.heading != "" {
		heading, level = g.heading, g.level
	}
	var fresh []string
	for _, t := range g.tasks {
		if !hasLines(data, note.WithEOL(t, data)) {
			fresh = append(fresh, t)
		}
	}
	text := strings.Join(fresh, "\n")
	switch {
	case text == "":
		return data
	case heading != "":
		out, _ := note.InsertUnderLevel(data, heading, level, text, false)
		return out
	}
	return note.Append(data, text)
}
