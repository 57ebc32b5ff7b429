//go:build codex && !js

package codex

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"embedded-agent/wasm/internal/llm/codex/codextest"
)

func TestRealCodexNeverHoldsMoreThreadsThanOneProcessMayAnswer(t *testing.T) {
	bin, err := filepath.Abs("../../../../test/codex/node_modules/.bin/codex")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(bin); err != nil {
		t.Skip("codex is not installed: npm ci in test/codex")
	}
	model := codextest.NewModelServer(t, func(int, []byte) codextest.Answer { return codextest.Answer{Chunks: []string{"ok"}} })
	home, err := os.MkdirTemp("", "codex-home")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	s, err := Start(t.Context(), Config{Bin: bin, Home: home, MaxTurns: 4, Set: []string{
		`model="scripted-1"`, `model_provider="loop"`,
		fmt.Sprintf(`model_providers.loop={name="loop",base_url=%q,wire_api="responses",requires_openai_auth=false,supports_websockets=false}`, model.URL+"/v1"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for range 10 {
		if got, err := ask(t.Context(), s, "x", nil); err != nil || got != "ok" {
			t.Fatalf("want no error and \"ok\", got %q, %v", got, err)
		}
	}
	p, err := s.connect()
	if err != nil {
		t.Fatal(err)
	}
	defer s.release(p)
	var loaded struct{ Data []string }
	if err := p.conn.call("thread/loaded/list", map[string]any{}, &loaded); err != nil {
		t.Fatal(err)
	}
	if len(loaded.Data) > 4 {
		t.Errorf("after 10 requests %d threads are loaded", len(loaded.Data))
	}
}
