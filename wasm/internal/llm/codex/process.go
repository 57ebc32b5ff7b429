//go:build !js

package codex

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"embedded-agent/wasm/internal/llm"
)

// InstallCommand installs the version of Codex that this package was made for.
const InstallCommand = "npm install -g @openai/codex@0.169.0"

const (
	startTimeout = 20 * time.Second
	closeTimeout = 3 * time.Second
	// defaultMaxTurns is how many requests one process answers before another takes its place.
	defaultMaxTurns = 500
	// restartPause keeps a server that dies at once from being started over and over.
	restartPause = time.Second
)

// Config says which Codex to run and how.
type Config struct {
	Bin  string // path or name of the program; "" means codex
	Home string // its private CODEX_HOME: configuration and sign-in live there
	// Env names further variables of the environment that Codex is told, besides the few that it needs.
	Env        []string
	ConfigFile string // a config.toml to use instead of the one that switches every tool off
	WebSearch  bool   // Codex may search the web by itself
	ViewImage  bool   // Codex may look at image files by itself
	// Set are further settings, each as key=value with the value in TOML; they win over the file.
	Set []string
	// MaxTurns is how many requests one process answers before a fresh one takes its place, 0 for 500: Codex keeps every
	// thread in memory for long after its end, and one that is not persisted cannot be deleted.
	MaxTurns int
}

// Server supervises one app-server process. Ask may be called from any number of goroutines.
type Server struct {
	cfg  Config
	bin  string
	args []string

	starting sync.Mutex // held while a process is started, so that only one is; guards the two fields below
	failed   error      // why the last start failed
	failAt   time.Time

	mu     sync.Mutex // guards what follows
	proc   *process
	closed bool
	starts int
	asking int
}

type process struct {
	cmd    *exec.Cmd
	stdin  interface{ Close() error }
	conn   *conn
	stderr *tail
	waited chan struct{}

	// guarded by the server's mu
	turns   int  // requests taken
	asking  int  // requests open
	retired bool // another process took its place; it ends with its last request
}

// Start finds the program, prepares its home and starts it. A missing or wrong program is an error that says what to install.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	if cfg.Bin == "" {
		cfg.Bin = "codex"
	}
	if cfg.MaxTurns <= 0 {
		cfg.MaxTurns = defaultMaxTurns
	}
	bin, err := exec.LookPath(cfg.Bin)
	if err != nil {
		return nil, newError(llm.CodeNotFound, "codex.error.missing", false,
			fmt.Sprintf("The program %q was not found. Install Codex with: %s", cfg.Bin, InstallCommand))
	}
	if bin, err = filepath.Abs(bin); err != nil { // it is run in another folder
		return nil, err
	}
	if cfg.Home, err = filepath.Abs(cfg.Home); err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, bin: bin}
	if s.args, err = prepareHome(ctx, bin, cfg); err != nil {
		return nil, s.wrong(err, "")
	}
	p, err := s.connect()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	p.turns-- // this was no request
	s.mu.Unlock()
	s.release(p)
	return s, nil
}

// wrong is the error for a program that is there but does not behave like the Codex that is needed.
func (s *Server) wrong(err error, said string) error {
	if said != "" {
		said = " It said: " + clip(said, 300)
	}
	return newError(llm.CodeProvider, "codex.error.wrong", false,
		fmt.Sprintf("%s does not work as a Codex app-server (%v).%s Install the right one with: %s", s.bin, err, said, InstallCommand))
}

// Ask runs one request and hands its text on as it comes, from the goroutine of the caller. When ctx ends, the turn is
// interrupted and Ask returns once Codex is free of it. Errors are of type *llm.Error.
func (s *Server) Ask(ctx context.Context, r Request, emit func(Event)) (Usage, error) {
	for _, in := range r.Input {
		if in.ImageURL != "" {
			if err := CheckImage(in.ImageURL); err != nil {
				return Usage{}, err
			}
		}
	}
	usage, begun, err := s.askOnce(ctx, r, emit)
	if begun || !isDied(err) || ctx.Err() != nil {
		return usage, err
	}
	// The process had died while nobody asked it, and nobody had noticed yet: this request is the first to.
	usage, _, err = s.askOnce(ctx, r, emit)
	return usage, err
}

// askOnce asks a running process. begun says whether it had taken the request.
func (s *Server) askOnce(ctx context.Context, r Request, emit func(Event)) (u Usage, begun bool, err error) {
	p, err := s.connect()
	if err != nil {
		return Usage{}, true, err
	}
	defer s.release(p)
	u, begun, err = p.conn.ask(ctx, s.cfg.Home, filepath.Join(s.cfg.Home, "work"), r, emit)
	if !begun && isDied(err) {
		p.stop(0) // nothing can be written to it any more, whatever it still says
	}
	return u, begun, err
}

