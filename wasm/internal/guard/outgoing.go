package guard

import (
	"context"
	"strings"
	"sync"

	"embedded-agent/wasm/internal/destination"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/regex"
	"embedded-agent/wasm/internal/tool"
)

// Outgoing decides, for one review or one turn, which requests of tools leave
// without a question, and keeps what the person said to those that do not. A
// request may carry what stands in notes: in its address, its headers, or by
// being made at all. So it is asked about, unless everything in it is known to
// be the person's. The zero value asks about every request.
type Outgoing struct {
	g *Guard
	// plan are the steps whose requests may hold text of notes; nil where nobody
	// knows, as of what a model asks for that has read notes.
	plan map[string]bool
	// said gives the person's own words: an address that stands in them may be
	// read without a question.
	said func() string

	mu       sync.Mutex          // guards what follows
	answered map[string]bool     // by the hash of the arguments
	coming   map[string][]coming // what a step's loop is going to ask for
}

// NewOutgoing gives what decides about the requests of one review or turn. Said
// gives the person's own words. Plan names the steps whose requests may hold text
// of notes; it is nil where nobody knows.
func (g *Guard) NewOutgoing(said func() string, plan map[string]bool) *Outgoing {
	return &Outgoing{g: g, said: said, plan: plan}
}

// coming is a call that follows in a loop.
type coming struct {
	args tool.Args
	hash string
}

// Judge is the pipelines' stage: it sees to it that a key goes only where it may,
// and that the person is asked about what may hold text of notes.
func (o *Outgoing) Judge(ctx context.Context, c *tool.Call, e *tool.Entry) (policy.Verdict, error) {
	fine := policy.Verdict{Effect: policy.Allow}
	if e.Facts.Requests == "" || o.g.deps.Transport == nil {
		return fine, nil // it reaches nothing
	}
	to := destination.Of(c.Args.String("url"))
	keys, err := o.g.keys.of(ctx, e, c.Args, to.Origin)
	if err != nil {
		return policy.Verdict{}, err
	}
	for _, k := range keys {
		if k.New {
			return policy.Verdict{Effect: policy.Ask, Key: "policy.newKey", Params: fault.P{"name": k.Name, "host": to.Host}}, nil
		}
	}
	if !e.Simulable || o.free(c) {
		return fine, nil
	}
	return policy.Verdict{Effect: policy.Ask, Key: "policy.mayHoldNotes", Params: fault.P{"host": to.Host}}, nil
}

// free says whether a request holds nothing but what the person said, or what a
// plan has in itself that was made without any text of notes.
func (o *Outgoing) free(c *tool.Call) bool {
	if o.plan != nil && !o.plan[c.StepID] {
		return true
	}
	return o.plan == nil && o.said != nil && standsIn(o.said(), c.Args)
}

// Headers that say nothing: what kind of answer is wanted, and keys by name.
var (
	plainHeaders = map[string]bool{"accept": true, "authorization": true, "x-api-key": true, "api-key": true}
	plainValue   = regex.Lazy(`^(?:(?:Bearer |Basic |token )?\{\{secret:[^{}]+\}\}|\*/\*|application/json|text/html|text/plain)$`)
)

// standsIn says whether a request is for an address that stands in the person's
// words, whole, and carries nothing else.
func standsIn(words string, args tool.Args) bool {
	address := args.String("url")
	given, _ := args["headers"].(map[string]any)
	for name, v := range given {
		value, _ := v.(string)
		if !plainHeaders[strings.ToLower(name)] || !plainValue().MatchString(value) {
			return false
		}
	}
	if address == "" || args.String("body") != "" {
		return false
	}
	for _, word := range strings.FieldsFunc(words, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`“”‘’«»<>", r) }) {
		if word == address || strings.Trim(word, ".,;:!?()[]{}") == address {
			return true
		}
	}
	return false
}

// Loop learns what the calls of a step's loop are going to ask for, so that one
// question can be about all of them.
func (o *Outgoing) Loop(step string, e *tool.Entry, args []func() (tool.Args, error)) {
	if !batched(e) {
		return
	}
	list := make([]coming, 0, len(args))
	for _, bind := range args {
		bound, err := bind()
		if err != nil {
			continue // the call itself will say so
		}
		if hash := hashOf(e, bound); hash != "" {
			list = append(list, coming{bound, hash})
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.coming == nil {
		o.coming = map[string][]coming{}
	}
	o.coming[step] = list
}

// batched says whether one question can be about all requests of a loop: about
// those that send there is one for each.
func batched(e *tool.Entry) bool { return e.Facts.Requests != "" && !e.Sends() }

func hashOf(e *tool.Entry, args tool.Args) string {
	c := tool.Call{Tool: e.Name, Version: e.Version, Args: args}
	if c.Identify() != nil {
		return ""
	}
	return c.ArgsHash
}

// together bounds how many requests of a loop are in one question; the others
// are in the next one.
const together = 100

// batch gives a call, and those that follow it in its loop and go to the same
// host by the same method, as far as nobody has been asked about them.
func (o *Outgoing) batch(e *tool.Entry, c *tool.Call) []coming {
	out := []coming{{c.Args, c.ArgsHash}}
	seen := map[string]bool{c.ArgsHash: true}
	to := destination.Of(c.Args.String("url")).Origin
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, next := range o.coming[c.StepID] {
		_, done := o.answered[next.hash]
		if done || seen[next.hash] || len(out) == together || e.MethodOf(next.args) != e.MethodOf(c.Args) ||
			destination.Of(next.args.String("url")).Origin != to {
			continue
		}
		seen[next.hash] = true
		out = append(out, next)
	}
	return out
}

// Ask is the pipelines' stage: it shows a request as it will be sent, once, and
// remembers the answer for as long as the review or the turn goes on.
func (o *Outgoing) Ask(ctx context.Context, c *tool.Call, v policy.Verdict) (bool, error) {
	e, err := o.g.registry.Get(c.Tool, c.Version)
	if err != nil {
		return false, err
	}
	if !batched(e) {
		return o.g.AskAllow(ctx, c, v)
	}
	o.mu.Lock()
	yes, done := o.answered[c.ArgsHash]
	o.mu.Unlock()
	if done {
		return yes, nil
	}
	batch := o.batch(e, c)
	yes, err = o.g.askRequests(ctx, e, v, batch)
	if err != nil {
		return false, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.answered == nil {
		o.answered = map[string]bool{}
	}
	for _, b := range batch {
		o.answered[b.hash] = yes
	}
	return yes, nil
}
