package builtin

import (
	"context"
	"maps"
	"strings"

	"embedded-agent/wasm/internal/compare"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
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
			switch {
			case periodic(args):
				return claimAll(args)
			case err != nil:
				return []string{args.String("path")}
			}
			return []string{vaultpath.Family(path)}
		},
	})
}

// periodic says whether the note is named by its date: no other name is given.
func periodic(args tool.Args) bool { return !args.Has("path") && !args.Has("title") }

func applyTemplate(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	settings, err := readTemplates(ctx, env)
	if err != nil {
		return nil, err
	}
	if periodic(args) && args.String("onCollision") == "" {
		args = maps.Clone(args)
		args["onCollision"] = "skip"
	}
	path, template, err := templated(ctx, env, args)
	if err != nil {
		return nil, err
	}
	var text []byte
	if template != "" {
		info, err := findTemplate(ctx, env, settings.Folder, template)
		if err != nil {
			return nil, err
		}
		if path == info.Path {
			return nil, fault.New(fault.Validation, "tools.template.itself", fault.P{"path": path})
		}
		if text, err = readText(ctx, env, info); err != nil {
			return nil, err
		}
	}
	if err := checkNew(ctx, env, path); err != nil {
		return nil, err
	}
	content, err := fillTemplate(string(text), path, settings, args, env)
	if err != nil {
		return nil, err
	}
	if args.String("onCollision") == "merge" {
		if there, err := occupied(ctx, env, path); there || err != nil {
			return mergeTemplate(ctx, env, path, []byte(content), text)
		}
	}
	if _, err := ensureFolder(ctx, env, vaultpath.Parent(path)); err != nil {
		return nil, err
	}
	return created(ctx, env, args, path, []byte(content), text)
}

// templated gives the path of the note and the template. A note that is named by
// its date is the daily note, by the settings of daily notes, with their template
// unless another one is named, or other places and names are.
func templated(ctx context.Context, env *tool.Env, args tool.Args) (path, template string, err error) {
	template = args.String("template")
	if !periodic(args) {
		path, err = newFilePath(env.Platform.Name, args)
		return path, template, err
	}
	s, t, err := dailyOf(ctx, env, args)
	if err != nil {
		return "", "", err
	}
	if template == "" && !args.Has("folder") && !args.Has("format") {
		template = s.Template
	}
	if path, err = s.path(env, t); err == nil {
		path, err = vaultpath.Clean(path)
	}
	return path, template, err
}

// mergeTemplate puts a filled template into a note that is there.
func mergeTemplate(ctx context.Context, env *tool.Env, path string, content, template []byte) (tool.Data, error) {
	edited, err := editNote(ctx, env, path, func(_ host.Info, data []byte) ([]byte, error) {
		if holdsLines(string(data), strings.TrimSpace(string(note.ParseFront(content).Body.Of(content)))) {
			content = content[:note.ParseFront(content).Body.Start] // it is in it already
		}
		return note.MergeTemplate(data, content)
	})
	if err != nil {
		return nil, err
	}
	link, err := linkTo(ctx, env, path)
	return tool.Data{"path": path, "title": title(path), "etag": edited["etag"], "link": link, "created": false}, err
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
