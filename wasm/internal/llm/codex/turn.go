//go:build !js

package codex

import (
	"strings"

	"embedded-agent/wasm/internal/llm"
)

// Event is one message of a turn while it runs.
type Event struct {
	Text string
	// NewMessage is true where the model began another message of the same turn.
	NewMessage bool
}

// Usage counts tokens of one request.
type Usage struct {
	Input, Cached, Output, Reasoning int
	// Stopped says why the model ended before it was done, in the word of its API (max_output_tokens, content_filter); ""
	// where it was done.
	Stopped string
}

// fold turns the notifications of one turn into text, each piece once. It is a pure state machine: no I/O, no lock.
type fold struct {
	home string
	emit func(Event)

	turnID  string
	users   int             // user messages seen: a second one means that somebody steered the turn
	open    string          // the id of the message being written
	said    []byte          // what it has said so far
	closed  map[string]bool // messages that are finished or given up
	handed  []byte          // all text handed on in this turn
	settled int             // how much of it belongs to finished messages
	replays []string        // after a retry: what may come again from the start, shrinking as it does
	usage   Usage
	pending *turnError // the last error that was not retried
}

// take folds one notification. done means that the turn is over; err says why, if it did not complete.
func (f *fold) take(method string, n notice) (done bool, err error) {
	switch method {
	case "turn/started":
		f.turnID = n.Turn.ID
	case "item/started":
		return f.started(n.Item)
	case "item/agentMessage/delta":
		return f.delta(n.ItemID, n.Delta)
	case "item/completed":
		if n.Item != nil && n.Item.Type == "agentMessage" {
			return f.completed(*n.Item)
		}
	case "thread/tokenUsage/updated":
		if n.Usage != nil { // the thread has one turn, so its total is the turn's
			u := n.Usage.Total
			f.usage = Usage{Input: u.Input, Cached: u.Cached, Output: u.Output, Reasoning: u.Reasoning}
		}
	case "error":
		if n.WillRetry {
			f.retry()
		} else {
			f.pending = n.Error
		}
	case "turn/completed":
		return f.ended(n.Turn)
	}
	return false, nil
}

func (f *fold) started(it *item) (bool, error) {
	switch {
	case it == nil:
	case it.Type == "userMessage":
		if f.users++; f.users > 1 {
			return true, newError(llm.CodeProvider, "codex.error.steered", true, "Another message was put into the running turn. Ask again.")
		}
	case it.Type == "agentMessage":
		return f.begin(it.ID)
	}
	return false, nil
}

// begin opens a message. While another is open and nothing was said of a retry, something else wrote into the turn.
func (f *fold) begin(id string) (bool, error) {
	if f.open != "" {
		return true, newError(llm.CodeProvider, "codex.error.abandoned", true, "Codex began another answer before the first one was finished. Ask again.")
	}
	if f.settled > 0 && len(f.replays) == 0 && f.settled == len(f.handed) {
		f.emit(Event{NewMessage: true})
	}
	f.open, f.said = id, f.said[:0]
	return false, nil
}

func (f *fold) delta(id, text string) (bool, error) {
	if f.closed[id] {
		return false, nil
	}
	if id != f.open {
		if done, err := f.begin(id); err != nil {
			return done, err
		}
	}
	return f.write(text)
}

// write hands on what of the text is new.
func (f *fold) write(text string) (bool, error) {
	f.said = append(f.said, text...)
	if len(f.replays) > 0 {
		var ok bool
		if text, ok = f.skip(text); !ok {
			return true, newError(llm.CodeProvider, "codex.error.diverged", true,
				"The model's answer broke off, and its second attempt says something else. Ask again.")
		}
	}
	if text != "" {
		f.handed = append(f.handed, text...)
		f.emit(Event{Text: text})
	}
	return false, nil
}

// skip takes what was handed on before the retry out of text. ok is false where it says something else.
func (f *fold) skip(text string) (rest string, ok bool) {
	var alive []string
	for _, r := range f.replays {
		n := min(len(r), len(text))
		if r[:n] != text[:n] {
			continue
		}
		if n == len(r) {
			f.replays = nil
			return text[n:], true
		}
		alive = append(alive, r[n:])
	}
	f.replays = alive
	return "", len(alive) > 0
}

// retry prepares for text to come again: that of the message that broke off, or, where the model repeats what it had finished
// too, all of the turn's.
func (f *fold) retry() {
	f.close(f.open)
	f.open, f.replays = "", nil
	if unfinished := string(f.handed[f.settled:]); unfinished != "" {
		f.replays = []string{unfinished}
		if f.settled > 0 {
			f.replays = append(f.replays, string(f.handed))
		}
	}
}

func (f *fold) close(id string) {
	if f.closed == nil {
		f.closed = map[string]bool{}
	}
	f.closed[id] = true
}

// completed closes a message. Its text is whole in the notification: what no delta brought is handed on now.
func (f *fold) completed(it item) (bool, error) {
	if f.closed[it.ID] {
		return false, nil
	}
	if it.ID != f.open {
		if done, err := f.begin(it.ID); err != nil {
			return done, err
		}
	}
	if rest, ok := strings.CutPrefix(it.Text, string(f.said)); ok && rest != "" {
		if done, err := f.write(rest); err != nil {
			return done, err
		}
	}
	f.close(it.ID)
	f.open = ""
	if len(f.replays) == 0 {
		f.settled = len(f.handed)
	}
	return false, nil
}

func (f *fold) ended(t *turnInfo) (bool, error) {
	switch t.Status {
	case "completed":
		for _, it := range t.Items {
			if it.Type == "agentMessage" {
				if done, err := f.completed(it); err != nil {
					return done, err
				}
			}
		}
		if f.open != "" || len(f.replays) > 0 { // what was handed on is not what the model ended with
			return true, newError(llm.CodeProvider, "codex.error.unfinished", true, "Codex ended the turn in the middle of the answer. Ask again.")
		}
		return true, nil
	case "interrupted":
		return true, newError(llm.CodeCancelled, "codex.error.interrupted", false, "Stopped.")
	default:
		e := t.Error
		if e == nil {
			e = f.pending
		}
		if e == nil {
			e = &turnError{Message: "the turn ended as " + clip(t.Status, 40)}
		}
		if f.usage.Stopped = e.incomplete(); f.usage.Stopped != "" {
			return true, nil
		}
		return true, e.asError(f.home)
	}
}
