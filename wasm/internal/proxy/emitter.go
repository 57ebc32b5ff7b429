//go:build !js

package proxy

import (
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/llm/sentinel"
)

// maxDelta is the largest piece of arguments in one delta event, in bytes.
const maxDelta = 32 << 10

// emitter turns text and calls into output items, and, for a stream, into events. Every event has the next number of one
// count and goes out in one write. It remembers the first error of the writer and is silent from then on; the response is
// still completed, so that it can be stored.
type emitter struct {
	write func(event []byte) error // nil where nothing is streamed
	res   *response
	next  int // the number of the next call's id
	// custom are the tools whose calls are items of another type.
	custom map[string]json.RawMessage

	seq     int
	index   int // output_index of the next item
	msgID   string
	msgText []byte
	items   []sentinel.Item // the output, as it goes into the next transcript
	buf     []byte
	err     error
}

// event writes one event; fields are JSON members after type and sequence_number.
func (e *emitter) event(kind string, fields func(b []byte) []byte) {
	if e.write == nil || e.err != nil {
		return
	}
	b := append(e.buf[:0], "event: "...)
	b = append(b, kind...)
	b = append(b, "\ndata: {\"type\":\""...)
	b = append(b, kind...)
	b = append(b, `","sequence_number":`...)
	b = strconv.AppendInt(b, int64(e.seq), 10)
	b = fields(b)
	b = append(b, "}\n\n"...)
	e.seq++
	e.err = e.write(b)
	if e.buf = b; cap(b) > 1<<20 {
		e.buf = nil
	}
}

func field(b []byte, name string, value []byte) []byte {
	b = append(b, `,"`...)
	b = append(b, name...)
	b = append(b, `":`...)
	return append(b, value...)
}

func textField(b []byte, name, value string) []byte {
	b = append(b, `,"`...)
	b = append(b, name...)
	b = append(b, `":`...)
	return canon.AppendString(b, value)
}

func intField(b []byte, name string, value int) []byte {
	b = append(b, `,"`...)
	b = append(b, name...)
	b = append(b, `":`...)
	return strconv.AppendInt(b, int64(value), 10)
}

// created begins the stream.
func (e *emitter) created() {
	if e.write == nil {
		return
	}
	body := mustJSON(e.res)
	for _, kind := range []string{"response.created", "response.in_progress"} {
		e.event(kind, func(b []byte) []byte { return field(b, "response", body) })
	}
}

// text adds text to the open message, opening one where none is.
func (e *emitter) text(s string) {
	if s == "" {
		return
	}
	if e.msgID == "" {
		e.openMessage()
	}
	e.msgText = append(e.msgText, s...)
	e.event("response.output_text.delta", func(b []byte) []byte {
		b = e.place(b)
		b = textField(b, "delta", s)
		return append(b, `,"logprobs":[]`...)
	})
}

// place names the item that an event is about, and the part of it.
func (e *emitter) place(b []byte) []byte {
	b = textField(b, "item_id", e.msgID)
	b = intField(b, "output_index", e.index)
	return append(b, `,"content_index":0`...)
}

func (e *emitter) openMessage() {
	e.msgID, e.msgText = newID("msg_"), nil
	e.item("response.output_item.added", mustJSON(newMessageItem(e.msgID, "in_progress")))
	e.event("response.content_part.added", func(b []byte) []byte {
		return field(e.place(b), "part", mustJSON(newTextPart("")))
	})
}

// item writes an event about a whole item.
func (e *emitter) item(kind string, item []byte) {
	e.event(kind, func(b []byte) []byte {
		return field(intField(b, "output_index", e.index), "item", item)
	})
}

// closeMessage ends the open message, if there is one.
func (e *emitter) closeMessage(status string) {
	if e.msgID == "" {
		return
	}
	text := string(e.msgText)
	e.event("response.output_text.done", func(b []byte) []byte {
		return append(textField(e.place(b), "text", text), `,"logprobs":[]`...)
	})
	e.event("response.content_part.done", func(b []byte) []byte {
		return field(e.place(b), "part", mustJSON(newTextPart(text)))
	})
	e.finish(mustJSON(newMessageItem(e.msgID, status, newTextPart(text))))
	e.items = append(e.items, sentinel.Item{Kind: sentinel.ItemMessage, Role: sentinel.RoleAssistant, ID: e.msgID, Parts: []sentinel.Part{{Text: text}}})
	e.msgID, e.msgText = "", nil
}

// finish ends an item and puts it into the response.
func (e *emitter) finish(item []byte) {
	e.item("response.output_item.done", item)
	e.res.Output = append(e.res.Output, item)
	e.index++
}

// call adds a function call.
func (e *emitter) call(c *sentinel.Call) {
	e.closeMessage("completed")
	id := sentinel.ID(e.next)
	e.next++
	e.items = append(e.items, sentinel.Item{Kind: sentinel.ItemCall, ID: id, CallID: id, Name: c.Name, Arguments: c.Arguments})
	if e.custom[c.Name] != nil {
		e.customCall(id, c)
		return
	}
	e.item("response.output_item.added", mustJSON(toFunctionCallItem(id, c.Name, "", "in_progress")))
	for _, piece := range pieces(c.Arguments) {
		e.event("response.function_call_arguments.delta", func(b []byte) []byte {
			return textField(intField(textField(b, "item_id", id), "output_index", e.index), "delta", piece)
		})
	}
	e.event("response.function_call_arguments.done", func(b []byte) []byte {
		b = intField(textField(b, "item_id", id), "output_index", e.index)
		return textField(textField(b, "name", c.Name), "arguments", c.Arguments)
	})
	e.finish(mustJSON(toFunctionCallItem(id, c.Name, c.Arguments, "completed")))
}

// pieces cuts s into deltas at the borders of characters.
func pieces(s string) []string {
	var out []string
	for len(s) > maxDelta {
		n := maxDelta
		for !utf8.RuneStart(s[n]) {
			n--
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return append(out, s)
}

// The three ends of a response. Exactly one of them is called, last.

func (e *emitter) completed(u Usage) {
	e.closeMessage("completed")
	e.end("completed", u)
}

func (e *emitter) incomplete(why StopReason, u Usage) {
	e.closeMessage("incomplete")
	e.res.IncompleteDetails = &incomplete{why}
	e.end("incomplete", u)
}

func (e *emitter) failed(code, message string, u Usage) {
	e.closeMessage("incomplete")
	e.res.Error = &responseError{code, message}
	e.end("failed", u)
}

// broken is the first error of the writer.
func (e *emitter) broken() error { return e.err }

func (e *emitter) end(status string, u Usage) {
	e.res.Status = status
	if status == "completed" {
		now := time.Now().Unix()
		e.res.CompletedAt = &now
	}
	e.res.setUsage(u)
	if e.write != nil {
		body := mustJSON(e.res)
		e.event("response."+status, func(b []byte) []byte { return field(b, "response", body) })
	}
}
