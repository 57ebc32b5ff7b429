// Package sandbox runs the scripts of code.run: Starlark, a dialect of Python
// that has no files, network, clock or modules to load. A script is a pure
// function, values in and a value out:
//
//	def main(input):
//	    return {"words": len(input["text"].split())}
//
// Beside Starlark's own functions it has json, re (regexp.go) and time
// (clock.go, from the run's clock).
//
// The interpreter itself keeps the limits that it can: steps, nesting and size
// of the output. It cannot keep those of time and memory: one multiplication
// may take for ever, and one list all there is. So a script never runs where
// anything else does. In the app that is a second worker, with the same wasm
// whose memory has a maximum; natively a child process (package child). Either
// is ended from outside when it is over its time, and dies alone when it is
// over its memory.
package sandbox

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/moment"
	"embedded-agent/wasm/internal/protocol"
)

// Argument makes a program that is started with it the sandbox, and nothing
// else.
const Argument = "sandbox"

// The bounds that no setting moves.
const (
	// MaxScript is the longest script, in bytes.
	MaxScript = 64 << 10
	// MaxOutput is the longest output, in bytes of JSON.
	MaxOutput = 16 << 20
	// MaxSteps is how many steps a script may take where the caller names no
	// number: a second or two under wasm.
	MaxSteps = 20_000_000
	maxDepth = 64 // of the output
)

// Interpreter runs scripts one after the other. It keeps the last ones
// compiled, since a loop over notes runs the same one thousands of times.
type Interpreter struct {
	programs map[string]*starlark.Program
	// tables is the JSON of dates, the locale of the last script.
	tables string
	dates  *moment.Locale
	order  []string
}

// New makes an interpreter.
func New() *Interpreter { return &Interpreter{programs: map[string]*starlark.Program{}} }

// Result gives the output of an answer, or as SANDBOX_ERROR what was wrong with
// the script.
func Result(r protocol.Sandboxed) ([]byte, error) {
	if r.Error != "" {
		return nil, fault.New(fault.Sandbox, "tools.code.failed", fault.P{"problem": r.Error})
	}
	return []byte(r.Output), nil
}

// maxPrograms bounds what is kept compiled.
const maxPrograms = 16

// Run runs one script from its beginning on its input, which is JSON: nothing of an
// earlier run is left but the compiled program. What is wrong with the script is in the answer's Error.
func (in *Interpreter) Run(r protocol.Sandbox, input []byte) protocol.Sandboxed {
	now, err := time.Parse(time.RFC3339, r.Now)
	if err != nil {
		now = time.Unix(0, 0).UTC()
	}
	steps := r.MaxSteps
	if steps <= 0 {
		steps = MaxSteps
	}
	thread := &starlark.Thread{Name: "script", Print: func(*starlark.Thread, string) {}}
	thread.SetMaxExecutionSteps(uint64(steps))
	thread.OnMaxSteps = func(t *starlark.Thread) {
		t.Cancel(fmt.Sprintf("it took more than %d steps", steps))
	}
	out, err := in.run(thread, r, input, now)
	answer := protocol.Sandboxed{Output: string(out), Steps: int64(thread.ExecutionSteps())}
	if err != nil {
		answer.Output, answer.Error = "", explain(err)
	}
	return answer
}

func (in *Interpreter) run(thread *starlark.Thread, r protocol.Sandbox, text []byte, now time.Time) ([]byte, error) {
	env := starlark.StringDict{"json": jsonModule, "re": textModule, "time": clockModule(now, in.datesOf(r.Locale))}
	program, err := in.compile(r.Script)
	if err != nil {
		return nil, err
	}
	globals, err := program.Init(thread, env)
	if err != nil {
		return nil, err
	}
	main, ok := globals["main"].(*starlark.Function)
	if !ok {
		return nil, errNoMain
	}
	input, err := decodeValue(text)
	if err != nil {
		return nil, err
	}
	value, err := starlark.Call(thread, main, starlark.Tuple{input}, nil)
	if err != nil {
		return nil, err
	}
	return appendValue(nil, value, 0)
}

// datesOf gives the locale of its JSON, made once. Tables that lack something are
// English, as in the core.
func (in *Interpreter) datesOf(tables string) *moment.Locale {
	if tables != in.tables {
		in.tables, in.dates = tables, moment.Read(tables)
	}
	return in.dates
}

// compile gives a script's program, kept from an earlier run where there is
// one.
func (in *Interpreter) compile(script string) (*starlark.Program, error) {
	if p, ok := in.programs[script]; ok {
		return p, nil
	}
	_, p, err := compile(script)
	if err != nil {
		return nil, err
	}
	if len(in.order) == maxPrograms {
		delete(in.programs, in.order[0])
		in.order = in.order[1:]
	}
	in.programs[script] = p
	in.order = append(in.order, script)
	return p, nil
}

// explain gives an error in words that help to repair the script: what, and
// where.
func explain(err error) string {
	var failed *starlark.EvalError
	if !errors.As(err, &failed) {
		return clip(err.Error())
	}
	for i := range failed.CallStack {
		// The innermost frame of the script itself; builtins have no place.
		frame := failed.CallStack.At(i)
		if frame.Pos.IsValid() && frame.Pos.Line > 0 {
			return clip(fmt.Sprintf("line %d: %s", frame.Pos.Line, failed.Msg))
		}
	}
	return clip(failed.Msg)
}

// cancelled is how the interpreter begins the reason of a stop.
const cancelled = "Starlark computation cancelled: "

// maxError bounds the words of an error: fail(text) takes any text.
const maxError = 2000

func clip(s string) string {
	s = strings.ToValidUTF8(strings.Replace(s, cancelled, "", 1), "\ufffd")
	if len(s) > maxError {
		s = strings.ToValidUTF8(s[:maxError], "") + "…"
	}
	return s
}
