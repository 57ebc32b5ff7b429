package builtin

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/outline"
	"embedded-agent/wasm/internal/tool"
)

func noteSort() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "note.sort", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"file_path": "path", "section": "heading", "order": "by", "reverse": "descending", "nested": "deep"},
		},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			return editNote(ctx, env, args.String("path"), func(i host.Info, data []byte) ([]byte, error) {
				if err := onlyNote(i.Path); err != nil {
					return nil, err
				}
				d := note.Parse(data)
				part := note.Span{Start: 0, End: len(data)}
				if given(args, "heading") {
					n, err := sectionNamed(d, i.Path, args.String("heading"))
					if err != nil {
						return nil, err
					}
					part = n.Span
					part.Start = d.Headings[n.Heading].End
				}
				out, err := sortPart(d, part, args)
				return out, outlineError(i.Path, err)
			})
		},
		Claims: claimPath,
	})
}

func sortPart(d *note.Doc, part note.Span, args tool.Args) ([]byte, error) {
	sections, done := args.String("what") == "sections", args.String("by") == "done"
	if sections && done {
		return nil, fault.New(fault.Validation, "tools.sort.done", nil)
	}
	sign := 1
	if args.Bool("descending") {
		sign = -1
	}
	if sections {
		titles := make([]string, len(d.Headings))
		for i := range titles {
			titles[i] = note.Title(d.Headings[i].Text)
		}
		level := args.Int("level")
		if level == 0 {
			level = sortLevel(d, part)
		}
		return outline.SortSections(d, part, level, func(a, b int) int { return sign * outline.Natural(titles[a], titles[b]) })
	}
	if done {
		rank := func(i int) int {
			if it := &d.Items[i]; it.Task() && note.Done(string(it.State.Of(d.Data))) {
				return sign
			}
			return 0
		}
		return outline.SortItems(d, part, args.Bool("deep"), func(a, b int) int { return rank(a) - rank(b) })
	}
	titles := make([]string, len(d.Items))
	for i := range titles {
		titles[i] = note.Title(string(d.Items[i].Text.Of(d.Data)))
	}
	return outline.SortItems(d, part, args.Bool("deep"), func(a, b int) int { return sign * outline.Natural(titles[a], titles[b]) })
}

// sortLevel gives the level to sort at: the highest that is there more than once.
func sortLevel(d *note.Doc, part note.Span) int {
	var count [7]int
	for _, s := range outline.Sections(d) {
		if s.Start >= part.Start && s.Start < part.End {
			count[s.Level]++
		}
	}
	for l := 1; l < len(count); l++ {
		if count[l] > 1 {
			return l
		}
	}
	return 1
}
