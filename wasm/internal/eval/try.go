//go:build !js

package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/finding"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/regex"
	"embedded-agent/wasm/internal/sandbox/child"
	"embedded-agent/wasm/internal/server"
	"embedded-agent/wasm/internal/tool/builtin"
	"embedded-agent/wasm/internal/web"
	"embedded-agent/wasm/internal/web/webclient"
)

// Way is how a model is let work on a task.
type Way string

// The ways.
const (
	Plan  Way = "plan"  // it plans all steps at once
	Agent Way = "agent" // it calls tools, all of them
	Notes Way = "notes" // it calls tools that are for one note each
)

// Ways are all ways.
var Ways = []Way{Plan, Agent, Notes}

// Try says what became of a task that was worked on once.
type Try struct {
	Task string `json:"task"`
	Way  Way    `json:"way"`
	// Right says that the vault and the answer are as they must be; Wrong lists why not.
	Right bool     `json:"right"`
	Wrong []string `json:"wrong,omitempty"`
	// Outcome is how the turn ended; Said is what the person read of the model's words,
	// and Problem the error.
	Outcome string `json:"outcome"`
	Said    string `json:"said,omitempty"`
	Problem string `json:"problem,omitempty"`
	// Hollow says that the person was told that nothing was changed, whatever the
	// model's words say. Staged counts the files that were shown for approval.
	Hollow bool `json:"hollow,omitempty"`
	Staged int  `json:"staged,omitempty"`
	Cost
	// Exchanges have all that went over the wire.
	Exchanges []*Exchange `json:"-"`
}

// Cost says what a try took.
type Cost struct {
	// Steps are those of the plan, or the calls of an agent; Requests are the questions
	// to the model, and Repairs those in which it was told that its plan was refused or
	// its call had failed.
	Steps    int `json:"steps"`
	Requests int `json:"requests"`
	Repairs  int `json:"repairs"`
	// In and Out are tokens: as the endpoint counts them, or else (Estimated) a quarter
	// of the bytes.
	In        int     `json:"in"`
	Out       int     `json:"out"`
	Estimated bool    `json:"estimated,omitempty"`
	Seconds   float64 `json:"seconds"`
}

// Endpoint is a model that is asked.
type Endpoint struct {
	Provider protocol.Provider
	URL      string
	Model    string
	Key      string
	// Transport, where set, is used instead of the network.
	Transport web.Transport
	// Whole asks for answers in one piece.
	Whole bool
}

// at is one task being worked on.
type at struct {
	t   *Task
	way Way
	mem *hosttest.Memory
	s   *server.Server
	rec *recorder
	got Try

	mu     sync.Mutex // guards events
	events []protocol.Event
	more   chan struct{} // has one when there are more events
	next   int

	calls  map[string]bool // of the agent
	review *protocol.Review
	answer string
}

// Run lets a model work on a task. An error says that the evaluation itself could not
// be carried out; what the model does wrong is in the result.
func (e Endpoint) Run(ctx context.Context, t *Task, way Way, sandbox *child.Runner) (Try, error) {
	u, err := url.Parse(e.URL)
	if err != nil {
		return Try{}, err
	}
	now, err := t.now()
	if err != nil {
		return Try{}, err
	}
	a := &at{
		t: t, way: way, more: make(chan struct{}, 1), calls: map[string]bool{},
		mem: hosttest.New(hosttest.Options{Files: t.vault(), Active: t.Context.Open}),
		rec: &recorder{Transport: e.Transport, host: u.Host},
		got: Try{Task: t.Name, Way: way},
	}
	if a.rec.Transport == nil {
		a.rec.Transport = &webclient.Transport{Client: &http.Client{}, Name: keyName, Key: e.Key}
	}
	if err := a.dated(); err != nil {
		return Try{}, err
	}
	ports := a.mem.Host()
	ports.Sandbox = sandbox
	if a.s, err = server.New(server.Deps{Host: ports, Transport: a.rec, Emit: a.hear, Now: func() time.Time { return now }}); err != nil {
		return Try{}, err
	}
	defer a.s.Close()
	if _, err := ask[protocol.Welcome](ctx, a.s, "hello", protocol.Hello{
		Contract: protocol.Contract, Settings: e.settings(way), Platform: protocol.Platform{Name: "linux", ConfigDir: ".obsidian"},
	}); err != nil {
		return Try{}, err
	}
	before := texts(a.mem.Snapshot())
	began := time.Now()
	if err := a.work(ctx); err != nil {
		return Try{}, err
	}
	a.got.Seconds = time.Since(began).Seconds()
	a.measure()
	a.got.Wrong = append(vaults{before, texts(a.mem.Snapshot())}.wrong(t), a.misheard()...)
	a.got.Right = len(a.got.Wrong) == 0
	return a.got, nil
}

