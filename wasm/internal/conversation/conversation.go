// Package conversation keeps what was said in the plugin's store: for each
// conversation a file of records by each device that takes part in it, and a
// record for each turn when it ends. So a crash loses the turn under way and
// nothing else, and a sync has no file that two devices write. Everything is
// redacted before it is written, and bounded.
//
//	conversations/ID.DEVICE.jsonl      records, framed and chained by package record
//	conversations/ID.DEVICE.new.jsonl  the same while the file is made anew, shorter
//	conversations/ID.jsonl             of earlier versions: read, and left as it is
//
// A conversation is all that its files say, by time. What another device or window
// adds is seen the next time that anything is asked.
//
// What a turn staged and nobody has approved yet is kept with it, so that a
// conversation goes on after a start where it was. Where redaction would change
// that, it is not kept: what is staged is written as it is, or not at all.
package conversation

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// Turn is one exchange as it is kept.
type Turn struct {
	// Shown is the turn as the panel draws it.
	Shown protocol.Turn `json:"shown"`
	// Messages are those that the turn added to the conversation for a model.
	Messages []llm.Message `json:"messages,omitempty"`
	// Staged are the receipts of the calls that wrote to the overlay, in source
	// order; Run is the review that shows them, if one was opened.
	Staged []tool.Envelope `json:"staged,omitempty"`
	Run    string          `json:"run,omitempty"`
	// Trace is the run id under which the turn was traced.
	Trace string `json:"trace,omitempty"`
	// Findings tell the model of the next turn how the simulation of this turn's
	// plan ended.
	Findings string `json:"findings,omitempty"`
	// Plain says that the model was told no text of notes in the turn, nor in one
	// before it.
	Plain bool `json:"plain,omitempty"`
	// Lost says that something was staged that could not be kept.
	Lost bool `json:"lost,omitempty"`
	// Seq and Asked number the calls and the questions to the model so far.
	Seq   int `json:"seq,omitempty"`
	Asked int `json:"asked,omitempty"`
	// Waiting are messages of the person that were queued and not read.
	Waiting []string `json:"waiting,omitempty"`
}

// Settled says how staged changes ended: approved and run, or refused.
type Settled struct {
	Run      string `json:"run"`
	Approved bool   `json:"approved"`
}

// Conversation is one of them, read.
type Conversation struct {
	ID      string
	Title   string
	Updated string // RFC 3339
	Turns   []*Turn
	// Revision is that of the library when it was read.
	Revision int
}

// Summary gives the line of the list.
func (c *Conversation) Summary() protocol.Conversation {
	return protocol.Conversation{ID: c.ID, Title: c.Title, UpdatedAt: c.Updated, Turns: len(c.Turns)}
}

// Runs gives the runs that its turns stand for, whether or not they came to one.
func (c *Conversation) Runs() []string {
	var out []string
	for _, t := range c.Turns {
		if t.Shown.Run != "" {
			out = append(out, t.Shown.Run)
		}
	}
	return out
}

// Messages gives what a model is told of the conversation so far.
func (c *Conversation) Messages() []llm.Message {
	var out []llm.Message
	for _, t := range c.Turns {
		out = append(out, t.Messages...)
	}
	return out
}

// Numbers gives the last numbers of calls and of questions.
func (c *Conversation) Numbers() (seq, asked int) {
	for _, t := range c.Turns {
		seq, asked = max(seq, t.Seq), max(asked, t.Asked)
	}
	return seq, asked
}

// Staged gives the receipts of what is staged and not settled yet, in order.
func (c *Conversation) Staged() []tool.Envelope {
	var out []tool.Envelope
	for _, t := range c.Turns {
		out = append(out, t.Staged...)
	}
	return out
}

// Last gives the last turn; nil when there is none.
func (c *Conversation) Last() *Turn {
	if len(c.Turns) == 0 {
		return nil
	}
	return c.Turns[len(c.Turns)-1]
}

// Settle takes away what was staged up to the turn that a review belongs to.
func (c *Conversation) Settle(s Settled) {
	at := slices.IndexFunc(c.Turns, func(t *Turn) bool { return t.Run == s.Run && s.Run != "" })
	for _, t := range c.Turns[:at+1] {
		t.Staged, t.Lost = nil, false
	}
}

// apply adds a record to the conversation.
func (c *Conversation) apply(r *entry) {
	if r.At != "" {
		c.Updated = r.At
	}
	switch {
	case r.Turn != nil:
		c.Turns = append(c.Turns, r.Turn)
		if c.Title == "" {
			c.Title = titleOf(r.Turn.Shown.Text)
		}
	case r.Drop != "":
		c.Turns = slices.DeleteFunc(c.Turns, func(t *Turn) bool { return t.Shown.ID == r.Drop })
	case r.Title != "":
		c.Title = r.Title
	case r.Settled != nil:
		c.Settle(*r.Settled)
	}
}

// entry is one record of the file.
type entry struct {
	At string `json:"at,omitempty"`
	// N orders records of the same time: one more than those that were known.
	N int `json:"n,omitempty"`
	// Head is how many records a file that was made anew has at least.
	Head    int      `json:"head,omitempty"`
	Turn    *Turn    `json:"turn,omitempty"`
	Drop    string   `json:"drop,omitempty"`
	Title   string   `json:"title,omitempty"`
	Settled *Settled `json:"settled,omitempty"`
}

// maxTitle bounds a title that was made of the first words, in bytes.
const maxTitle = 80

func titleOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(line)
	if len(line) <= maxTitle {
		return line
	}
	n := maxTitle
	for n > 0 && !utf8.RuneStart(line[n]) {
		n--
	}
	return strings.TrimSpace(line[:n]) + "…"
}

// holds says whether a text occurs in what was said.
func (c *Conversation) holds(lower string) bool {
	if strings.Contains(strings.ToLower(c.Title), lower) {
		return true
	}
	for _, t := range c.Turns {
		said := append([]string{t.Shown.Text, t.Shown.Reply}, t.Shown.Steered...)
		if slices.ContainsFunc(said, func(s string) bool { return strings.Contains(strings.ToLower(s), lower) }) {
			return true
		}
	}
	return false
}

// clone copies a turn through its JSON.
func clone(t *Turn) (*Turn, error) {
	b, err := llm.Marshal(t)
	if err != nil {
		return nil, err
	}
	var out Turn
	return &out, json.Unmarshal(b, &out)
}
