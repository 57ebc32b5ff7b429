package builtin

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

func vaultDelete() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "vault.delete", Category: "data", SideEffects: tool.Writes, Facts: tool.Facts{Deletes: true},
			Aliases: map[string]string{"file_path": "path", "file": "path", "folder": "path"},
		},
		Run: trash,
		Claims: func(args tool.Args) []string {
			if vaultpath.Ext(strings.TrimSpace(args.String("path"))) == "" {
				return claimAll(args) // a folder, perhaps: everything in it
			}
			return claimPath(args)
		},
		// A folder, or a note without its extension: both are in the folder above.
		Touches: func(args tool.Args) tool.Touch {
			return tool.Touch{Files: []string{args.String("path")}, Deletes: true}
		},
	})
}

func trash(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	if clean, err := vaultpath.CleanFolder(args.String("path")); err == nil && clean == "" {
		return nil, fault.New(fault.Precondition, "tools.path.root", nil)
	}
	info, err := find(ctx, env, args.String("path"))
	if err != nil {
		return nil, err
	}
	if info.Kind == host.File {
		return tool.Data{"path": info.Path, "kind": "file"}, trashFile(ctx, env, info.Path)
	}
	below, err := env.Vault.Walk(ctx, info.Path)
	if err != nil {
		return nil, err
	}
	// Deepest first, and what is in a folder before the folder: every step can
	// be taken back by itself.
	sorting.Func(below, func(a, b host.Info) int {
		if d := strings.Count(b.Path, "/") - strings.Count(a.Path, "/"); d != 0 {
			return d
		}
		return strings.Compare(a.Path, b.Path)
	})
	all := append(slices.Clip(below), info)
	for i, e := range all {
		if e.Kind == host.File {
			err = trashFile(ctx, env, e.Path)
		} else {
			err = apply(ctx, env, host.Op{Kind: host.OpRmdir, Path: e.Path})
		}
		if err != nil {
			return nil, err
		}
		env.Progress(tool.Progress{Done: i + 1, Total: len(all)})
	}
	return tool.Data{"path": info.Path, "kind": "folder"}, nil
}
