package builtin

import (
	"context"
	"strings"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

// dailyOf gives the settings of daily notes, or of the periodic ones that "folder"
// and "format" describe, and the date that the arguments name.
func dailyOf(ctx context.Context, env *tool.Env, args tool.Args) (dailySettings, time.Time, error) {
	s, err := readDaily(ctx, env)
	if err != nil {
		return s, time.Time{}, err
	}
	if err := s.shown(ctx, env); err != nil && !args.Has("folder") {
		return s, time.Time{}, err
	}
	if args.Has("folder") {
		if s.Folder, err = vaultpath.CleanFolder(args.String("folder")); err != nil {
			return s, time.Time{}, err
		}
	}
	if args.Has("format") {
		s.Format = args.String("format")
	}
	text := args.String("date")
	if text == "" {
		text = "today"
	}
	t, err := readDate(env, text)
	return s, t, err
}

// daysOf is days with the app's settings.
func daysOf(ctx context.Context, env *tool.Env) (func(path string) (time.Time, bool), error) {
	s, err := readDaily(ctx, env)
	if err != nil {
		return nil, err
	}
	return s.days(env)
}

// path gives the path of the note of a date.
func (s *dailySettings) path(env *tool.Env, t time.Time) (string, error) {
	name, err := formatDate(env, t, s.Format)
	return vaultpath.Join(s.Folder, name+".md"), err
}

// days gives what reads the day of a daily note from its path; false is for a path
// that is none of a daily note.
func (s *dailySettings) days(env *tool.Env) (func(path string) (time.Time, bool), error) {
	p, ok := env.Platform.Dates.NewParser(s.Format)
	if !ok {
		return nil, fault.New(fault.Validation, "tools.dates.format", fault.P{"format": s.Format})
	}
	return func(path string) (time.Time, bool) {
		name, below := path, s.Folder == ""
		if !below {
			name, below = strings.CutPrefix(path, s.Folder+"/")
		}
		if !below || !isNote(path) {
			return time.Time{}, false
		}
		return p.Parse(name[:len(name)-3], env.Now.Location())
	}, nil
}

// shown leaves out a template that may not be seen. A folder that may not be is
// an error: the app's settings would tell its name.
func (s *dailySettings) shown(ctx context.Context, env *tool.Env) error {
	if _, err := env.Vault.Stat(ctx, s.Template); fault.Is(err, fault.Denied) {
		s.Template = ""
	}
	if _, err := env.Vault.Stat(ctx, s.Folder); fault.Is(err, fault.Denied) {
		return err
	}
	return nil
}
