//go:build !js

package proxy

import (
	"strings"

	"embedded-agent/wasm/internal/llm/sentinel"
)

// chatOutput gives an answer in the form of Chat Completions. The emitter in it collects the same answer as items; of its
// own it writes nothing.
type chatOutput struct {
	*emitter
	send  func(event []byte) error // nil where nothing is streamed
	usage bool                     // the counts are wanted as a last chunk
	calls int
	err   error
}

// broken is the first error of the writer.
func (o *chatOutput) broken() error { return o.err }

// put writes one chunk.
func (o *chatOutput) put(chunk any) {
	if o.send == nil || o.err != nil {
		return
	}
	o.err = o.send([]byte("data: " + string(mustJSON(chunk)) + "\n\n"))
}

// delta writes a chunk with what is new.
func (o *chatOutput) delta(delta map[string]any, finish any) {
	o.put(o.chunk([]any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": nil}}))
}

func (o *chatOutput) chunk(choices []any) map[string]any {
	chunk := chatHead(o.res, "chat.completion.chunk")
	chunk["choices"] = choices
	if o.usage {
		chunk["usage"] = nil
	}
	return chunk
}

func chatHead(res *response, object string) map[string]any {
	return map[string]any{
		"id": "chatcmpl-" + strings.TrimPrefix(res.ID, "resp_"), "object": object, "created": res.CreatedAt, "model": res.Model,
	}
}

func (o *chatOutput) created() { o.delta(map[string]any{"role": "assistant", "content": ""}, nil) }

func (o *chatOutput) text(s string) {
	if s == "" {
		return
	}
	o.emitter.text(s)
	o.delta(map[string]any{"content": s}, nil)
}

func (o *chatOutput) call(c *sentinel.Call) {
	id := sentinel.ID(o.next)
	o.emitter.call(c)
	call, argument := o.chatCall(id, c)
	first := map[string]any{"index": o.calls, "id": call.ID, "type": call.Type, call.Type: call.head()}
	o.delta(map[string]any{"tool_calls": []any{first}}, nil)
	for _, piece := range pieces(argument) {
		more := map[string]any{"index": o.calls, call.Type: map[string]string{call.argument(): piece}}
		o.delta(map[string]any{"tool_calls": []any{more}}, nil)
	}
	o.calls++
}

// chatCall gives a call in the form of this API, and the text that it brings.
func (e *emitter) chatCall(id string, c *sentinel.Call) (chatCall, string) {
	if e.custom[c.Name] != nil {
		input := customInput(c.Arguments)
		return chatCall{ID: id, Type: "custom", Custom: &chatCustom{c.Name, input}}, input
	}
	return chatCall{ID: id, Type: "function", Function: &chatFunction{c.Name, c.Arguments}}, c.Arguments
}

// head gives a call before its text, as a stream begins it.
func (c chatCall) head() map[string]string {
	if c.Custom != nil {
		return map[string]string{"name": c.Custom.Name, "input": ""}
	}
	return map[string]string{"name": c.Function.Name, "arguments": ""}
}

// argument is the name of the field with the text.
func (c chatCall) argument() string {
	if c.Custom != nil {
		return "input"
	}
	return "arguments"
}

func (o *chatOutput) completed(u Usage) {
	o.emitter.completed(u)
	o.finish(u)
}

func (o *chatOutput) incomplete(why StopReason, u Usage) {
	o.emitter.incomplete(why, u)
	o.finish(u)
}

func (o *chatOutput) finish(u Usage) {
	o.delta(map[string]any{}, finishReason(o.emitter))
	if o.usage {
		last := o.chunk([]any{})
		last["usage"] = chatUsage(u)
		o.put(last)
	}
	o.done()
}

func (o *chatOutput) failed(code, message string, u Usage) {
	o.emitter.failed(code, message, u)
	o.put(map[string]any{"error": map[string]any{"message": message, "type": "server_error", "code": code, "param": nil}})
	o.done()
}

func (o *chatOutput) done() {
	if o.send != nil && o.err == nil {
		o.err = o.send([]byte("data: [DONE]\n\n"))
	}
}

// finishReason is why an answer ended, in the words of Chat Completions.
func finishReason(e *emitter) string {
	if d := e.res.IncompleteDetails; d != nil {
		return map[StopReason]string{StopLength: "length", StopFilter: "content_filter"}[d.Reason]
	}
	for _, it := range e.items {
		if it.Kind == sentinel.ItemCall {
			return "tool_calls"
		}
	}
	return "stop"
}

// completion is an answer in one piece.
func completion(e *emitter) map[string]any {
	var text strings.Builder
	calls := []chatCall{}
	for _, it := range e.items {
		if it.Kind == sentinel.ItemMessage {
			text.WriteString(itemText(it))
			continue
		}
		call, _ := e.chatCall(it.CallID, &sentinel.Call{Name: it.Name, Arguments: it.Arguments})
		calls = append(calls, call)
	}
	message := map[string]any{"role": "assistant", "content": text.String(), "refusal": nil, "annotations": []any{}}
	if len(calls) > 0 {
		message["tool_calls"] = calls
		if text.Len() == 0 {
			message["content"] = nil
		}
	}
	out := chatHead(e.res, "chat.completion")
	out["choices"] = []any{map[string]any{"index": 0, "message": message, "finish_reason": finishReason(e), "logprobs": nil}}
	u := e.res.Usage
	out["usage"] = chatUsage(Usage{
		Input: u.InputTokens, Cached: u.InputDetails.Cached, Written: u.InputDetails.Written,
		Output: u.OutputTokens, Reasoning: u.OutputDetails.Reasoning,
	})
	return out
}

func chatUsage(u Usage) map[string]any {
	return map[string]any{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"prompt_tokens_details":     map[string]int{"cached_tokens": u.Cached, "cache_write_tokens": u.Written},
		"completion_tokens_details": map[string]int{"reasoning_tokens": u.Reasoning},
	}
}
