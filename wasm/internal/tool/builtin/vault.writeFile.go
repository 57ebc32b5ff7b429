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

func vaultWriteFile() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "vault.writeFile", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"file_path": "path", "file": "path", "text": "content", "contents": "content"},
		},
		Run:    writeFile,
		Claims: claimPath,
	})
}

func writeFile(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	data := []byte(args.String("content"))
	info, err := findFile(ctx, env, args.String("path"))
	switch {
	case fault.Is(err, fault.NotFound) && args.String("ifMissing") != "error":
		path, err := newFile(ctx, env, tool.Args{"path": args.String("path")})
		if err != nil {
			return nil, err
		}
		if err := apply(ctx, env, host.Op{Kind: host.OpCreate, Path: path, Data: data}); err != nil {
			return nil, err
		}
		return tool.Data{"path": path, "etag": host.Etag(data), "created": true}, nil
	case err != nil:
		return nil, err
	}
	before, err := readText(ctx, env, info)
	if err != nil {
		return nil, err
	}
	etag, err := modify(ctx, env, info.Path, before, rewritten(before, args.String("content")))
	if err != nil {
		return nil, err
	}
	return tool.Data{"path": info.Path, "etag": etag, "created": false}, nil
}

// rewritten gives a note's new text with the line ends and the byte order mark
// that it has: a model does not see them, and they are not what was to change.
func rewritten(before []byte, text string) []byte {
	if bytes.IndexByte(before, '\n') >= 0 {
		text = note.WithEOL(text, before)
	}
	if bytes.HasPrefix(before, []byte(note.BOM)) && !strings.HasPrefix(text, note.BOM) {
		text = note.BOM + text
	}
	return []byte(text)
}
