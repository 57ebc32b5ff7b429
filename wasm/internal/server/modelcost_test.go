package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/protocol"
)

// sortedVault has n notes, each with a word of its own.
func sortedVault(n int) *hosttest.Memory {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("Notes/%02d.md", i)] = fmt.Sprintf("word%02d\n", i)
	}
	return hosttest.New(hosttest.Options{Files: files})
}

// sortPlan asks a model about each note, with a short answer, and keeps it.
const sortPlan = `{"goal":"Sort the notes","assumptions":[],"steps":[
{"id":"find","tool":"vault.listFiles","args":{"folder":"Notes"}},
{"id":"read","tool":"vault.readFile","foreach":{"from":"$steps.find.files","itemName":"f"},"args":{"path":"{f.path}"}},
{"id":"ask","tool":"agent.run","foreach":{"from":"$steps.read.items","itemName":"n"},"args":{"prompt":"Which kind of note is it?","context":"$n.content",FORM}},
{"id":"keep","tool":"metadata.set","foreach":{"from":"$steps.ask.items","itemName":"a"},"args":{"path":"{a.item.path}","properties":{"kind":"{a.FIELD}"}}}]}`

func sortBy(form, field string) string {
	return strings.NewReplacer("FORM", form, "FIELD", field).Replace(sortPlan)
}

const (
	kindForm = `"schema":{"type":"string","enum":["plant","tool"]}`
	textForm = `"maxChars":40`
)

// together gives the answers of a request for several calls.
func together(answers map[int]any) llmtest.Turn {
	type answer struct {
		N      int `json:"n"`
		Answer any `json:"answer"`
	}
	all := []answer{}
	for _, n := range slices.Sorted(maps.Keys(answers)) {
		all = append(all, answer{n, answers[n]})
	}
	b, err := json.Marshal(map[string]any{"answers": all})
	if err != nil {
		panic(err)
	}
	return llmtest.Say(string(b))
}

func same(n int, answer any) llmtest.Turn {
	out := map[int]any{}
	for i := range n {
		out[i+1] = answer
	}
	return together(out)
}

func questionText(q protocol.Question) string {
	var all []string
	for _, m := range append([]protocol.Message{q.Text, q.Reason}, q.Options...) {
		all = append(all, m.Key+" "+fmt.Sprint(m.Params))
	}
	return strings.Join(all, "\n")
}

func TestAPlanThatAsksAModelOftenSaysWhatItCostsBeforeAnythingIsSent(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*protocol.Settings)
		want []string
	}{
		{"a model with a price", func(s *protocol.Settings) { s.Model = "gpt-5.1" }, []string{"question.model map[host:api.openai.com model:gpt-5.1]", "policy.modelStep", "question.model.requests map[n:30]", "question.model.notes map[n:30]", "question.model.cost map[cost:0.", "currency:USD"}},
		{"a model without one", func(s *protocol.Settings) { s.Model = "nobody-knows" }, []string{"question.model.noPrice map[model:nobody-knows]", "question.model.tokens map[n:"}},
		{"a limit", func(s *protocol.Settings) { s.Model, s.AgentTokens, s.AgentCost = "gpt-5.1", 77_000, 0.5 }, []string{"question.model.stops map[n:77000]", "question.model.stopsAt map[cost:0.50]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem, set := sortedVault(30), free
			c.set(&set)
			before := mem.Snapshot()
			r := newRig(t, mem, set, nil)
			r.answers(false)
			p := r.openPlan(sortBy(`"tools":[]`, "response"))
			if n := len(r.model.Requests()); n != 0 {
				t.Errorf("%d requests were sent without leave", n)
			}
			if p.Approvable || p.Problem == nil || p.Problem.Key != "policy.refused" || mem.Snapshot().Diff(before) != "" {
				t.Errorf("want a review that cannot be approved, Problem set, Problem.Key \"policy.refused\" and nothing, got %+v", p.Problem)
			}
			asked := r.questions()
			if len(asked) != 1 {
				t.Fatalf("%d questions", len(asked))
			}
			for _, want := range c.want {
				if !strings.Contains(questionText(asked[0]), want) {
					t.Errorf("%q is missing in\n%s", want, questionText(asked[0]))
				}
			}
		})
	}
}

func TestOneShortRequestAsksNobody(t *testing.T) {
	r := newRig(t, alphaBeta(), free, nil, llmtest.Say("one"))
	r.answers(false)
	p := r.openPlan(`{"goal":"x","assumptions":[],"steps":[{"id":"ask","tool":"agent.run","args":{"prompt":"Say it."}}]}`)
	if n := len(r.questions()); n != 0 || p.Problem != nil || len(r.model.Requests()) != 1 {
		t.Errorf("%d questions, %+v", n, p.Problem)
	}
}

