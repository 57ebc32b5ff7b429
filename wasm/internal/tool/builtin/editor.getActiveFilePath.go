package builtin

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

func editorGetActiveFilePath() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{Name: "editor.getActiveFilePath", Category: "data", SideEffects: tool.Reads},
		Run: func(ctx context.Context, env *tool.Env, _ tool.Args) (tool.Data, error) {
			path, err := activePath(ctx, env)
			if err != nil {
				return nil, err
			}
			return tool.Data{"path": path, "folder": vaultpath.Parent(path), "title": title(path)}, nil
		},
	})
}

// activePath gives the active file: the note in the editor, or what is shown
// without one (an image, a canvas).
func activePath(ctx context.Context, env *tool.Env) (string, error) {
	if env.Editor != nil {
		s, err := env.Editor.State(ctx)
		if err != nil || s.Path != "" {
			return s.Path, err
		}
		if s.Hidden {
			return "", fault.New(fault.Denied, "tools.editor.hidden", nil)
		}
	}
	if env.Workspace != nil {
		w, err := env.Workspace.Context(ctx)
		if err != nil || w.ActivePath != "" {
			return w.ActivePath, err
		}
	}
	return "", fault.New(fault.Precondition, "tools.editor.none", nil)
}
