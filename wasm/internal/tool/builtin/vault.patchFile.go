package builtin

import (
	"bytes"
	"context"
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

func vaultPatchFile() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "vault.patchFile", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{
				"file_path": "path", "old_string": "find", "old_text": "find", "new_string": "replace", "new_text": "replace",
				"insertBefore": "before", "insertAfter": "after", "section": "heading",
			},
		},
		Run: func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			return editNote(ctx, env, args.String("path"), func(i host.Info, data []byte) ([]byte, error) {
				return patch(i.Path, data, args)
			})
		},
		Claims: claimPath,
	})
}

// patch makes the one change that the arguments ask for.
func patch(path string, data []byte, args tool.Args) ([]byte, error) {
	ways := 0
	for _, w := range []string{"replace", "before", "after", "content"} {
		if args.Has(w) {
			ways++
		}
	}
	byText := args.Has("find") && !given(args, "heading") && !args.Has("content")
	bySection := given(args, "heading") && args.Has("content") && !args.Has("find")
	if ways != 1 || !byText && !bySection {
		return nil, fault.New(fault.Validation, "tools.patch.ways", nil)
	}
	if bySection {
		d := note.Parse(data)
		n, err := headingIndex(d, path, args.String("heading"))
		if err != nil {
			return nil, err
		}
		return d.ReplaceSection(n, args.String("content")), nil
	}
	find := []byte(args.String("find"))
	if !bytes.Contains(data, find) { // models often write "\n" where the note has "\r\n"
		find = []byte(note.WithEOL(args.String("find"), data))
	}
	switch n := bytes.Count(data, find); {
	case len(find) == 0 || n == 0:
		return nil, fault.New(fault.NotFound, "tools.patch.notFound", fault.P{"path": path})
	case n > 1 || bytes.Contains(data[bytes.Index(data, find)+1:], find):
		return nil, fault.New(fault.Conflict, "tools.patch.ambiguous", fault.P{"path": path, "n": strconv.Itoa(max(n, 2))})
	}
	at := bytes.Index(data, find)
	var edits note.Edits
	text := func(name string) string { return note.WithEOL(args.String(name), data) }
	switch {
	case args.Has("replace"):
		edits.Replace(note.Span{Start: at, End: at + len(find)}, text("replace"))
	case args.Has("before"):
		edits.Insert(at, text("before"))
	default:
		edits.Insert(at+len(find), text("after"))
	}
	return edits.Apply(data), nil
}
