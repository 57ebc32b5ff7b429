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
		},
		Run: listTasks,
	})
}

func listTasks(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	infos, err := targets(ctx, env, args)
	if err != nil {
		return nil, err
	}
	limit := 1000
	if args.Has("limit") {
		limit = args.Int("limit")
	}
	filter := newTaskFilter(args)
	tasks := []any{}
	err = readAll(ctx, env, infos, func(i host.Info, data []byte) error {
		d := note.Parse(data)
		found, err := filter.find(d, i.Path, args.Has("path"))
		if err != nil {
			return err
		}
		for _, n := range found {
			if args.Bool("topLevel") && hasAncestor(d, n, found) {
				continue
			}
			if len(tasks) == limit {
				return errEnough
			}
			tasks = append(tasks, taskData(d, i.Path, n))
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return tool.Data{"tasks": tasks, "truncated": err != nil}, nil
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

// hasAncestor says whether an item stands below another of a sorted list.
func hasAncestor(d *note.Doc, n int, among []int) bool {
	in := map[int]bool{}
	for _, m := range among {
		in[m] = true
	}
	for p := d.Items[n].Parent; p >= 0; p = d.Items[p].Parent {
		if in[p] {
			return true
		}
	}
	return false
}
