//go:build !js

package codex

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// configText switches off everything of Codex that is not talking to the model: its tools, agents, skills, plugins, hooks,
// history and telemetry. The two verbs are the settings of web search and of looking at image files.
const configText = `approval_policy = "never"
sandbox_mode = "read-only"
web_search = %q
check_for_update_on_startup = false
include_permissions_instructions = false
include_apps_instructions = false
include_collaboration_mode_instructions = false
include_environment_context = false
project_doc_max_bytes = 0
suppress_unstable_features_warning = true
model_reasoning_summary = "none"
cli_auth_credentials_store = "file"

[agents]
enabled = false

[skills]
include_instructions = false
[skills.bundled]
enabled = false

[tools]
experimental_request_user_input = { enabled = false }
update_plan = { enabled = false }

[history]
persistence = "none"

[analytics]
enabled = false

[features]
shell_tool = false
unified_exec = false
view_image = %t
goals = false
apps = false
plugins = false
hooks = false
image_generation = false
skill_search = false
tool_suggest = false
sleep_tool = false
shell_snapshot = false
code_mode_host = false
browser_use = false
browser_use_external = false
computer_use = false
in_app_browser = false
enable_request_compression = false
skip_host_skill_discovery = true
`

// prepareHome writes the configuration into the private home, makes the empty folder that turns run in, and returns the
// arguments of the server.
func prepareHome(ctx context.Context, bin string, c Config) ([]string, error) {
	if err := os.MkdirAll(filepath.Join(c.Home, "work"), 0o700); err != nil {
		return nil, err
	}
	text := fmt.Appendf(nil, configText, onOff(c.WebSearch, "live", "disabled"), c.ViewImage)
	if c.ConfigFile != "" {
		var err error
		if text, err = os.ReadFile(c.ConfigFile); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(c.Home, "config.toml"), text, 0o600); err != nil {
		return nil, err
	}
	args := []string{"app-server", "--strict-config"}
	catalog := filepath.Join(c.Home, "models.json")
	if err := writeCatalog(ctx, bin, c, catalog); err != nil {
		return nil, err
	}
	args = append(args, "-c", fmt.Sprintf("model_catalog_json=%q", catalog))
	for _, setting := range c.Set {
		args = append(args, "-c", setting)
	}
	return args, nil
}

func onOff(b bool, on, off string) string {
	if b {
		return on
	}
	return off
}

// writeCatalog writes Codex's own list of models with their tools switched off: the configuration alone leaves apply_patch,
// code mode and others on for models that ask for them.
func writeCatalog(ctx context.Context, bin string, c Config, path string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, "debug", "models")
	cmd.Env = environ(c)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("codex debug models: %w", err)
	}
	var catalog struct {
		Models []map[string]any `json:"models"`
	}
	if err := json.Unmarshal(out, &catalog); err != nil || len(catalog.Models) == 0 {
		return fmt.Errorf("codex debug models: no list of models came")
	}
	for _, m := range catalog.Models {
		m["apply_patch_tool_type"] = nil
		m["experimental_supported_tools"] = []string{}
		m["supports_search_tool"] = false
		m["tool_mode"] = "direct"
		m["node_repl_disabled"] = true
	}
	text, err := json.Marshal(catalog)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// Models are the names in the list of models that the server was started with.
func (s *Server) Models() ([]string, error) {
	text, err := os.ReadFile(filepath.Join(s.cfg.Home, "models.json"))
	if err != nil {
		return nil, err
	}
	var catalog struct {
		Models []struct {
			Slug string `json:"slug"`
		} `json:"models"`
	}
	if err := json.Unmarshal(text, &catalog); err != nil {
		return nil, err
	}
	names := make([]string, len(catalog.Models))
	for i, m := range catalog.Models {
		names[i] = m.Slug
	}
	return names, nil
}
