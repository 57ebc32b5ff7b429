package agent_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/answer"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

var update = flag.Bool("update", false, "write the goldens anew")

// hostileCase is one attack: notes that try something, and what a model that
// fell for them then does. The whole program but the model is real.
type hostileCase struct {
	Class    string            `json:"class"`
	Tries    string            `json:"tries"`
	Person   string            `json:"person"`
	Settings hostileSettings   `json:"settings"`
	Files    map[string]string `json:"files,omitempty"` // with names that a txtar cannot have
	Active   string            `json:"active,omitempty"`
	// Sees are texts that must have reached the model, or the attack was none.
	Sees  []string      `json:"sees,omitempty"`
	Turns []hostileTurn `json:"turns,omitempty"`
	// Plan has the plan that a captured planner wrote, instead of Turns.
	Plan json.RawMessage `json:"plan,omitempty"`
}

type hostileTurn struct {
	Say   string        `json:"say,omitempty"`
	Calls []hostileCall `json:"calls,omitempty"`
	Times int           `json:"times,omitempty"`
}

type hostileCall struct {
	Tool  string          `json:"tool"`
	Args  json.RawMessage `json:"args"`
	Times int             `json:"times,omitempty"`
}

type hostileSettings struct {
	Deletes      bool             `json:"deletes,omitempty"`
	NoRenames    bool             `json:"noRenames,omitempty"`
	Commands     bool             `json:"commands,omitempty"`
	Roots        []string         `json:"roots,omitempty"`
	Deny         []string         `json:"deny,omitempty"`
	Enabled      []string         `json:"enabled,omitempty"`
	Ceiling      tool.SideEffects `json:"ceiling,omitempty"`
	MaxTokens    int64            `json:"maxTokens,omitempty"`
	Organisation json.RawMessage  `json:"organisation,omitempty"`
}

// classes are the kinds of attacks, of each of which there are at least three.
var classes = []string{
	"exfiltration", "tool escalation", "approval forgery", "fake tool results", "path escape", "budget exhaustion",
	"template injection", "unicode and homoglyphs", "file names and front matter",
}

func TestNothingThatANoteSaysGetsFurtherThanTheReview(t *testing.T) {
	files, err := filepath.Glob("testdata/hostile/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		ar := txtar.Parse(raw)
		c := readHostile(t, file, ar)
		seen[c.Class]++
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got string
				if c.Plan != nil {
					got = c.runPlan(t)
				} else {
					got = c.runLoop(t)
				}
				compare(t, file, ar, got)
			})
		})
	}
	if len(files) < 40 {
		t.Errorf("%d cases, want at least 40", len(files))
	}
	for _, class := range classes {
		if seen[class] < 3 {
			t.Errorf("%d cases of %s, want at least 3", seen[class], class)
		}
		delete(seen, class)
	}
	if len(seen) > 0 {
		t.Errorf("classes that are none: %v", seen)
	}
}

func readHostile(t *testing.T, file string, ar *txtar.Archive) *hostileCase {
	t.Helper()
	c := &hostileCase{}
	for _, f := range ar.Files {
		switch {
		case f.Name == "case.json":
			dec := json.NewDecoder(strings.NewReader(string(f.Data)))
			dec.DisallowUnknownFields()
			if err := dec.Decode(c); err != nil {
				t.Fatalf("%s: want no error, got %v", file, err)
			}
			if c.Files == nil {
				c.Files = map[string]string{}
			}
		case strings.HasPrefix(f.Name, "vault/"):
			c.Files[strings.TrimPrefix(f.Name, "vault/")] = string(f.Data)
		case f.Name != "want":
			t.Fatalf("%s: what is %s?", file, f.Name)
		}
	}
	if c.Class == "" || c.Tries == "" || (c.Plan == nil) == (c.Turns == nil) {
		t.Fatalf("%s: a case has class, tries, and turns or a plan", file)
	}
	return c
}

