package modelstep

import (
	"encoding/json"
	"sync"

	"embedded-agent/wasm/internal/tool"
)

// Loop is a loop of model steps as it is simulated: the calls that are to come, and
// answers that have come for several of them together. A nil Loop has neither.
type Loop struct {
	step string
	args []func() (tool.Args, error)

	mu    sync.Mutex // guards ready
	ready map[int]prepared
}

// prepared has the answer to a call that has not been made. Answer is nil for one
// that has to be asked alone.
type prepared struct {
	args   string
	answer *Answer
}

// Coming is a call of a loop: its place in it, and its arguments.
type Coming struct {
	Index int
	Raw   tool.Args
	Args  Args
}

// NewLoop gives the loop of a step whose calls have these arguments.
func NewLoop(step string, args []func() (tool.Args, error)) *Loop {
	return &Loop{step: step, args: args, ready: map[int]prepared{}}
}

// of says whether a call belongs to the loop.
func (l *Loop) of(c *tool.Call) bool {
	return l != nil && c != nil && c.StepID == l.step && c.Iteration != nil && c.Iteration.Index < len(l.args)
}

// From gives a call and those that follow it, as many as take lets in: it is told
// each, and what it refuses is left out; false ends the list.
func (l *Loop) From(c *tool.Call, take func(Coming) (in, more bool)) []Coming {
	if !l.of(c) {
		return nil
	}
	var out []Coming
	for i := c.Iteration.Index; i < len(l.args); i++ {
		raw, err := l.args[i]()
		if err != nil {
			continue // the call itself will say so
		}
		next := Coming{Index: i, Raw: raw}
		if json.Unmarshal([]byte(encoded(raw)), &next.Args) != nil {
			continue
		}
		in, more := take(next)
		if in {
			out = append(out, next)
		}
		if !more {
			break
		}
	}
	return out
}

// Keep keeps what came for a call; nil has it asked alone.
func (l *Loop) Keep(c Coming, a *Answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready[c.Index] = prepared{encoded(c.Raw), a}
}

// Ready gives what came for a call together with others; known says that it was
// among them. It is given for the arguments that were asked about alone.
func (l *Loop) Ready(c *tool.Call, args tool.Args) (a *Answer, known bool) {
	if !l.of(c) {
		return nil, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.ready[c.Iteration.Index]
	if !ok || p.args != encoded(args) {
		return nil, false
	}
	return p.answer, true
}
