//go:build !js

package codex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/codex/codextest"
)

func TestMain(m *testing.M) {
	codextest.MaybeFake()
	os.Exit(m.Run())
}

// fakeServer starts the stand-in for Codex, which is this very program.
func fakeServer(t *testing.T, kind string, maxTurns ...int) (*Server, error) {
	t.Helper()
	t.Setenv(codextest.FakeEnv, kind)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // the stand-in has nothing to report and need not wait
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	bin, err := filepath.Rel(here, os.Args[0]) // as a person would name it, from where they stand
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Bin: bin, Home: t.TempDir(), Env: []string{codextest.FakeEnv, "GORACE"}}
	if maxTurns != nil {
		cfg.MaxTurns = maxTurns[0]
	}
	s, err := Start(t.Context(), cfg)
	if err == nil {
		t.Cleanup(s.Close)
	}
	return s, err
}

func mustServer(t *testing.T) *Server {
	t.Helper()
	s, err := fakeServer(t, "good")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ask(ctx context.Context, s *Server, text string, emit func(Event)) (string, error) {
	var b strings.Builder
	_, err := s.Ask(ctx, Request{Instructions: "i", Input: []Input{{Text: text}}}, func(e Event) {
		b.WriteString(e.Text)
		if emit != nil {
			emit(e)
		}
	})
	return b.String(), err
}

func wantCode(t *testing.T, err error, code, word string) {
	t.Helper()
	var le *llm.Error
	if !errors.As(err, &le) || le.Code != code || !strings.Contains(le.Message, word) {
		t.Errorf("error %v, want code %s and %q in it", err, code, word)
	}
}

func TestATurnIsFollowedAlsoWhenItStartsBeforeItsAnswer(t *testing.T) {
	s := mustServer(t)
	for _, in := range []string{"[say Hello 🦊 you]", "[early][say Hello 🦊 you]"} {
		if got, err := ask(t.Context(), s, in, nil); err != nil || got != "Hello 🦊 you" {
			t.Errorf("%s: want no error and \"Hello 🦊 you\", got %q, %v", in, got, err)
		}
	}
}

func TestManyThreadsRunAtOnceAndNeverMeet(t *testing.T) {
	s := mustServer(t)
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			want := fmt.Sprintf("answer number %d", i)
			if got, err := ask(t.Context(), s, "[say "+want+"]", nil); err != nil || got != want {
				t.Errorf("%d: want no error and equal to want, got %q, %v", i, got, err)
			}
		})
	}
	wg.Wait()
	if running, starts, asking := s.Status(); !running || starts != 1 || asking != 0 {
		t.Errorf("running %v, started %d times, %d asking", running, starts, asking)
	}
}

func TestACancelledTurnIsInterruptedAndTheNextOneRuns(t *testing.T) {
	s := mustServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	got, err := ask(ctx, s, "[slow]", func(Event) { cancel() })
	if got != "word" {
		t.Errorf("text %q", got)
	}
	wantCode(t, err, llm.CodeCancelled, "Stopped")
	if got, err := ask(t.Context(), s, "[say next]", nil); err != nil || got != "next" {
		t.Errorf("next: %q, %v", got, err)
	}
	if _, err := ask(ctx, s, "[say never]", nil); err == nil {
		t.Error("a request that was cancelled before it began was asked")
	}
}

func TestRequestsOfTheServerAreDeclinedSoThatItNeverWaits(t *testing.T) {
	got, err := ask(t.Context(), mustServer(t), "[ask]", nil)
	if err == nil || !strings.HasPrefix(got, "answered: not supported") {
		// the stand-in ends the turn without ending the message, which is an error of its own
		t.Errorf("want an error and a text beginning with \"answered: not supported\", got %q, %v", got, err)
	}
}

func TestWhenTheProcessDiesOpenTurnsFailAndTheNextRequestStartsItAgain(t *testing.T) {
	s := mustServer(t)
	waiting := make(chan error, 1)
	started := make(chan struct{})
	go func() {
		_, err := ask(t.Context(), s, "[slow]", func(Event) { close(started) })
		waiting <- err
	}()
	<-started
	got, err := ask(t.Context(), s, "[die]", nil)
	if got != "word" {
		t.Errorf("text before the death: %q", got)
	}
	wantCode(t, err, llm.CodeProvider, "ended unexpectedly")
	wantCode(t, <-waiting, llm.CodeProvider, "ended unexpectedly")
	if got, err := ask(t.Context(), s, "[say back]", nil); err != nil || got != "back" {
		t.Errorf("after the death: %q, %v", got, err)
	}
	if _, starts, asking := s.Status(); starts != 2 || asking != 0 {
		t.Errorf("started %d times, %d asking", starts, asking)
	}
}

func TestARequestRightAfterAnIdleProcessDiedIsRepeatedOnce(t *testing.T) {
	s := mustServer(t)
	for round := range 3 {
		s.mu.Lock()
		p := s.proc
		s.mu.Unlock()
		// Nobody has noticed the death: the connection reads on, and the first write fails.
		p.conn.wmu.Lock()
		p.conn.w = brokenPipe{}
		p.conn.wmu.Unlock()
		if !p.conn.alive() {
			t.Fatal("the death was noticed")
		}
		var asking sync.WaitGroup
		for i := range 5 {
			asking.Go(func() {
				if got, err := ask(t.Context(), s, "[say back]", nil); err != nil || got != "back" {
					t.Errorf("round %d, request %d: %q, %v", round, i, got, err)
				}
			})
		}
		asking.Wait()
	}
	if _, starts, asking := s.Status(); starts != 4 || asking != 0 {
		t.Errorf("started %d times, %d asking", starts, asking)
	}
}

