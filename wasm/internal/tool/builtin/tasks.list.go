package builtin

import (
	"context"
	"errors"

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
		Run: listTasks, Cut: cutOf("tasks"), Found: &tool.Found{List: "tasks", Columns: []string{"path", "title", "heading"}, Words: plainWords("finding.tasks"), Each: true},
	})
}

func listTasks(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	s, err := targets(ctx, env, args)
	if err != nil {
		return nil, err
	}
	part := pageOf(env, args, 1000)
	filter := newTaskFilter(args)
	tasks := []any{}
	err = s.read(ctx, env, func(i host.Info, data []byte) error {
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
	return s.tell(part.tell(tool.Data{"tasks": tasks})), nil
}
