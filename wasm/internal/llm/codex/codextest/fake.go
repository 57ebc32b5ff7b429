//go:build !js

package codextest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// FakeEnv makes a test program that calls MaybeFake behave as a codex program; its value is the kind: "good", or "mute",
// which starts and never answers, or "deaf", which ends at once.
const FakeEnv = "EMBEDDED_AGENT_TEST_FAKE_CODEX"

// MaybeFake turns this program into a stand-in for codex, and does not return, when FakeEnv asks for it.
func MaybeFake() {
	kind := os.Getenv(FakeEnv)
	switch {
	case kind == "":
		return
	case len(os.Args) > 2 && os.Args[1] == "debug" && os.Args[2] == "models":
		fmt.Println(`{"models":[{"slug":"scripted-1","apply_patch_tool_type":"freeform"}]}`)
	case kind == "deaf":
		fmt.Fprintln(os.Stderr, "unrecognized subcommand 'app-server'")
		os.Exit(2)
	case kind == "mute":
		_, _ = io.Copy(io.Discard, os.Stdin)
	default:
		Fake(os.Stdin, os.Stdout)
	}
	os.Exit(0)
}

// Fake speaks the app-server protocol until in ends. What a turn does follows from words in its input: "[say X]" says X
// (X up to the last bracket), "[early]" sends turn/started before the answer, "[slow]" says one word and waits to be interrupted,
// "[ask]" sends a request to the client first and reports its answer, "[die]" says one word and ends the program, "[environ]" says its environment, "[deaf]"
// ignores an interrupt.
func Fake(in io.Reader, out io.Writer) {
	f := &fake{out: out, asked: make(chan string, 1), slow: map[string]string{}}
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		var m fakeMessage
		if json.Unmarshal(sc.Bytes(), &m) != nil {
			f.send(map[string]any{"error": map[string]any{"code": -32700, "message": "no JSON"}})
			continue
		}
		f.handle(m)
	}
}

type fakeMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
	Params struct {
		ThreadID string `json:"threadId"`
		TurnID   string `json:"turnId"`
		Input    []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"input"`
	} `json:"params"`
}

type fake struct {
	mu    sync.Mutex // held while a line is written to out
	out   io.Writer
	n     int
	asked chan string

	slowMu sync.Mutex        // guards slow
	slow   map[string]string // thread → turn that waits to be interrupted
}

func (f *fake) send(m any) {
	line, _ := json.Marshal(m) // maps of strings always marshal
	f.mu.Lock()
	defer f.mu.Unlock()
	_, _ = f.out.Write(append(line, '\n'))
}

func (f *fake) notify(method string, params map[string]any) {
	f.send(map[string]any{"method": method, "params": params})
}

func (f *fake) handle(m fakeMessage) {
	answer := func(result any) { f.send(map[string]any{"id": m.ID, "result": result}) }
	switch m.Method {
	case "":
		if m.Error != nil {
			f.asked <- m.Error.Message
		}
	case "thread/start":
		f.n++
		answer(map[string]any{"thread": map[string]any{"id": fmt.Sprintf("thread-%d", f.n)}})
	case "turn/start":
		f.turn(m, answer)
	case "turn/interrupt":
		f.slowMu.Lock()
		turn, waits := f.slow[m.Params.ThreadID]
		delete(f.slow, m.Params.ThreadID)
		f.slowMu.Unlock()
		if !waits || turn != m.Params.TurnID {
			f.send(map[string]any{"id": m.ID, "error": map[string]any{"code": -32600, "message": "no such active turn"}})
			return
		}
		answer(map[string]any{})
		f.end(m.Params.ThreadID, turn, "interrupted")
	case "initialized":
	default:
		answer(map[string]any{})
	}
}

func (f *fake) turn(m fakeMessage, answer func(any)) {
	f.n++
	thread, turn, id := m.Params.ThreadID, fmt.Sprintf("turn-%d", f.n), fmt.Sprintf("msg-%d", f.n)
	var text strings.Builder
	for _, in := range m.Params.Input {
		text.WriteString(in.Text)
	}
	started := func() {
		f.notify("turn/started", map[string]any{"threadId": thread, "turn": map[string]any{"id": turn, "status": "inProgress"}})
	}
	early := strings.Contains(text.String(), "[early]")
	if early {
		started()
	}
	answer(map[string]any{"turn": map[string]any{"id": turn}})
	if !early {
		started()
	}
	f.notify("item/started", map[string]any{"threadId": thread, "turnId": turn, "item": map[string]any{"type": "userMessage", "id": "u"}})
	say := func(s string) {
		f.notify("item/agentMessage/delta", map[string]any{"threadId": thread, "turnId": turn, "itemId": id, "delta": s})
	}
	switch t := text.String(); {
	case strings.Contains(t, "[slow]"):
		f.slowMu.Lock()
		f.slow[thread] = turn
		f.slowMu.Unlock()
		say("word")
	case strings.Contains(t, "[die]"):
		say("word")
		os.Exit(9)
	case strings.Contains(t, "[ask]"):
		f.send(map[string]any{"id": "s1", "method": "item/commandExecution/requestApproval", "params": map[string]any{"threadId": thread}})
		go func() {
			say("answered: " + <-f.asked)
			f.complete(thread, turn)
		}()
	default:
		_, said, _ := strings.Cut(t, "[say ")
		if i := strings.LastIndexByte(said, ']'); i >= 0 {
			said = said[:i]
		}
		if strings.Contains(t, "[environ]") {
			said = strings.Join(os.Environ(), "\n")
		}
		for _, r := range said {
			say(string(r))
		}
		f.notify("item/completed", map[string]any{"threadId": thread, "turnId": turn, "item": map[string]any{"type": "agentMessage", "id": id, "text": said}})
		f.complete(thread, turn)
	}
}

func (f *fake) complete(thread, turn string) {
	f.end(thread, turn, "completed")
}

func (f *fake) end(thread, turn, status string) {
	f.notify("turn/completed", map[string]any{"threadId": thread, "turn": map[string]any{"id": turn, "status": status, "items": []any{}}})
}
