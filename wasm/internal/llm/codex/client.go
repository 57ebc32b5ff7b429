//go:build !js

package codex

import (
	"context"
	"time"

	"embedded-agent/wasm/internal/llm"
)

// interruptWait is how long an interrupted turn may take to say that it ended.
const interruptWait = 5 * time.Second

// Input is one piece of what the user says: text, or an image as a data URL.
type Input struct {
	Text     string
	ImageURL string
	Detail   string
}

// Request is one question to the model.
type Request struct {
	Model        string // "" for the configured one
	Instructions string // everything that is not said by the user
	Input        []Input
	Effort       string // reasoning effort, "" for the model's own
}

// ask runs one turn on a thread of its own and hands its text on as it comes. It returns when the turn has ended, also when
// ctx was cancelled: the turn is interrupted then, and the thread given back. begun says whether the server has taken the
// turn: what failed before it did may be asked again.
func (c *conn) ask(ctx context.Context, home, cwd string, r Request, emit func(Event)) (u Usage, begun bool, err error) {
	if err := ctx.Err(); err != nil {
		return Usage{}, false, cancelled(ctx)
	}
	thread, err := c.startThread(cwd, r)
	if err != nil {
		return Usage{}, false, err
	}
	box, err := c.subscribe(thread)
	if err != nil {
		return Usage{}, false, err
	}
	defer func() {
		c.unsubscribe(thread)
		// The thread lives as long as somebody is subscribed; a connection that is gone has taken it along.
		_ = c.call("thread/unsubscribe", map[string]any{"threadId": thread}, nil)
	}()
	f := &fold{home: home, emit: emit}
	if f.turnID, err = c.startTurn(thread, r); err != nil {
		return Usage{}, false, err
	}
	err = c.follow(ctx, thread, box, f)
	return f.usage, true, err
}

func (c *conn) startThread(cwd string, r Request) (string, error) {
	params := map[string]any{
		"cwd": cwd, "ephemeral": true, "baseInstructions": "", "developerInstructions": r.Instructions,
		"approvalPolicy": "never", "sandbox": "read-only",
	}
	if r.Model != "" {
		params["model"] = r.Model
	}
	var out struct {
		Thread struct {
			ID string `json:"id"`
		} `json:"thread"`
	}
	err := c.call("thread/start", params, &out)
	return out.Thread.ID, err
}

func (c *conn) startTurn(thread string, r Request) (string, error) {
	input := make([]map[string]any, len(r.Input))
	for i, in := range r.Input {
		if in.ImageURL == "" {
			input[i] = map[string]any{"type": "text", "text": in.Text}
			continue
		}
		input[i] = map[string]any{"type": "image", "url": in.ImageURL}
		if in.Detail != "" {
			input[i]["detail"] = in.Detail
		}
	}
	params := map[string]any{"threadId": thread, "input": input}
	if r.Effort != "" {
		params["effort"] = r.Effort
	}
	var out struct {
		Turn turnInfo `json:"turn"`
	}
	err := c.call("turn/start", params, &out)
	return out.Turn.ID, err
}

// follow folds the turn's notifications until it ends. Once it is to be stopped, for the client or for what the turn said,
// only the end of the turn matters.
func (c *conn) follow(ctx context.Context, thread string, box *inbox, f *fold) error {
	for {
		posted, err := box.take()
		if err != nil {
			if c.alive() {
				c.interrupt(thread, f.turnID, box)
			}
			return err
		}
		for i, p := range posted {
			done, err := f.take(p.method, p.notice)
			if err != nil && p.method != "turn/completed" {
				if !ended(posted[i:]) {
					c.interrupt(thread, f.turnID, box)
				}
				return err
			}
			if done {
				return err
			}
			if ctx.Err() != nil {
				break
			}
		}
		select {
		case <-ctx.Done():
			if !ended(posted) {
				c.interrupt(thread, f.turnID, box)
			}
			return cancelled(ctx)
		case <-box.ready:
		}
	}
}

func ended(posted []posted) bool {
	for _, p := range posted {
		if p.method == "turn/completed" {
			return true
		}
	}
	return false
}

func (c *conn) alive() bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// interrupt stops a turn and waits for its end. A turn that ended by itself meanwhile refuses to be interrupted; its end is
// in the inbox then.
func (c *conn) interrupt(thread, turn string, box *inbox) {
	box.awaitEnd()
	refused := c.call("turn/interrupt", map[string]any{"threadId": thread, "turnId": turn}, nil) != nil
	timer := time.NewTimer(interruptWait)
	defer timer.Stop()
	for {
		posted, err := box.take()
		if ended(posted) || err != nil || refused {
			return
		}
		select {
		case <-box.ready:
		case <-c.done:
			return
		case <-timer.C:
			return
		}
	}
}

func cancelled(ctx context.Context) error {
	if context.Cause(ctx) == context.DeadlineExceeded {
		return newError(llm.CodeTimeout, "codex.error.timeout", true, "The model did not answer in time. Try again, or choose a faster model.")
	}
	return newError(llm.CodeCancelled, "codex.error.interrupted", false, "Stopped.")
}
