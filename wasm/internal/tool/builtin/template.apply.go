package builtin

import (
	"context"
	"strings"

	"embedded-agent/wasm/internal/compare"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/regex"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

func templateApply() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "template.apply", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"templatePath": "template", "newPath": "path", "name": "title", "values": "variables"},
		},
		Run: applyTemplate,
		Claims: func(args tool.Args) []string {
			path, err := newFilePath("", args)
			if err != nil {
				return []string{args.String("path")}
			}
			return []string{vaultpath.Family(path)}
		},
	})
}

func applyTemplate(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	settings, err := readTemplates(ctx, env)
	if err != nil {
		return nil, err
	}
	info, err := findTemplate(ctx, env, settings.Folder, args.String("template"))
	if err != nil {
		return nil, err
	}
	text, err := readText(ctx, env, info)
	if err != nil {
		return nil, err
	}
	path, err := newFilePath(env.Platform.Name, args)
	if err != nil {
		return nil, err
	}
	if path == info.Path {
		return nil, fault.New(fault.Validation, "tools.template.itself", fault.P{"path": path})
	}
	if err := checkNew(ctx, env, path); err != nil {
		return nil, err
	}
	content, err := fillTemplate(string(text), path, settings, args, env)
	if err != nil {
		return nil, err
	}
	if _, err := ensureFolder(ctx, env, vaultpath.Parent(path)); err != nil {
		return nil, err
	}
	return created(ctx, env, args, path, []byte(content), text)
}

// findTemplate finds a template by its path or, as the app lists them, by its
// name in the folder of templates.
func findTemplate(ctx context.Context, env *tool.Env, folder, name string) (host.Info, error) {
	info, err := findFile(ctx, env, name)
	if folder == "" || !fault.Is(err, fault.NotFound) {
		return info, err
	}
	if inFolder, e := findFile(ctx, env, vaultpath.Join(folder, name)); e == nil {
		return inFolder, nil
	}
	return info, err
}

// placeholder is {{name}} or {{name:FORMAT}}, as the app's template plugin
// reads it.
var placeholder = regex.Lazy(`\{\{ *([^{}:]+?) *(?::([^{}]*))?\}\}`)

// fillTemplate replaces {{title}}, {{date}}, {{time}} (with formats of their own,
// or those of the settings) and the variables given, in one pass; other
// placeholders stay as they are.
func fillTemplate(text, path string, settings templateSettings, args tool.Args, env *tool.Env) (string, error) {
	at, err := compare.Date("now", env.Now)
	if args.Has("date") {
		at, err = readDate(env, args.String("date"))
	}
	if err != nil {
		return "", err
	}
	variables, _ := args["variables"].(map[string]any)
	dated := func(format, ofSettings string) string {
		if format == "" {
			format = ofSettings
		}
		var s string
		s, err = formatDate(env, at, format)
		return s
	}
	value := func(m string) string {
		parts := placeholder().FindStringSubmatch(m)
		format := strings.TrimSpace(parts[2])
		if v, ok := variables[parts[1]]; ok && parts[2] == "" {
			if s, err := itemText(v, "", 0); err == nil {
				return s
			}
			return m
		}
		switch strings.ToLower(parts[1]) {
		case "title":
			return title(path)
		case "date":
			return dated(format, settings.DateFormat)
		case "time":
			return dated(format, settings.TimeFormat)
		}
		return m
	}
	size := len(text)
	out := placeholder().ReplaceAllStringFunc(text, func(m string) string {
		if err != nil {
			return m
		}
		v := value(m)
		size += len(v)
		if err == nil {
			err = env.Quota.Fits(size)
		}
		return v
	})
	return out, err
}
