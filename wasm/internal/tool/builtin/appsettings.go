package builtin

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// dailySettings are those of the app's daily notes.
type dailySettings struct {
	Folder   string `json:"folder"`
	Format   string `json:"format"`
	Template string `json:"template"`
	Enabled  bool   `json:"-"`
}

// readDaily reads the daily notes' settings: the app's defaults where there are
// none, and where the person has switched daily notes off, since what is left in
// the file then is of no use to them any more.
func readDaily(ctx context.Context, env *tool.Env) (dailySettings, error) {
	var s dailySettings
	err := readCore(ctx, env, protocol.DailyNotesFile, &s.Enabled, &s)
	if s.Format == "" {
		s.Format = "YYYY-MM-DD"
	}
	s.Folder = strings.Trim(s.Folder, "/ ")
	return s, err
}

// templateSettings are those of the app's templates.
type templateSettings struct {
	Folder     string `json:"folder"`
	DateFormat string `json:"dateFormat"`
	TimeFormat string `json:"timeFormat"`
}

// readTemplates reads the templates' settings, as readDaily does.
func readTemplates(ctx context.Context, env *tool.Env) (templateSettings, error) {
	var s templateSettings
	var enabled bool
	err := readCore(ctx, env, protocol.TemplatesFile, &enabled, &s)
	if s.DateFormat == "" {
		s.DateFormat = "YYYY-MM-DD"
	}
	if s.TimeFormat == "" {
		s.TimeFormat = "HH:mm"
	}
	s.Folder = strings.Trim(s.Folder, "/ ")
	return s, err
}

// readCore reads the settings of one of the app's core plugins, which are in the
// file ID.json of the app's folder, and whether it is on. Settings that cannot be
// read count as none, as in the app; only a call that ends is an error.
func readCore(ctx context.Context, env *tool.Env, file string, enabled *bool, settings any) error {
	list, err := readConfig(ctx, env, protocol.CorePluginsFile)
	if err != nil {
		return err
	}
	if *enabled = coreEnabled(list, strings.TrimSuffix(file, ".json")); !*enabled {
		return nil
	}
	data, err := readConfig(ctx, env, file)
	if err == nil && len(data) > 0 {
		_ = json.Unmarshal(data, settings)
	}
	return err
}

// coreEnabled reads core-plugins.json: an object of switches by id, or, as older
// versions of the app wrote it, the list of those that are on. Without the file,
// or the switch, the app's own default counts: on, for those asked about here.
func coreEnabled(data []byte, id string) bool {
	var on []string
	if json.Unmarshal(data, &on) == nil && on != nil {
		return slices.Contains(on, id)
	}
	var switches map[string]any
	_ = json.Unmarshal(data, &switches)
	enabled, known := switches[id].(bool)
	return enabled || !known
}

// readConfig reads a file of the app's folder; nil where there is none.
func readConfig(ctx context.Context, env *tool.Env, name string) ([]byte, error) {
	data, err := env.Vault.Read(ctx, env.Platform.ConfigDir+"/"+name)
	switch {
	case fault.Is(err, fault.Cancelled), fault.Is(err, fault.Timeout):
		return nil, err
	case err != nil:
		return nil, nil
	}
	return data, nil
}
