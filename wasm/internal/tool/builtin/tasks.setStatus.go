package builtin

import (
	"context"
	"slices"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

func tasksSetStatus() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "tasks.setStatus", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"file_path": "path", "files": "paths", "state": "to"},
		},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			to := args.String("to")
			switch to {
			case "done":
				to = "x"
			case "open":
				to = " "
			}
			if err := checkState(to); err != nil {
				return nil, err
			}
			s, err := noteTargets(ctx, env, args)
			if err != nil {
				return nil, err
			}
			filter := newTaskFilter(args)
			return editMany(ctx, env, s, func(i host.Info, data []byte) ([]byte, int, error) {
				d := note.Parse(data)
				found, err := filter.find(d, i.Path, args.Has("path"))
				if err != nil {
					return nil, 0, err
				}
				if args.Bool("withSubtasks") {
					found = withDescendants(d, found)
				}
				out, n := d.SetTaskState(func(i int) (string, bool) {
					_, ok := slices.BinarySearch(found, i)
					return to, ok
				})
				return out, n, nil
			})
		},
		Claims: claimTargets, Touches: touchTargets,
	})
}

// withDescendants adds the items below those of a sorted list.
func withDescendants(d *note.Doc, items []int) []int {
	in := make([]bool, len(d.Items))
	for _, i := range items {
		in[i] = true
	}
	var out []int
	for i := range d.Items {
		if p := d.Items[i].Parent; p >= 0 && in[p] {
			in[i] = true
		}
		if in[i] {
			out = append(out, i)
		}
	}
	return out
}
