//go:build !js

// Package child runs scripts in a child process of the same program, for where
// there is no worker: the native command and tests.
//
// The child is this program started with one argument. It has no environment,
// reads one script after the other from its input, and is killed when a script
// is over its time. Its memory is bounded by the system where the system can
// (Linux), and by itself everywhere.
package child

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sandbox"
	"embedded-agent/wasm/internal/timestamp"
)

// Defaults where a script names no limits.
const (
	defaultTime = 5 * time.Second
	defaultMB   = 128
)

// Runner is host.Sandbox. Close ends its child.
type Runner struct {
	mu      sync.Mutex // held for a whole script; guards proc
	proc    *process
	command func(mb string) *exec.Cmd
}

var _ host.Sandbox = (*Runner)(nil)

type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
	mb  int
	// words keeps its last message.
	words *words
}

// New makes a runner; its child starts with the first script.
func New() *Runner { return &Runner{command: itself} }

// itself is this program, started as the sandbox.
func itself(mb string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return exec.Command(self, sandbox.Argument, mb)
}

// Run implements host.Sandbox.
func (r *Runner) Run(ctx context.Context, s host.Script) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, fault.From(err)
	}
	if s.Limits.Time <= 0 {
		s.Limits.Time = defaultTime
	}
	if s.Limits.MB <= 0 {
		s.Limits.MB = defaultMB
	}
	if err := sandbox.Fits(s.Input); err != nil {
		return nil, err
	}
	mb := sandbox.Memory(s.Limits.MB, len(s.Input))
	if err := r.start(mb); err != nil {
		return nil, fault.New(fault.Sandbox, "tools.code.none", nil).With(err)
	}
	ctx, cancel := context.WithTimeout(ctx, s.Limits.Time)
	defer cancel()
	said, err := r.ask(ctx, protocol.Sandbox{
		Script: s.Source, Input: len(s.Input), Now: timestamp.Zoned(s.Now),
		MaxSteps: s.Limits.Steps, MaxMs: int(s.Limits.Time.Milliseconds()), MaxMB: mb, Locale: s.Dates.JSON(),
	}, s.Input)
	switch {
	case err == nil:
		return sandbox.Result(said)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		ms := strconv.FormatInt(s.Limits.Time.Milliseconds(), 10)
		return nil, fault.New(fault.Sandbox, "tools.code.time", fault.P{"ms": ms})
	case ctx.Err() != nil:
		return nil, fault.From(ctx.Err())
	}
	return nil, fault.New(fault.Sandbox, "tools.code.died", nil).With(err)
}

// Close ends the child. The runner may be used again.
func (r *Runner) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kill()
}

func (r *Runner) kill() {
	if r.proc == nil {
		return
	}
	_ = r.proc.cmd.Process.Kill() // it may have ended by itself
	_ = r.proc.cmd.Wait()
	r.proc = nil
}

// end says how a child ended that was not told to, with the last words it had.
// One that does not end after all is killed.
func (r *Runner) end() string {
	p := r.proc
	late := time.AfterFunc(grace, func() { _ = p.cmd.Process.Kill() }) // it may have ended
	_ = p.cmd.Wait()                                                   // its state says the same
	late.Stop()
	r.proc = nil
	return strings.TrimSpace(p.cmd.ProcessState.String() + " " + p.words.first())
}

// words keeps the beginning of what a child says of its end.
type words struct{ text []byte }

// maxWords is how many bytes are kept: the first line of a Go program that dies
// says why.
const maxWords = 300

func (w *words) Write(b []byte) (int, error) {
	w.text = append(w.text, b[:min(len(b), maxWords-len(w.text))]...)
	return len(b), nil
}

func (w *words) first() string {
	line, _, _ := strings.Cut(string(w.text), "\n")
	return line
}

// start makes sure that there is a child with that much memory.
func (r *Runner) start(mb int) error {
	if r.proc != nil && r.proc.mb == mb {
		return nil
	}
	r.kill()
	cmd := r.command(strconv.Itoa(mb))
	cmd.Env = []string{}
	cmd.Dir = os.TempDir()
	said := &words{}
	cmd.Stderr = said
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r.proc = &process{cmd, in, json.NewDecoder(out), mb, said}
	return nil
}