// brokenPipe is the way to a process that is no more.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestAProcessThatAnsweredEnoughIsReplacedWithoutHurtingWhoStillAsksIt(t *testing.T) {
	s, err := fakeServer(t, "good", 2)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	waiting, started := make(chan error, 1), make(chan struct{})
	go func() {
		_, err := ask(ctx, s, "[slow]", func(Event) { close(started) })
		waiting <- err
	}()
	<-started
	s.mu.Lock()
	first := s.proc
	s.mu.Unlock()
	for i := range 3 {
		if got, err := ask(t.Context(), s, "[say x]", nil); err != nil || got != "x" {
			t.Errorf("%d: want no error and \"x\", got %q, %v", i, got, err)
		}
	}
	if _, starts, asking := s.Status(); starts != 2 || asking != 1 {
		t.Errorf("started %d times, %d asking", starts, asking)
	}
	if !first.conn.alive() {
		t.Error("the first process was ended under an open request")
	}
	cancel()
	wantCode(t, <-waiting, llm.CodeCancelled, "Stopped")
	<-first.waited // it ends with its last request
}

func TestAMissingOrWrongProgramIsAMessageWithTheInstallCommand(t *testing.T) {
	_, err := Start(t.Context(), Config{Bin: "no-such-codex-anywhere", Home: t.TempDir()})
	wantCode(t, err, llm.CodeNotFound, InstallCommand)
	_, err = Start(t.Context(), Config{Bin: "true", Home: t.TempDir()})
	wantCode(t, err, llm.CodeProvider, InstallCommand)
	_, err = fakeServer(t, "deaf")
	wantCode(t, err, llm.CodeProvider, InstallCommand)
	wantCode(t, err, llm.CodeProvider, "unrecognized subcommand")
}

func TestAClosedServerRefusesAndItsProcessIsGone(t *testing.T) {
	s := mustServer(t)
	s.Close()
	_, err := ask(t.Context(), s, "[say x]", nil)
	wantCode(t, err, llm.CodeCancelled, "shutting down")
	if s.Pid() != 0 {
		t.Error("a process is left")
	}
}

func TestImagesThatCodexWouldRefuseOrTurnIntoTextAreRefusedBefore(t *testing.T) {
	const good = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	if err := CheckImage(good); err != nil {
		t.Errorf("a good image: %v", err)
	}
	for _, bad := range []string{
		"https://example.invalid/a.png", "data:image/png;base64,AAAA", "data:image/png;base64,???", "data:text/plain;base64,AAAA",
		"data:image/png,raw", good[:len(good)-24], "", "file:///a.png",
	} {
		wantCode(t, CheckImage(bad), llm.CodeValidation, "data URL")
	}
	_, err := mustServer(t).Ask(t.Context(), Request{Input: []Input{{ImageURL: "https://example.invalid/a.png"}}}, func(Event) {})
	wantCode(t, err, llm.CodeValidation, "remote")
}

func TestASlowReaderLosesItsTurnAndNotItsMemory(t *testing.T) {
	box := &inbox{ready: make(chan struct{}, 1)}
	for range 3 {
		box.put(posted{method: "item/agentMessage/delta", size: maxQueued / 2})
	}
	if got, err := box.take(); len(got) != 2 || err != nil {
		t.Errorf("%d notifications, %v", len(got), err)
	}
	_, err := box.take()
	wantCode(t, err, llm.CodeProvider, "not read as fast")
	box.awaitEnd()
	box.put(posted{method: "item/agentMessage/delta"})
	box.put(posted{method: "turn/completed"})
	if got, err := box.take(); len(got) != 1 || err != nil {
		t.Errorf("after the interrupt: %d notifications, %v", len(got), err)
	}
}

// endingWriter is a server that answers a request and is gone before anybody can look.
type endingWriter struct{ c *conn }

func (w endingWriter) Write(p []byte) (int, error) {
	var m message
	if err := json.Unmarshal(p, &m); err != nil {
		return 0, err
	}
	w.c.answer(message{ID: m.ID, Result: json.RawMessage(`{"x":7}`)})
	w.c.mu.Lock()
	w.c.err = died(io.EOF)
	w.c.mu.Unlock()
	close(w.c.done)
	return len(p), nil
}

func TestAnAnswerThatCameBeforeTheEndIsNotLost(t *testing.T) {
	for range 50 {
		c := &conn{waiting: map[int64]chan message{}, done: make(chan struct{})}
		c.w = endingWriter{c}
		var out struct{ X int }
		if err := c.call("thread/start", nil, &out); err != nil || out.X != 7 {
			t.Fatalf("want no error and X 7, got %v, %+v", err, out)
		}
	}
}

func TestAThreadTakesOneTurn(t *testing.T) {
	c := &conn{threads: map[string]*inbox{}}
	if _, err := c.subscribe("a"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.subscribe("a"); err == nil {
		t.Error("a second turn was let onto a busy thread: it would steer the first")
	}
}
