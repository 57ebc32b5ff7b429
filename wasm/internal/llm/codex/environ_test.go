//go:build !js

package codex

import (
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/llm/codex/codextest"
)

func TestCodexIsToldNoKeyThatLiesInTheEnvironment(t *testing.T) {
	for _, name := range []string{
		"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "SSH_AUTH_SOCK", "EMBEDDED_AGENT_PROXY_TOKEN",
		"EMBEDDED_AGENT_BACKEND_KEY", "NODE_OPTIONS", "LD_PRELOAD", "RUST_LOG", "CODEX_SANDBOX", "PATHS", "MY_HOME", "XLC_ALL",
	} {
		t.Setenv(name, "CANARY")
	}
	t.Setenv("HTTPS_PROXY", "http://proxy.test:3128")
	t.Setenv("LC_TIME", "de_DE.UTF-8")
	s := mustServer(t)
	said, err := ask(t.Context(), s, "[environ]", nil)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(said, "CANARY") {
		t.Errorf("Codex was told\n%s", said)
	}
	for _, want := range []string{"PATH=", "HTTPS_PROXY=http://proxy.test:3128", "LC_TIME=de_DE.UTF-8", "CODEX_HOME=", codextest.FakeEnv + "="} {
		if !strings.Contains("\n"+said, "\n"+want) {
			t.Errorf("Codex was not told %s", want)
		}
	}
}

func TestTheEnvironmentOfCodexIsTheListAndWhatThePersonNames(t *testing.T) {
	all := []string{
		"Path=p", "https_proxy=h", "SystemRoot=r", "LC_ALL=c", "CODEX_HOME=another", "A=1", "B=2", "=C:=C:\\", "PATHX=1", "odd",
	}
	got := environFrom(all, Config{Home: "/h", Env: []string{"B"}})
	want := []string{"Path=p", "https_proxy=h", "SystemRoot=r", "LC_ALL=c", "B=2", "CODEX_HOME=/h"}
	if !slices.Equal(got, want) {
		t.Errorf("want as expected, got %q", got)
	}
}
