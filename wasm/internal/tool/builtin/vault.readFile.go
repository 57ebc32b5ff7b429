package builtin

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

func vaultReadFile() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: ReadFile, Category: "data", SideEffects: tool.Reads,
			Aliases: map[string]string{
				"file_path": "path", "file": "path", "filename": "path", "section": "heading",
				"offset": "fromLine", "startLine": "fromLine", "endLine": "toLine",
			},
		},
		Run: readFile,
	})
}

func readFile(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	info, err := findFile(ctx, env, args.String("path"))
	if err != nil {
		return nil, err
	}
	if kind := imageType(info.Path); kind != "" && kind != svgType {
		return readImage(ctx, env, info, kind)
	}
	data, err := readText(ctx, env, info)
	if err != nil {
		return nil, err
	}
	part, err := section(info.Path, data, args)
	if err != nil {
		return nil, err
	}
	return tool.Data{
		"path": info.Path, "content": string(part), "etag": host.Etag(data), "size": len(data),
	}, nil
}

// section gives the part of a note that the arguments name, or all of it.
func section(path string, data []byte, args tool.Args) ([]byte, error) {
	switch {
	case args.Has("heading"):
		d := note.Parse(data)
		n, err := headingIndex(d, path, args.String("heading"))
		if err != nil {
			return nil, err
		}
		return d.Section(n).Of(data), nil
	case args.Has("block"):
		d := note.Parse(data)
		s, ok := d.BlockWithID(trimCaret(args.String("block")))
		if !ok {
			return nil, fault.New(fault.NotFound, "tools.block.missing", fault.P{"path": path, "block": args.String("block")})
		}
		return s.Of(data), nil
	case args.Has("fromLine") || args.Has("toLine"):
		d := note.Parse(data)
		from, to := max(args.Int("fromLine"), 1)-1, d.Lines()
		if args.Has("toLine") {
			to = min(args.Int("toLine"), to)
		}
		if from >= to {
			return nil, nil
		}
		return data[d.LineSpan(from).Start:d.LineSpan(to-1).End], nil
	}
	return data, nil
}

func trimCaret(id string) string {
	if len(id) > 0 && id[0] == '^' {
		return id[1:]
	}
	return id
}