// dated gives files the times at which they were made and changed last.
func (a *at) dated() error {
	c := &a.t.Context
	for path := range a.t.Before {
		if c.Created[path] == "" && c.Modified[path] == "" {
			continue
		}
		modified, err := a.t.day(c.Modified[path])
		if err != nil {
			return err
		}
		created, err := a.t.day(c.Created[path])
		if err != nil {
			return err
		}
		if c.Created[path] == "" && modified.Before(created) {
			created = modified
		}
		a.mem.SetTimes(path, created.UnixMilli(), modified.UnixMilli())
	}
	return nil
}

func (e Endpoint) settings(way Way) protocol.Settings {
	s := protocol.Settings{
		Provider: e.Provider, BaseURL: e.URL, Model: e.Model, Streaming: !e.Whole, Confirm: "always",
		AllowDeletes: true, AllowRenames: true, CodeMaxMs: 30_000, CodeMaxMB: 256,
		AgentIterations: 1000, AgentCalls: 1000, // what a way of working costs is measured, and not cut
	}
	if e.Key != "" {
		s.KeyName = keyName
	}
	if way == Notes {
		for _, t := range builtin.All() {
			if !slices.Contains(single, t.Name) {
				s.DisabledTools = append(s.DisabledTools, t.Name)
			}
		}
	}
	return s
}

// ask makes one request to the core.
func ask[R any](ctx context.Context, s *server.Server, method string, params any) (R, error) {
	var r R
	b, err := json.Marshal(params)
	if err != nil {
		return r, err
	}
	out, err := s.Handle(ctx, method, b)
	if err != nil {
		return r, fmt.Errorf("%s: %w", method, err)
	}
	return r, json.Unmarshal(out, &r)
}

// hear takes an event of the core.
func (a *at) hear(e protocol.Event) {
	a.mu.Lock()
	a.events = append(a.events, e)
	a.mu.Unlock()
	select {
	case a.more <- struct{}{}:
	default: // it is noted already that there is one
	}
}

// event waits for the next event.
func (a *at) event(ctx context.Context) (protocol.Event, error) {
	for {
		a.mu.Lock()
		if a.next < len(a.events) {
			e := a.events[a.next]
			a.next++
			a.mu.Unlock()
			return e, nil
		}
		a.mu.Unlock()
		select {
		case <-a.more:
		case <-ctx.Done():
			return protocol.Event{}, ctx.Err()
		}
	}
}

// work sends the person's words, answers a question back once, and approves what is
// shown.
func (a *at) work(ctx context.Context) error {
	if err := a.turn(ctx, a.t.Instruction); err != nil {
		return err
	}
	if a.asked() && a.t.Said != "" {
		if err := a.turn(ctx, a.t.Said); err != nil {
			return err
		}
	}
	if a.review == nil {
		return nil
	}
	a.got.Staged = len(a.review.Files)
	if p := a.review.Problem; p != nil {
		a.got.Problem = i18n.English(p.Key, p.Params)
	}
	if !a.review.Approvable {
		return nil
	}
	if _, err := ask[protocol.RunRef](ctx, a.s, "review.approve", protocol.Approve{Run: a.review.Run, Approval: a.review.Approval}); err != nil {
		if fault.From(errors.Unwrap(err)).Code == fault.Internal {
			return err
		}
		a.got.Problem = err.Error()
		return nil
	}
	for {
		e, err := a.event(ctx)
		if err != nil {
			return err
		}
		if err := a.allow(ctx, e); err != nil {
			return err
		}
		if e.Type == protocol.EventRunState && e.Run.State == protocol.RunFinished {
			return nil
		}
	}
}