// compare holds what came out against the case's last part.
func compare(t *testing.T, file string, ar *txtar.Archive, got string) {
	t.Helper()
	if *update {
		ar.Files = append(ar.Files[:wantAt(ar)], txtar.File{Name: "want", Data: []byte(got)})
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	at := wantAt(ar)
	if at == len(ar.Files) {
		t.Fatal("nothing says how it must end")
	}
	if d := cmp.Diff(string(ar.Files[at].Data), got); d != "" {
		t.Errorf("it ended otherwise (-want +got):\n%s", d)
	}
}

func wantAt(ar *txtar.Archive) int {
	for i, f := range ar.Files {
		if f.Name == "want" {
			return i
		}
	}
	return len(ar.Files)
}

func (c *hostileCase) kit(t *testing.T, turns []llmtest.Turn) *kit {
	s := c.Settings
	return newKit(t, turns, withFiles(c.Files), func(set *setup) {
		set.active = c.Active
		set.policy = policy.Policy{
			Confirm: protocol.ConfirmAlways, AllowDeletes: s.Deletes, AllowRenames: !s.NoRenames, AllowCommands: s.Commands,
			Origin:  policy.FromInterface,
			Sandbox: tool.Sandbox{Enabled: true, AllowedRoots: []string{"/"}, DenyPatterns: s.Deny},
			Limits:  tool.Limits{MaxConcurrency: 4, MaxCalls: 100},
		}
		if s.Roots != nil {
			set.policy.Sandbox.AllowedRoots = s.Roots
		}
		set.limits = limits.Limits{EnabledTools: s.Enabled, SideEffects: s.Ceiling, MaxTokens: s.MaxTokens}
		if s.Organisation != nil {
			set.org = s.Organisation
		}
		set.commands = []hosttest.Command{{ID: "publish:publish", Name: "Publish changes"}, {ID: "app:delete-file", Name: "Delete current file"}}
	})
}

// runLoop plays the captured model, and says how it ended.
func (c *hostileCase) runLoop(t *testing.T) string {
	k := c.kit(t, c.script())
	out := k.run(c.Person)
	c.checkRequests(t, k)
	if k.model.Left() > 0 && out.Stop != agent.Denied {
		t.Errorf("the attack was not played to its end: %s, %v", out.Stop, out.Problem)
	}
	var b strings.Builder
	b.WriteString("calls:\n")
	last, n := "", 0
	flush := func() {
		if n > 1 {
			fmt.Fprintf(&b, "  %s (%d times)\n", last, n)
		} else if n == 1 {
			fmt.Fprintf(&b, "  %s\n", last)
		}
	}
	for i := range out.Outputs.ToolOrder {
		e := envelope(t, out, i)
		line := fmt.Sprintf("%+q ok", e.Name)
		if e.Error != nil {
			line = fmt.Sprintf("%+q %s %s", e.Name, e.Error.Code, k.reasons[e.CallID])
		}
		if line != last {
			flush()
			last, n = line, 0
		}
		n++
	}
	flush()
	fmt.Fprintf(&b, "stop: %s\n", out.Stop)
	if out.Problem != nil {
		fmt.Fprintf(&b, "problem: %s %s\n", out.Problem.Code, out.Problem.Key)
	}
	b.WriteString(drawn(out.Outputs.Response))
	return b.String() + k.ending(t)
}

// drawn says what of an answer leads anywhere, as a person gets it: what is
// loaded or opened at a press, and what is shown instead of being read.
func drawn(reply string) string {
	var b strings.Builder
	var walk func([]answer.Node)
	walk = func(nodes []answer.Node) {
		for _, n := range nodes {
			switch {
			case n.Kind == "image" && n.Load:
				fmt.Fprintf(&b, "  a button that loads %s\n", n.To)
			case n.Kind == "image":
				fmt.Fprintf(&b, "  the address %s\n", n.To)
			case n.Kind == "link" || n.Kind == "note":
				fmt.Fprintf(&b, "  a %s to %s\n", n.Kind, n.To)
			case n.Kind == "source" || n.Kind == "unseen":
				fmt.Fprintf(&b, "  as text: %+q\n", n.Text)
			}
			walk(n.Kids)
		}
	}
	walk(answer.Draw(reply, 0, func(string) bool { return true }).Blocks)
	if b.Len() == 0 {
		return ""
	}
	return "drawn:\n" + b.String()
}

func (c *hostileCase) script() []llmtest.Turn {
	var turns []llmtest.Turn
	id := 0
	for _, h := range c.Turns {
		for range max(h.Times, 1) {
			var blocks []llm.Block
			if h.Say != "" {
				blocks = append(blocks, llm.Text(h.Say))
			}
			for _, hc := range h.Calls {
				for range max(hc.Times, 1) {
					id++
					blocks = append(blocks, llm.Call(fmt.Sprint("c", id), hc.Tool, hc.Args))
				}
			}
			turns = append(turns, llmtest.Reply(blocks...))
		}
	}
	return turns
}

// checkRequests proves that the attack reached the model, and that nothing in
// it moved what the model is given: prompt, tools, model.
func (c *hostileCase) checkRequests(t *testing.T, k *kit) {
	t.Helper()
	requests := k.model.Requests()
	if len(requests) == 0 {
		t.Fatal("the model was not asked")
	}
	all := jsonOf(t, requests[len(requests)-1].Messages)
	for _, text := range c.Sees {
		quoted := strings.Trim(jsonOf(t, text), `"`)
		if !strings.Contains(all, quoted) && !strings.Contains(all, strings.Trim(jsonOf(t, quoted), `"`)) {
			t.Errorf("the model never saw %q", text)
		}
	}
	first := requests[0]
	for i, r := range requests {
		if jsonOf(t, r.Tools) != jsonOf(t, first.Tools) || r.Model != first.Model || jsonOf(t, r.ToolChoice) != jsonOf(t, first.ToolChoice) {
			t.Errorf("request %d has other tools, or another model", i)
		}
		if r.Messages[0].Role != llm.RoleSystem || r.Messages[0].Text() != k.cfg.System || r.Messages[1].Text() != c.Person {
			t.Errorf("request %d begins otherwise", i)
		}
		for _, m := range r.Messages[2:] {
			if m.Role == llm.RoleSystem || m.Role == llm.RoleUser {
				t.Errorf("request %d: words that nobody said became a message of the %s", i, m.Role)
			}
			if m.Role == llm.RoleToolResult && !json.Valid([]byte(m.Content[0].Text)) {
				t.Errorf("request %d: a result is more than one value: %s", i, m.Content[0].Text)
			}
		}
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := llm.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// runPlan checks and simulates a plan that a captured planner wrote.
func (c *hostileCase) runPlan(t *testing.T) string {
	k := c.kit(t, nil)
	before := k.mem.Snapshot()
	var b strings.Builder
	p, problems := plan.Decode(c.Plan, plan.Limits{})
	var g *plan.Graph
	if !plan.Failed(problems) {
		g, problems = plan.Check(p, k.cfg.Registry, plan.Rules{})
	}
	if g == nil || plan.Failed(problems) {
		b.WriteString("refused:\n")
		for _, problem := range problems {
			fmt.Fprintf(&b, "  %s %s %s\n", problem.Step, problem.Field, problem.Key)
		}
		return b.String() + k.ending(t)
	}
	do := pipeline.New(pipeline.Deps{
		Registry: k.cfg.Registry, Guards: pipeline.Guards{Policy: k.policy}, Simulating: true, Records: pipeline.Records{Audit: (*auditLog)(k)},
		Env: func(call *tool.Call) (*tool.Env, *overlay.View) {
			w := k.vault.For(call.LogicalID)
			h := k.mem.Host()
			return &tool.Env{Vault: w, Editor: w, Platform: h.Platform, Progress: func(tool.Progress) {}}, w
		},
	})
	rep := runner.Run(t.Context(), runner.Config{
		RunID: runID, Graph: g, Call: do, Limits: k.policy.Limits, Simulating: true,
		Base: tool.Call{Policy: k.policy.Snapshot()},
	})
	fmt.Fprintf(&b, "risk: %s\nsteps:\n", g.Risk)
	for _, s := range rep.Steps {
		fmt.Fprintf(&b, "  %s %s", s.Node.Step.ID, s.Status)
		if s.Cause != nil {
			fmt.Fprintf(&b, " %s %s", s.Cause.Code, s.Cause.Key)
		}
		b.WriteString("\n")
	}
	if d := before.Diff(k.mem.Snapshot()); d != "" {
		t.Errorf("the vault changed without an approval:\n%s", d)
	}
	return b.String() + k.ending(t)
}

// ending gives the changes that the review would show, and proves that nothing else happened.
func (k *kit) ending(t *testing.T) string {
	t.Helper()
	if ran := k.mem.Ran(); len(ran) > 0 {
		t.Errorf("commands ran: %v", ran)
	}
	if trash := k.mem.Trash(); len(trash) > 0 {
		t.Errorf("files were trashed: %v", trash)
	}
	if store := k.mem.StoreFiles(); len(store) > 0 {
		t.Errorf("the plugin's store was written: %v", store)
	}
	changes, err := k.vault.Changes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, asked := range k.asked {
		fmt.Fprintf(&b, "asked: %s (no)\n", asked)
	}
	if len(changes) == 0 {
		b.WriteString("staged: nothing\n")
		return b.String()
	}
	b.WriteString("staged:\n")
	for _, ch := range changes {
		if _, err := vaultpath.Clean(ch.Path); err != nil {
			t.Errorf("staged outside: %v", err)
		}
		fmt.Fprintf(&b, "  %s %+q", ch.Status, ch.Path)
		if ch.From != "" {
			fmt.Fprintf(&b, " from %+q", ch.From)
		}
		b.WriteString("\n")
		if ch.After != nil {
			for line := range strings.SplitSeq(strings.TrimSuffix(string(ch.After), "\n"), "\n") {
				fmt.Fprintf(&b, "    %+q\n", line)
			}
		}
	}
	return b.String()
}
