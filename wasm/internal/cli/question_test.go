//go:build !js

package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

func TestAQuestionIsAskedOnTheTerminalWithAllThatItIsAbout(t *testing.T) {
	for _, c := range []struct{ typed, want string }{{"y\ny\n", "There is no network here"}, {"y\nn\n", "You did not allow"}, {"y\n", "You did not allow"}} {
		f := newFlags("run", "run", io.Discard)
		f.vault = t.TempDir()
		f.config.AllowHTTP = true
		f.config.HTTPHosts = []protocol.HTTPHost{{Host: "api.example.com", Methods: []string{"POST"}}}
		var out, errs bytes.Buffer
		s, err := f.start(t.Context(), strings.NewReader(c.typed), &out, &errs)
		if err != nil {
			t.Fatal(err)
		}
		defer s.s.Close()
		body := strings.Repeat("x", 5000) + `\u001b[2K\u202eEND`
		r, err := s.s.OpenPlan(t.Context(), []byte(`{"goal":"send","assumptions":[],"steps":[{"id":"s","tool":"http.send","args":{"url":"https://api.example.com/in","headers":{"X-A":"b"},"body":"`+body+`"}}]}`), nil, false)
		if err != nil {
			t.Fatal(err)
		}
		if !s.confirm(t.Context(), "") {
			t.Fatal("not confirmed")
		}
		s.approve(t.Context(), r, false)
		said := out.String()
		for _, want := range []string{"POST api.example.com", "https://api.example.com/in", "X-A: b", strings.Repeat("x", 5000) + "⟨"} {
			if !strings.Contains(said, want) {
				t.Errorf("%q is missing in %.300s", want, said)
			}
		}
		if strings.ContainsAny(said, "\x1b\u202e") || !strings.Contains(said, "END") {
			t.Error("the terminal is given control characters")
		}
		if !strings.Contains(errs.String(), c.want) {
			t.Errorf("%q: want String with what the case names, got %s", c.typed, errs.String())
		}
	}
}

// modelPlan asks a model twice, so that the person is asked.
const modelPlan = `{"goal":"sum up","assumptions":[],"steps":[
{"id":"a","tool":"agent.run","foreach":{"from":["x","y"],"itemName":"i"},"args":{"prompt":"{i}"}},
{"id":"w","tool":"vault.createFile","args":{"path":"Sum.md","content":"$steps.a.items[0].response"}}]}`

func TestWhatModelStepsCostIsAskedOnTheTerminalOrAllowedByYes(t *testing.T) {
	for _, c := range []struct {
		typed string
		yes   bool
		want  string
	}{{"y\n", false, "Sum.md"}, {"n\n", false, "You did not allow"}, {"", false, "You did not allow"}, {"", true, "Allowed by --yes."}} {
		f := newFlags("run", "run", io.Discard)
		f.vault = t.TempDir()
		f.config.Provider = protocol.ProviderOpenAI
		f.model = llmtest.NewProvider(llmtest.Say("one"), llmtest.Say("two"))
		var out, errs bytes.Buffer
		s, err := f.start(t.Context(), strings.NewReader(c.typed), &out, &errs)
		if err != nil {
			t.Fatal(err)
		}
		s.yes = c.yes
		s.run(t.Context(), []byte(modelPlan), nil, wishes{dry: true})
		s.close()
		for _, want := range []string{"Let gpt-5.1 at api.openai.com work on this plan?", "Requests: about 2", "Tokens: about ", "Cost: about 0.", "It stops at ", c.want} {
			if said := out.String() + errs.String(); !strings.Contains(said, want) {
				t.Errorf("%q, %v: %q is missing in\n%s", c.typed, c.yes, want, said)
			}
		}
	}
}
