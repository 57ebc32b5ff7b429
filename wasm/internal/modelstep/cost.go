package modelstep

import (
	"sync"

	"embedded-agent/wasm/internal/price"
)

// Cost estimates how much model steps are going to send, and its price.
type Cost struct {
	// Calls are those of the plan, and Requests what is sent for them: several short
	// answers come of one request. UpTo says that it may be fewer, since a model that
	// has tools chooses how often it goes on.
	Calls, Requests int
	UpTo            bool
	// Notes are the notes, or other elements, whose texts are sent.
	Notes  int
	Tokens int64 // in and out
	Money  price.Nano
	Priced bool // Money is known
}

// fewNotes is how many notes one request may carry without a question.
const fewNotes = 10

// Asks says whether the person is asked before so much is sent. One request with the
// texts of a few notes is what a message of a conversation sends, too.
func (c *Cost) Asks() bool { return c.Requests > 1 || c.Notes > fewNotes }

// Leave keeps what a person has allowed the model steps of one review, through all
// of its simulations. It is for so many calls of a step, and for so many tokens in
// all. The zero Leave, and a nil one, allow nothing.
type Leave struct {
	mu     sync.Mutex // guards what follows
	steps  map[string]*allowed
	tokens int64
}

// allowed counts the calls that one step may still make.
type allowed struct {
	left int
	made map[string]bool // calls, which are allowed when they are tried again
}

// Has says whether a call of a step is allowed, and counts it.
func (l *Leave) Has(step, call string) bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.steps[step]
	switch {
	case a == nil:
		return false
	case a.made[call]:
		return true
	case a.left == 0:
		return false
	}
	a.left--
	a.made[call] = true
	return true
}

// Give allows a step so many more calls.
func (l *Leave) Give(step string, calls int) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.steps == nil {
		l.steps = map[string]*allowed{}
	}
	if l.steps[step] == nil {
		l.steps[step] = &allowed{made: map[string]bool{}}
	}
	l.steps[step].left += calls
}

// GiveTokens allows so many more tokens.
func (l *Leave) GiveTokens(n int64) {
	if l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.tokens += n
	}
}

// Tokens gives the tokens that a yes was for; 0 where nobody was asked.
func (l *Leave) Tokens() int64 {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tokens
}

// margin is how many times its estimate a yes allows: an estimate may be off by half,
// and answers that do not fit are asked for again.
const margin = 2

// spare is added to that, in tokens: an estimate of little is off by more.
const spare = 2000

// Bound gives the tokens at which steps stop that were estimated to need so many,
// where the settings set no limit.
func Bound(tokens int64) int64 { return margin*tokens + spare }
