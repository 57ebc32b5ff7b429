//go:build !js

package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/web"
)

// Script makes the answers of a model for a task that is worked on in one way.
type Script func(t *Task, way Way) []Said

// Said is one answer of a scripted model: words, calls, or both.
type Said struct {
	Words string
	Calls []Call
}

// single are the tools that a model has in the way of Notes: those that other programs
// give it.
var single = []string{
	"vault.listFiles", "vault.readFile", "vault.searchText", "vault.createFile", "vault.writeFile", "vault.rename", "vault.delete",
}

// Right answers as the task has it recorded.
func Right(t *Task, way Way) []Said {
	if t.Question != "" && t.Said == "" {
		return []Said{{Words: t.Question}}
	}
	var out []Said
	if t.Question != "" {
		out = append(out, Said{Words: t.Question})
	}
	if way == Plan {
		out = append(out, submits(t.Plan))
		for range 2 { // a plan that is tried out twice asks twice
			for _, text := range t.Model {
				out = append(out, Said{Words: text})
			}
		}
		return out
	}
	for _, calls := range t.agent(way) {
		out = append(out, Said{Calls: calls})
	}
	return append(out, Said{Words: done(t)})
}

// submits hands over a plan.
func submits(plan json.RawMessage) Said {
	var args map[string]any
	if json.Unmarshal(plan, &args) != nil {
		return Said{Words: string(plan)}
	}
	return Said{Words: "Here is a plan.", Calls: []Call{{planner.SubmitPlan, args}}}
}

// done gives the last words of an agent: what was to be found, or that it has ended.
func done(t *Task) string {
	if len(t.Answer) > 0 {
		return strings.Join(t.Answer, "\n")
	}
	return "That is all."
}

// agent gives the calls of an agent that is right. Where the task records none it
// lists the files, reads those that change, or all for an answer, and writes each as it
// must be. An agent with all tools makes the calls that do not need each other at once.
func (t *Task) agent(way Way) [][]Call {
	if way == Agent && t.Agent != nil {
		return t.Agent
	}
	var reads, writes []Call
	before, after := (&Task{Before: t.Before, Context: t.Context}).wanted(), t.wanted()
	moves := renamed(before, after)
	for _, p := range slices.Sorted(maps.Keys(before)) {
		text, there := after[p]
		changed := !there || text != before[p]
		if len(t.Answer) > 0 || changed && there {
			reads = append(reads, Call{"vault.readFile", map[string]any{"path": p}})
		}
		switch {
		case changed && there:
			writes = append(writes, Call{"vault.writeFile", map[string]any{"path": p, "content": text}})
		case !there:
			writes = append(writes, gone(p, moves))
		}
	}
	for _, p := range slices.Sorted(maps.Keys(after)) {
		if !has(before, p) && !slices.Contains(slices.Collect(maps.Values(moves)), p) {
			writes = append(writes, Call{"vault.createFile", map[string]any{"path": p, "content": after[p]}})
		}
	}
	list := Call{"vault.listFiles", map[string]any{}}
	if way == Agent {
		return slices.DeleteFunc([][]Call{{list}, reads, writes}, func(c []Call) bool { return len(c) == 0 })
	}
	var out [][]Call
	for _, c := range slices.Concat([]Call{list}, reads, writes) {
		out = append(out, []Call{c})
	}
	return out
}

// renamed gives the new name of each file that goes and whose text a new file has. A new
// name is given away once: of several files with the same text each gets its own, the one
// that has its old name in it where there is one.
func renamed(before, after map[string]string) map[string]string {
	moves, taken := map[string]string{}, map[string]bool{}
	give := func(fits func(from, to string) bool) {
		for _, from := range slices.Sorted(maps.Keys(before)) {
			if has(after, from) || has(moves, from) || before[from] == "" {
				continue
			}
			for _, to := range slices.Sorted(maps.Keys(after)) {
				if !has(before, to) && !taken[to] && after[to] == before[from] && fits(from, to) {
					moves[from], taken[to] = to, true
					break
				}
			}
		}
	}
	give(func(from, to string) bool { return strings.Contains(path.Base(to), path.Base(from)) })
	give(func(string, string) bool { return true })
	return moves
}

// gone gives the call for a file that goes: to its new name, or to the trash.
func gone(p string, moves map[string]string) Call {
	if to, ok := moves[p]; ok {
		return Call{"vault.rename", map[string]any{"path": p, "newPath": to}}
	}
	return Call{"vault.delete", map[string]any{"path": p}}
}

// Lazy says that it has done what was asked, and does nothing.
func Lazy(*Task, Way) []Said {
	return []Said{{Words: "Done! I have created the note and updated the others for you."}}
}

// Wrong does something else than was asked.
func Wrong(_ *Task, way Way) []Said {
	note := Call{"vault.createFile", map[string]any{"path": "Something else.md", "content": "Words."}}
	if way != Plan {
		return []Said{{Calls: []Call{note}}, {Words: "That is all."}}
	}
	return []Said{{Calls: []Call{{planner.SubmitPlan, map[string]any{
		"goal": "Something else", "assumptions": []any{}, "steps": []any{map[string]any{"id": "a", "tool": note.Tool, "args": note.Args}},
	}}}}}
}

// scripted answers as Chat Completions do. Window, where it is set, is how many tokens
// go in, at four bytes each: a longer request is refused.
type scripted struct {
	Window int

	mu   sync.Mutex // guards left
	left []Said
}

// Do gives the next answer.
func (s *scripted) Do(_ context.Context, r web.Request) (web.Response, error) {
	if r.Method != http.MethodPost {
		return &whole{http.StatusNotFound, "application/json", `{"error":{"message":"Not found"}}`}, nil
	}
	if tokens := len(r.Body) / 4; s.Window > 0 && tokens > s.Window {
		return &whole{http.StatusBadRequest, "application/json", fmt.Sprintf(
			`{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":%d,"n_ctx":%d}}`,
			tokens, s.Window)}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	said := Said{Words: "That is all."}
	if len(s.left) > 0 {
		said, s.left = s.left[0], s.left[1:]
	}
	body, err := said.completion()
	return &whole{http.StatusOK, "application/json", body}, err
}

// completion writes an answer as the body of a Chat Completion.
func (s Said) completion() (string, error) {
	type function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	type call struct {
		ID       string   `json:"id"`
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	message, stop := map[string]any{"role": "assistant", "content": s.Words}, "stop"
	var calls []call
	for i, c := range s.Calls {
		args, err := json.Marshal(c.Args)
		if err != nil {
			return "", err
		}
		name, err := llm.WireName(c.Tool)
		if err != nil {
			return "", err
		}
		calls = append(calls, call{fmt.Sprintf("call_%d", i+1), "function", function{name, string(args)}})
	}
	if calls != nil {
		message["tool_calls"], stop = calls, "tool_calls"
	}
	b, err := json.Marshal(map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "model": "script",
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": stop}},
	})
	return string(b), err
}