func TestAllThatIsKnownOfAPlanIsInOneQuestion(t *testing.T) {
	notes := make([]string, 40)
	for i := range notes {
		notes[i] = fmt.Sprintf(`{"path":"Notes/%02d.md"}`, i)
	}
	for name, c := range map[string]struct {
		steps, want string
		said        []llmtest.Turn
	}{
		"two steps":               {`{"id":"a","tool":"agent.run","args":{"prompt":"A"}},{"id":"b","tool":"agent.run","args":{"prompt":"B $steps.a.response"}}`, "question.model.requests map[n:2]", []llmtest.Turn{llmtest.Say("a"), llmtest.Say("b")}},
		"a step that has tools":   {`{"id":"a","tool":"agent.run","args":{"prompt":"A","tools":["vault.readFile"],"maxIterations":4}}`, "question.model.upTo map[n:4]", []llmtest.Turn{llmtest.Say("a")}},
		"many notes at once":      {`{"id":"a","tool":"agent.run","args":{"prompt":"A","context":[` + strings.Join(notes, ",") + `]}}`, "question.model.notes map[n:40]", []llmtest.Turn{llmtest.Say("a")}},
		"a loop and a step after": {`{"id":"a","tool":"agent.run","foreach":{"from":["x","y","z"],"itemName":"i"},"args":{"prompt":"{i}"}},{"id":"b","tool":"agent.run","args":{"prompt":"B"}}`, "question.model.requests map[n:4]", []llmtest.Turn{llmtest.Say("x"), llmtest.Say("y"), llmtest.Say("z"), llmtest.Say("b")}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, alphaBeta(), free, nil, c.said...)
			p := r.openPlan(`{"goal":"x","assumptions":[],"steps":[` + c.steps + `]}`)
			if asked := r.questions(); len(asked) != 1 || !strings.Contains(questionText(asked[0]), c.want) || p.Problem != nil {
				t.Errorf("want 1 asked, a text with what the case names and no Problem, got %+v, %+v", asked, p.Problem)
			}
			if n := len(r.model.Requests()); n != len(c.said) {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func TestShortAnswersOfManyNotesComeInFewRequestsEachAtItsNote(t *testing.T) {
	for name, c := range map[string]struct {
		form, field string
		answer      func(i int) any
	}{
		"values": {kindForm, "value", func(i int) any { return []string{"plant", "tool"}[i%2] }},
		"texts":  {textForm, "response", func(i int) any { return fmt.Sprint("kind ", i) }},
	} {
		t.Run(name, func(t *testing.T) {
			first, second := map[int]any{}, map[int]any{}
			for i := range 20 {
				first[i+1] = c.answer(i)
			}
			for i := range 10 {
				second[i+1] = c.answer(20 + i)
			}
			mem := sortedVault(30)
			before := mem.Snapshot()
			r := newRig(t, mem, free, nil, together(first), together(second))
			p := r.openPlan(sortBy(c.form, c.field))
			if p.Problem != nil || len(p.Files) != 30 {
				t.Fatalf("%d files, %+v", len(p.Files), p.Problem)
			}
			if n := len(r.model.Requests()); n != 2 {
				t.Errorf("%d requests for 30 notes", n)
			}
			if asked := r.questions(); len(asked) != 1 || !strings.Contains(questionText(asked[0]), "question.model.requests map[n:2]") {
				t.Errorf("want 1 asked and a text with \"question.model.requests map[n:2]\", got %+v", asked)
			}
			sent := r.model.Requests()[0].Messages[1].Text()
			if !strings.Contains(sent, "word00") || !strings.Contains(sent, "word19") || strings.Contains(sent, "word20") {
				t.Errorf("sent %s", sent)
			}
			// Left out and taken in again, nothing is asked anew.
			call[protocol.Review](r.panel, "review.amend", protocol.Amendment{Run: p.Run, Kind: protocol.AmendDrop, Path: "Notes/03.md"})
			call[protocol.Review](r.panel, "review.amend", protocol.Amendment{Run: p.Run, Kind: protocol.AmendReset, Path: "Notes/03.md"})
			again := call[protocol.Review](r.panel, "review.amend", protocol.Amendment{Run: p.Run, Kind: protocol.AmendReset, Path: "Notes/04.md"})
			call[protocol.RunRef](r.panel, "review.approve", protocol.Approve{Run: p.Run, Approval: again.Approval})
			if end := r.finished(); end.Outcome != "ok" {
				t.Fatalf("want Outcome \"ok\", got %+v", end.Problem)
			}
			for i := range 30 {
				text, _ := mem.File(fmt.Sprintf("Notes/%02d.md", i))
				if want := fmt.Sprintf("kind: %v\n", c.answer(i)); !strings.Contains(string(text), want) {
					t.Errorf("note %d is %q, want %q", i, text, want)
				}
			}
			if n := len(r.model.Requests()); n != 2 || len(r.questions()) != 1 {
				t.Errorf("%d requests, %d questions in the end", n, len(r.questions()))
			}
			call[protocol.Reverted](r.panel, "run.revert", protocol.Revert{Run: p.Run})
			if d := before.Diff(mem.Snapshot()); d != "" {
				t.Error("want the vault as it was before; it differs:", d)
			}
		})
	}
}

func TestAnAnswerThatIsMissingOrWrongIsAskedForAlone(t *testing.T) {
	alone := []llmtest.Turn{llmtest.Say(`"plant"`), llmtest.Say("```json\n\"tool\"\n```"), llmtest.Say("a shrub"), llmtest.Say(`"plant"`)}
	for name, first := range map[string]llmtest.Turn{
		// 1 is missing, 2 is no kind, 3 is there twice, and 9 is nobody's.
		"some":        llmtest.Say(`{"answers":[{"n":2,"answer":"shrub"},{"n":3,"answer":"tool"},{"n":3,"answer":"plant"},{"n":4,"answer":"tool"},{"n":9,"answer":"tool"}]}`),
		"no json":     llmtest.Say("I cannot answer that many."),
		"other words": llmtest.Say(`{"answers":"plant"}`),
	} {
		t.Run(name, func(t *testing.T) {
			turns := append([]llmtest.Turn{first}, alone...)
			want := []string{"plant", "tool", "plant", "tool"} // the third is asked twice
			if name != "some" {
				turns = append(turns, llmtest.Say(`"tool"`))
			}
			r := newRig(t, sortedVault(4), free, nil, turns...)
			p := r.openPlan(sortBy(kindForm, "value"))
			if p.Problem != nil || len(p.Files) != 4 {
				t.Fatalf("%d files, %+v", len(p.Files), p.Problem)
			}
			for i, kind := range want {
				shown := call[protocol.FileView](r.panel, "review.file", protocol.FileRef{Run: p.Run, Path: fmt.Sprintf("Notes/%02d.md", i)}).After
				if !strings.Contains(shown, "kind: "+kind+"\n") {
					t.Errorf("note %d: %q, want %s", i, shown, kind)
				}
			}
			if n := len(r.model.Requests()); n != len(turns) {
				t.Errorf("%d requests, want %d", n, len(turns))
			}
		})
	}
}

func TestARequestForManyThatFailsIsMadeForEachAlone(t *testing.T) {
	r := newRig(t, sortedVault(3), free, nil, llmtest.Fail(&llm.Error{Code: llm.CodeProvider, Key: "llm.error.provider"}), llmtest.Say(`"plant"`), llmtest.Say(`"nonsense"`), llmtest.Say("still nonsense"), llmtest.Say(`"tool"`))
	p := r.openPlan(sortBy(kindForm, "value"))
	left := p.Steps[2].LeftOut
	if p.Problem != nil || len(p.Files) != 2 || left == nil || left.Count != 1 || left.Groups[0].Items[0].Name != "Notes/01.md" {
		t.Errorf("%d files, %+v, %+v", len(p.Files), p.Problem, left)
	}
}

func TestAtTheBudgetAStepStopsWithWhatItHasAndListsTheRest(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(*protocol.Settings)
		used price.Usage
	}{
		"tokens of the settings": {func(s *protocol.Settings) { s.AgentTokens = 4000 }, price.Usage{Input: 3000, Output: 2000}},
		"money of the settings":  {func(s *protocol.Settings) { s.Model, s.AgentCost = "gpt-5.1", 0.01 }, price.Usage{Input: 3000, Output: 2000}},
		"tokens of the yes":      {func(*protocol.Settings) {}, price.Usage{Input: 300_000, Output: 2000}},
	} {
		t.Run(name, func(t *testing.T) {
			mem, set := sortedVault(30), free
			c.set(&set)
			first := same(20, "plant")
			first.Usage = c.used
			r := newRig(t, mem, set, nil, first, same(10, "tool"))
			p := r.openPlan(sortBy(kindForm, "value"))
			left := p.Steps[2].LeftOut
			if p.Problem != nil || !p.Approvable || len(p.Files) != 20 || len(r.model.Requests()) != 1 {
				t.Fatalf("%d files, %d requests, %+v", len(p.Files), len(r.model.Requests()), p.Problem)
			}
			if left == nil || left.Count != 10 || left.Groups[0].Reason.Key != "skip.budget" || left.Groups[0].Items[0].Name != "Notes/20.md" {
				t.Errorf("left out: %+v", left)
			}
		})
	}
}

func TestAStepIsGivenNoMoreTextThanItsModelTakes(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"Notes/long.md": strings.Repeat("many words ", 200_000), "Notes/short.md": "few words"}})
	r := newRig(t, mem, free, nil, llmtest.Say("short"))
	p := r.openPlan(sortBy(`"tools":[]`, "response"))
	left := p.Steps[2].LeftOut
	if p.Problem != nil || len(p.Files) != 1 || left == nil || left.Groups[0].Items[0].Name != "Notes/long.md" || left.Groups[0].Items[0].Why.Key != "agent.step.tooLong" {
		t.Errorf("want no Problem, 1 Files, left set, Groups[0].Items[0].Name \"Notes/long.md\" and Groups[0].Items[0].Why.Key \"agent.step.tooLong\", got %+v, %+v", p.Problem, left)
	}
	if n := len(r.model.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}
