package builtin

import (
	"context"
	"errors"
	"strings"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

func tasksList() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "tasks.list", Category: "data", SideEffects: tool.Reads,
			Aliases: map[string]string{"file_path": "path", "files": "paths", "query": "text"},
			Limit:   "limit",
		},
		Run: listTasks, Cut: cutOf("tasks"),
	})
}

func listTasks(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	infos, err := targets(ctx, env, args)
	if err != nil {
		return nil, err
	}
	part := pageOf(env, args, 1000)
	filter := newTaskFilter(args)
	tasks := []any{}
	err = readAll(ctx, env, infos, func(i host.Info, data []byte) error {
		d := note.Parse(data)
		found, err := filter.find(d, i.Path, args.Has("path"))
		if err != nil {
			return err
		}
		if args.Bool("topLevel") {
			found = withoutBelow(d, found)
		}
		for _, n := range found {
			if part.take() {
				tasks = append(tasks, taskData(d, i.Path, n))
			} else if part.enough() {
				return errEnough
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return part.tell(tool.Data{"tasks": tasks}), nil
}

func taskData(d *note.Doc, path string, n int) map[string]any {
	it := &d.Items[n]
	text := strings.TrimRight(string(it.Text.Of(d.Data)), " \t\r")
	return map[string]any{
		"path": path, "line": it.Line + 1, "text": text, "title": note.Title(text), "status": string(it.State.Of(d.Data)),
		"done": note.Done(string(it.State.Of(d.Data))), "depth": it.Depth, "heading": headingText(d, it.Start),
		"content": d.ItemText(n),
	}
}

// withoutBelow leaves out of a sorted list the items that stand below another one
// of it.
func withoutBelow(d *note.Doc, items []int) []int {
	covered := make([]bool, len(d.Items)) // is in the list, or below one that is
	for _, i := range items {
		covered[i] = true
	}
	var out []int
	at := 0
	for i := range d.Items {
		p := d.Items[i].Parent
		below := p >= 0 && covered[p]
		if at < len(items) && items[at] == i {
			if at++; !below {
				out = append(out, i)
			}
		}
		covered[i] = covered[i] || below
	}
	return out
}
