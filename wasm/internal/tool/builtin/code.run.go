package builtin

import (
	"context"
	"encoding/json"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/tool"
)

func codeRun() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "code.run", Category: "code", SideEffects: tool.None, Cache: tool.CacheForever, Facts: tool.Facts{RunsScript: true},
			Aliases: map[string]string{"code": "script", "source": "script", "program": "script", "data": "input", "args": "input"},
		},
		Run: runCode,
	})
}

// ScriptOf gives the script that code.run runs for its arguments
// (tool.Facts.RunsScript).
func ScriptOf(env *tool.Env, args tool.Args) (host.Script, error) {
	input, err := canon.Append(nil, args["input"])
	if err != nil {
		return host.Script{}, fault.New(fault.Validation, "error.tool.args", fault.P{"tool": "code.run", "problems": err.Error()})
	}
	return host.Script{Source: args.String("script"), Input: input, Now: env.Now, Limits: env.Script, Dates: env.Platform.Dates}, nil
}

func runCode(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	if env.Sandbox == nil {
		return nil, fault.New(fault.Sandbox, "tools.code.none", nil)
	}
	script, err := ScriptOf(env, args)
	if err != nil {
		return nil, err
	}
	out, err := env.Sandbox.Run(ctx, script)
	if err != nil {
		return nil, err
	}
	if err := canon.CheckDepth(out); err != nil {
		return nil, err
	}
	var value any
	if err := json.Unmarshal(out, &value); err != nil {
		return nil, fault.New(fault.Sandbox, "tools.code.died", nil).With(err)
	}
	return tool.Data{"value": value}, nil
}