// release gives a process back after a request.
func (s *Server) release(p *process) {
	s.mu.Lock()
	p.asking--
	s.asking--
	last := p.retired && p.asking == 0
	s.mu.Unlock()
	if last {
		p.stop(closeTimeout)
	}
}

// Status says whether the process runs, how often it was started, and how many requests it is busy with.
func (s *Server) Status() (running bool, starts, asking int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.proc != nil && s.proc.conn.alive(), s.starts, s.asking
}

// connect returns the running process for one request, to be released afterwards, and starts one where there is none.
func (s *Server) connect() (*process, error) {
	s.starting.Lock()
	defer s.starting.Unlock()
	s.mu.Lock()
	old, closed := s.proc, s.closed
	usable := old != nil && old.conn.alive()
	if usable && !closed && old.turns < s.cfg.MaxTurns {
		defer s.mu.Unlock()
		s.take(old)
		return old, nil
	}
	s.mu.Unlock()
	switch {
	case closed:
		return nil, errClosed
	case s.failed != nil && time.Since(s.failAt) < restartPause:
		return nil, s.failed
	case old != nil && !usable:
		old.stop(0)
	}
	next, err := s.launch()
	s.failed, s.failAt = err, time.Now()
	if err != nil {
		return nil, err
	}
	return next, s.replace(next)
}

// take counts a request on a process.
func (s *Server) take(p *process) {
	p.turns++
	p.asking++
	s.asking++
}

// replace puts a process that has just started in the place of the one before, which ends with its last request.
func (s *Server) replace(next *process) error {
	s.mu.Lock()
	old := s.proc
	if s.closed { // while it started
		s.mu.Unlock()
		next.stop(closeTimeout)
		return errClosed
	}
	s.proc = next
	s.starts++
	s.take(next)
	idle := old != nil && old.asking == 0
	if old != nil {
		old.retired = true
	}
	s.mu.Unlock()
	if idle {
		old.stop(closeTimeout)
	}
	return nil
}

var errClosed = newError(llm.CodeCancelled, "codex.error.closed", false, "The proxy is shutting down.")

// launch starts the process and shakes hands with it.
func (s *Server) launch() (*process, error) {
	cmd := exec.Command(s.bin, s.args...)
	cmd.Env = environ(s.cfg)
	cmd.Dir = filepath.Join(s.cfg.Home, "work")
	p := &process{cmd: cmd, stderr: &tail{}, waited: make(chan struct{})}
	cmd.Stderr = p.stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, s.wrong(err, "")
	}
	p.stdin, p.conn = stdin, newConn(stdin, stdout)
	go func() {
		<-p.conn.done  // Wait may close stdout only after everything was read from it
		_ = cmd.Wait() // its death was reported by the connection
		close(p.waited)
	}()
	if err := p.shakeHands(); err != nil {
		p.stop(0)
		return nil, s.wrong(err, p.stderr.String())
	}
	return p, nil
}

func (p *process) shakeHands() error {
	greeted := make(chan error, 1)
	go func() {
		err := p.conn.call("initialize", map[string]any{
			"clientInfo": map[string]any{"name": "embedded-agent", "title": nil, "version": "1"},
		}, nil)
		if err == nil {
			err = p.conn.notify("initialized")
		}
		greeted <- err
	}()
	timer := time.NewTimer(startTimeout)
	defer timer.Stop()
	select {
	case err := <-greeted:
		return err
	case <-timer.C:
		return errors.New("it did not answer")
	}
}

// stop ends the process: politely by closing its input, and by force when it has not ended after the given time.
func (p *process) stop(wait time.Duration) {
	_ = p.stdin.Close() // a process that is gone has closed it
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-p.waited:
		return
	case <-timer.C:
	}
	_ = p.cmd.Process.Kill() // it may have ended this instant
	<-p.waited
}

// Close ends the process. Requests that are still open fail.
func (s *Server) Close() {
	s.mu.Lock()
	p := s.proc
	s.closed, s.proc = true, nil
	s.mu.Unlock()
	if p != nil {
		p.stop(closeTimeout)
	}
}

// Pid is the id of the running process, 0 where none runs.
func (s *Server) Pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc == nil {
		return 0
	}
	return s.proc.cmd.Process.Pid
}

// tail keeps the last two kilobytes of what was written, for the message about a start that failed.
type tail struct {
	mu  sync.Mutex // guards buf
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if n := len(t.buf) - 2048; n > 0 {
		t.buf = bytes.Clone(t.buf[n:])
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.buf))
}