// ask hands the child one script: a line, and the bytes of its input behind it, so
// many as the line says. Whatever goes wrong ends the child: what it
// would still answer belongs to nobody.
func (r *Runner) ask(ctx context.Context, s protocol.Sandbox, input []byte) (protocol.Sandboxed, error) {
	p := r.proc
	type outcome struct {
		answer
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		if o.err = json.NewEncoder(p.in).Encode(s); o.err == nil {
			_, o.err = p.in.Write(input)
		}
		if o.err == nil {
			o.err = p.out.Decode(&o.answer)
		}
		done <- o
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return o.Sandboxed, fmt.Errorf("%w: %s", o.err, r.end())
		}
		if o.Last {
			r.kill()
		}
		return o.Sandboxed, nil
	case <-ctx.Done():
		r.kill()
		<-done
		return protocol.Sandboxed{}, ctx.Err()
	}
}

// Main is the child: where the program was started as one, it serves scripts
// until its input ends, and does not return.
func Main() {
	at := slices.Index(os.Args, sandbox.Argument)
	if at != 1 {
		return
	}
	mb := defaultMB
	if len(os.Args) > 2 {
		if n, err := strconv.Atoi(os.Args[2]); err == nil && n > 0 {
			mb = n
		}
	}
	m := limit(mb)
	in, out := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)
	interpreter := sandbox.New()
	for {
		r, input, err := receive(in)
		if err != nil {
			os.Exit(0) // the parent is done, or gone
		}
		// The parent ends a script that is over its time; without a parent, the
		// child does.
		alone := time.AfterFunc(2*time.Duration(r.MaxMs)*time.Millisecond+grace, func() { os.Exit(4) })
		m.working.Store(true)
		a := answer{Sandboxed: interpreter.Run(r, input)}
		m.working.Store(false)
		alone.Stop()
		taken, _ := memory()
		a.Last = taken > m.size/2
		if err := out.Encode(a); err != nil {
			os.Exit(1)
		}
	}
}

// receive reads one script and its input.
func receive(in *bufio.Reader) (r protocol.Sandbox, input []byte, err error) {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return r, nil, err
	}
	if err := json.Unmarshal(line, &r); err != nil || r.Input < 0 || r.Input > sandbox.MaxInput {
		return r, nil, errors.Join(errors.New("not a script"), err)
	}
	input = make([]byte, r.Input)
	_, err = io.ReadFull(in, input)
	return r, input, err
}

// answer is a child's answer to a script. The last one is of a child whose
// script has taken much memory: what a process was given stays counted as its
// own, so the next script, which would be stopped for it, gets a new child.
type answer struct {
	protocol.Sandboxed
	Last bool `json:"last,omitempty"`
}

// grace is how much longer than its parent a child waits, and more.
const grace = time.Second

// maxStack ends a child whose script lets the interpreter call itself without
// end, in bytes.
const maxStack = 32 << 20

// meter looks at how much memory the child has.
type meter struct {
	size    int64       // bytes that it may have
	working atomic.Bool // on a script
}

// limit bounds the child's memory: by a look at it every few milliseconds of a
// script, and by the system's limit where there is one.
//
// What the look judges is what the script still uses, right after a collection of
// garbage: how much more a program holds at a moment depends on when it collected
// last, and would be another bound each time. The system's limit stands far above,
// for the one operation that takes everything between two looks.
func limit(mb int) *meter {
	m := &meter{size: int64(mb) << 20}
	debug.SetMaxStack(maxStack)
	debug.SetMemoryLimit(m.size)
	if !raceDetector {
		limitData(uint64(2*m.size) + apart)
	}
	go func() {
		for range time.Tick(5 * time.Millisecond) {
			if m.working.Load() && m.over() {
				os.Exit(3)
			}
		}
	}()
	return m
}

// apart is how far the system's limit stands above twice the bound, in bytes: a Go
// program takes its heap in pieces of 64 megabytes.
const apart = 256 << 20

// over says whether the script uses more than it may have.
func (m *meter) over() bool {
	if _, held := memory(); held <= m.size {
		return false
	}
	runtime.GC()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64()+sample[1].Value.Uint64()) > m.size
}

// memory gives how many bytes the system has given to the child, and how many
// of them it holds: the rest was given back.
func memory() (taken, held int64) {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	taken = int64(sample[0].Value.Uint64())
	return taken, taken - int64(sample[1].Value.Uint64())
}
