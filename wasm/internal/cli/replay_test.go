//go:build !js

package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/server"
)

// exportedTalk is the export of a run that came of a conversation: the model read
// a note, made another and spoke.
func exportedTalk(t *testing.T) []byte {
	t.Helper()
	ended := make(chan protocol.Turn, 1)
	s, err := server.New(server.Deps{
		Host: hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "alpha\n"}}).Host(),
		Provider: llmtest.NewProvider(llmtest.Call("1", "vault.readFile", `{"path":"A.md"}`),
			llmtest.Call("2", "vault.createFile", `{"path":"B.md","content":"made of alpha\n"}`), llmtest.Say("Made B.")),
		Emit: func(e protocol.Event) {
			if e.Type == protocol.EventTurnEnded {
				ended <- *e.Turn
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	handle := func(method string, params, result any) {
		t.Helper()
		in, err := json.Marshal(params)
		if err != nil {
			t.Fatal(err)
		}
		out, err := s.Handle(t.Context(), method, in)
		if err == nil && result != nil {
			err = json.Unmarshal(out, result)
		}
		if err != nil {
			t.Fatalf("%s: want no error, got %v", method, err)
		}
	}
	handle("hello", protocol.Hello{
		Contract: protocol.Contract, Settings: protocol.Settings{Provider: "openai", Streaming: true}, Platform: protocol.Platform{Name: "linux"},
	}, nil)
	handle("send", protocol.Send{Text: "make B", Mode: protocol.ModeAgent, Conversation: "c"}, nil)
	turn := <-ended
	var doc protocol.Document
	handle("run.export", protocol.RunRef{Run: strings.TrimPrefix(turn.TracesURL, "obsidian://embedded-agent?run=")}, &doc)
	return []byte(doc.Text)
}

func TestAnExportedBundleIsReplayedInAFolderWithoutAModelAndWritesNothing(t *testing.T) {
	dir := t.TempDir()
	for path, data := range map[string][]byte{"talk.json": exportedTalk(t), "other.json": []byte(`{"version":1,"run":"x"}`)} {
		if err := os.WriteFile(filepath.Join(dir, path), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	vault := filepath.Join(dir, "vault")
	if err := os.Mkdir(vault, 0o700); err != nil {
		t.Fatal(err)
	}
	before := folder(t, vault)
	replay := commandOf(func(a []string, o, e *bytes.Buffer) int { return Replay(t.Context(), a, o, e) })
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--bundle", filepath.Join(dir, "talk.json")}, exitOK, "create  B.md"},
		{[]string{"--bundle", filepath.Join(dir, "talk.json")}, exitOK, "+ made of alpha"},
		{[]string{"--bundle", filepath.Join(dir, "talk.json"), "--diff=false"}, exitOK, "Nothing was changed."},
		{[]string{"--bundle", filepath.Join(dir, "other.json")}, exitFailed, "contains no plan"},
		{[]string{"--bundle", filepath.Join(dir, "none.json")}, exitFailed, "none.json"},
		{[]string{"--bundle", filepath.Join(dir, "talk.json"), "a-run"}, exitUsage, "Usage"},
		{[]string{"one", "two"}, exitUsage, "Usage"},
	} {
		code, out := replay(t, append([]string{"--vault", vault}, c.args...)...)
		if code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("%v: exit %d, without %q:\n%s", c.args, code, c.says, out)
		}
	}
	if after := folder(t, vault); after != before {
		t.Errorf("a replay wrote:\n%s", after)
	}
}

func TestWhatIsReadIsBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(file, make([]byte, 2<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := readInput(file, 2<<20); err != nil || len(b) != 2<<20 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if _, err := readInput(file, 1<<20); err == nil || !strings.Contains(err.Error(), "larger than 1 MB") {
		t.Errorf("want an error and Error with \"larger than 1 MB\", got %v", err)
	}
}
