package builtin

import (
	"context"
	"time"

	"embedded-agent/wasm/internal/compare"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

func datesDailyNote() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{Name: "dates.dailyNote", Category: "data", SideEffects: tool.Reads},
		Run:  dailyNote,
	})
}

func dailyNote(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	s, t, err := dailyOf(ctx, env, args)
	if err != nil {
		return nil, err
	}
	path, err := s.path(env, t)
	if args.Bool("last") {
		path, t, err = lastDaily(ctx, env, s, t)
	}
	if err != nil {
		return nil, err
	}
	if path, err = vaultpath.Clean(path); err != nil {
		return nil, err
	}
	there, err := occupied(ctx, env, path)
	if err != nil {
		return nil, err
	}
	return tool.Data{
		"path": path, "exists": there, "date": timestamp.Day(t), "title": title(path),
		"folder": s.Folder, "template": s.Template, "enabled": s.Enabled,
	}, nil
}

// lastDaily finds the newest daily note before a day.
func lastDaily(ctx context.Context, env *tool.Env, s dailySettings, before time.Time) (string, time.Time, error) {
	missing := fault.New(fault.NotFound, "tools.dates.noDaily", fault.P{"folder": orDash(s.Folder)})
	day, err := s.days(env)
	if err != nil {
		return "", time.Time{}, err
	}
	all, err := env.Vault.Walk(ctx, s.Folder)
	if fault.Is(err, fault.NotFound) {
		return "", time.Time{}, missing
	} else if err != nil {
		return "", time.Time{}, err
	}
	var path string
	var newest time.Time
	for _, e := range all {
		if e.Kind != host.File {
			continue
		}
		if t, ok := day(e.Path); ok && t.Before(compare.StartOf(before, "day")) && (path == "" || t.After(newest)) {
			path, newest = e.Path, t
		}
	}
	if path == "" {
		return "", time.Time{}, missing
	}
	return path, newest, nil
}
