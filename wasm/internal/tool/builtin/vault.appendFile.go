package builtin

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

func vaultAppendFile() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "vault.appendFile", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"file_path": "path", "file": "path", "text": "content", "section": "heading"},
		},
		Run:    appendFile,
		Claims: claimPath,
	})
}

func appendFile(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	data, err := editNote(ctx, env, args.String("path"), func(_ host.Info, data []byte) ([]byte, error) {
		return appendText(data, args), nil
	})
	if !fault.Is(err, fault.NotFound) || args.String("ifMissing") != "create" {
		return data, err
	}
	path, err := newFile(ctx, env, tool.Args{"path": args.String("path")})
	if err != nil {
		return nil, err
	}
	text := appendText(nil, args)
	if err := apply(ctx, env, host.Op{Kind: host.OpCreate, Path: path, Data: text}); err != nil {
		return nil, err
	}
	return tool.Data{"path": path, "etag": host.Etag(text), "changed": true}, nil
}

func appendText(data []byte, args tool.Args) []byte {
	text := args.String("content")
	if args.Bool("skipIfPresent") && holdsLines(string(data), text) {
		return data
	}
	if given(args, "heading") {
		out, _ := note.InsertUnder(data, args.String("heading"), text, args.String("position") == "start")
		return out
	}
	if args.String("position") == "start" {
		return note.Prepend(data, text)
	}
	return note.Append(data, text)
}