// turn sends a message and follows it to its end.
func (a *at) turn(ctx context.Context, text string) error {
	mode := protocol.ModeAgent
	if a.way == Plan {
		mode = protocol.ModePlan
	}
	send := protocol.Send{Text: text, Mode: mode, UseSelection: true, Conversation: "eval"}
	for _, p := range a.t.Context.Attached {
		send.Attached = append(send.Attached, protocol.Attachment{Kind: protocol.AttachNote, Path: p})
	}
	if _, err := ask[protocol.Accepted](ctx, a.s, "send", send); err != nil {
		return err
	}
	for phase := protocol.TurnPhase(""); ; {
		e, err := a.event(ctx)
		if err != nil {
			return err
		}
		if err := a.allow(ctx, e); err != nil {
			return err
		}
		switch {
		case e.Exec != nil && e.Exec.Call != nil && a.way != Plan && phase != protocol.PhaseSimulating:
			a.calls[e.Exec.Call.CallID] = true
			if e.Exec.Type == "step.failed" {
				a.got.Repairs++
			}
		case e.Type == protocol.EventReviewOpened:
			a.review = e.Review
		case e.Type == protocol.EventTurnChanged:
			if e.Turn.Phase == protocol.PhaseRepairing && phase != protocol.PhaseRepairing {
				a.got.Repairs++
			}
			phase = e.Turn.Phase
		case e.Type == protocol.EventTurnEnded:
			a.ended(e.Turn)
			return nil
		}
	}
}

// allow says yes to a question of the program, such as whether to delete.
func (a *at) allow(ctx context.Context, e protocol.Event) error {
	if e.Type != protocol.EventQuestionOpened {
		return nil
	}
	_, err := ask[protocol.Empty](ctx, a.s, "answer", protocol.Answer{ID: e.Question.ID, Yes: true})
	return err
}

// ended takes what a turn gave.
func (a *at) ended(t *protocol.Turn) {
	a.got.Outcome, a.got.Said, a.got.Hollow = string(t.Outcome), t.Reply, t.Hollow
	if t.Problem != nil {
		a.got.Problem = i18n.English(t.Problem.Key, t.Problem.Params)
	}
	if t.Usage != nil {
		a.got.In += t.Usage.Input
		a.got.Out += t.Usage.Output
	}
	words := []string{t.Reply}
	if t.Findings != nil {
		for i := range t.Findings.Parts {
			p := &t.Findings.Parts[i]
			words = append(words, finding.Said(p))
			for _, row := range p.Rows {
				var cells []string
				for _, c := range row {
					cells = append(cells, c.Text)
				}
				words = append(words, strings.Join(cells, " | "))
			}
		}
		a.got.Steps = steps(t.Findings.Plan)
	}
	a.answer = strings.Join(words, "\n")
}

// steps counts the steps of a plan.
func steps(plan string) int {
	var p struct{ Steps []json.RawMessage }
	if json.Unmarshal([]byte(plan), &p) != nil {
		return 0
	}
	return len(p.Steps)
}

// counts fits an answer with the endpoint's own count of tokens.
var counts = regex.Lazy(`"(?:prompt_tokens|input_tokens|prompt_eval_count|promptTokenCount)"`)

// measure counts what it took.
func (a *at) measure() {
	a.got.Exchanges = a.rec.exchanges()
	in, out, counted := 0, 0, false
	for _, e := range a.got.Exchanges {
		if e.asks() {
			a.got.Requests++
			in, out = in+len(e.Sent), out+len(e.Answer)
			counted = counted || counts().MatchString(e.Answer)
		}
	}
	if !counted {
		a.got.Estimated, a.got.In, a.got.Out = true, in/4, out/4
	}
	if a.review != nil && a.way == Plan {
		a.got.Steps = steps(a.review.Plan)
	}
	if a.way != Plan {
		a.got.Steps = len(a.calls)
	}
}

// asked says whether the model asked back. The turn of an agent ends in an answer then.
func (a *at) asked() bool {
	return a.got.Outcome == string(protocol.TurnQuestion) || a.got.Outcome == string(protocol.TurnAnswer) && planner.Asks(a.got.Said)
}

// misheard says how the answer is not what it must be.
func (a *at) misheard() []string {
	if a.t.Question != "" && a.t.Said == "" {
		if !a.asked() {
			return []string{"the model was to ask back"}
		}
		return nil
	}
	return a.t.unsaid(a.answer)
}
