//go:build !js

package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// eventFields lists the events that the proxy sends and exactly the fields that each has, from the official SDK's types.
var eventFields = map[string][]string{
	"response.created":                       {"response", "sequence_number"},
	"response.in_progress":                   {"response", "sequence_number"},
	"response.completed":                     {"response", "sequence_number"},
	"response.failed":                        {"response", "sequence_number"},
	"response.incomplete":                    {"response", "sequence_number"},
	"response.output_item.added":             {"item", "output_index", "sequence_number"},
	"response.output_item.done":              {"item", "output_index", "sequence_number"},
	"response.content_part.added":            {"content_index", "item_id", "output_index", "part", "sequence_number"},
	"response.content_part.done":             {"content_index", "item_id", "output_index", "part", "sequence_number"},
	"response.output_text.delta":             {"content_index", "delta", "item_id", "logprobs", "output_index", "sequence_number"},
	"response.output_text.done":              {"content_index", "item_id", "logprobs", "output_index", "sequence_number", "text"},
	"response.function_call_arguments.delta": {"delta", "item_id", "output_index", "sequence_number"},
	"response.custom_tool_call_input.delta":  {"delta", "item_id", "output_index", "sequence_number"},
	"response.custom_tool_call_input.done":   {"input", "item_id", "output_index", "sequence_number"},
	"response.function_call_arguments.done":  {"arguments", "item_id", "name", "output_index", "sequence_number"},
}

// responseKeys are the keys that every response object must have (Open Responses).
var responseKeys = strings.Fields(`id object created_at completed_at status incomplete_details model previous_response_id
	instructions output error tools tool_choice truncation parallel_tool_calls text top_p presence_penalty frequency_penalty
	top_logprobs temperature reasoning usage max_output_tokens max_tool_calls store background service_tier metadata
	safety_identifier prompt_cache_key`)

type anyMap = map[string]any

// checker reads a stream of events and says everything about it that is not as it must be.
type checker struct {
	problems []string
	seq      int
	index    int    // output_index that the next item must have
	open     anyMap // the item that is being written
	deltas   []byte
	whole    string // what .done said
	done     []any  // items that are done
	ended    string // the terminal event
	response anyMap // of the terminal event
	started  bool
}

func (c *checker) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// checkStream checks a whole stream and returns the final response with the problems.
func checkStream(stream []byte) (anyMap, []string) {
	c := &checker{}
	events := bytes.Split(stream, []byte("\n\n"))
	if last := events[len(events)-1]; len(last) != 0 {
		c.problem("the stream does not end with a blank line: %.80q", last)
	}
	for _, raw := range events[:len(events)-1] {
		c.frame(raw)
	}
	if c.ended == "" {
		c.problem("there is no terminal event")
	}
	return c.response, c.problems
}

func (c *checker) frame(raw []byte) {
	head, data, ok := strings.Cut(string(raw), "\ndata: ")
	kind, isEvent := strings.CutPrefix(head, "event: ")
	if !ok || !isEvent || strings.Contains(data, "\n") {
		c.problem("not an event: %.80q", raw)
		return
	}
	var e anyMap
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		c.problem("%s: %v", kind, err)
		return
	}
	if e["type"] != kind {
		c.problem("the event line says %s, its type is %v", kind, e["type"])
	}
	if c.ended != "" {
		c.problem("%s follows %s", kind, c.ended)
	}
	if n, _ := e["sequence_number"].(float64); int(n) != c.seq {
		c.problem("%s has sequence_number %v, not %d", kind, e["sequence_number"], c.seq)
	}
	c.seq++
	delete(e, "type")
	var got []string
	for k := range e {
		got = append(got, k)
	}
	slices.Sort(got)
	if want := eventFields[kind]; !slices.Equal(got, want) {
		c.problem("%s has the fields %v, not %v", kind, got, want)
	}
	c.event(kind, e)
}

func (c *checker) event(kind string, e anyMap) {
	if kind != "response.created" && !c.started {
		c.problem("%s before response.created", kind)
	}
	switch kind {
	case "response.created":
		c.started = true
		c.object(e["response"].(anyMap), "in_progress")
	case "response.in_progress":
		c.object(e["response"].(anyMap), "in_progress")
	case "response.output_item.added":
		if c.open != nil {
			c.problem("an item was added while another is open")
		}
		c.open, c.deltas, c.whole = e["item"].(anyMap), nil, ""
		c.at(kind, e)
	case "response.output_item.done":
		c.itemDone(e)
	case "response.output_text.delta", "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		c.at(kind, e)
		c.deltas = append(c.deltas, e["delta"].(string)...)
	case "response.output_text.done":
		c.at(kind, e)
		c.whole = e["text"].(string)
	case "response.custom_tool_call_input.done":
		c.at(kind, e)
		c.whole = e["input"].(string)
	case "response.function_call_arguments.done":
		c.at(kind, e)
		c.whole = e["arguments"].(string)
		if c.open != nil && e["name"] != c.open["name"] {
			c.problem("%s names %v, the item %v", kind, e["name"], c.open["name"])
		}
	case "response.content_part.added", "response.content_part.done":
		c.at(kind, e)
	case "response.completed", "response.failed", "response.incomplete":
		c.end(kind, e["response"].(anyMap))
	}
}

// at checks that an event is about the open item.
func (c *checker) at(kind string, e anyMap) {
	if c.open == nil {
		c.problem("%s without an open item", kind)
		return
	}
	if n, _ := e["output_index"].(float64); int(n) != c.index {
		c.problem("%s has output_index %v, not %d", kind, e["output_index"], c.index)
	}
	if id, has := e["item_id"]; has && id != c.open["id"] {
		c.problem("%s has item_id %v, not %v", kind, id, c.open["id"])
	}
}

func (c *checker) itemDone(e anyMap) {
	c.at("response.output_item.done", e)
	it := e["item"].(anyMap)
	if c.open != nil && (it["id"] != c.open["id"] || it["type"] != c.open["type"]) {
		c.problem("the item done is not the item added: %v, %v", it, c.open)
	}
	if string(c.deltas) != c.whole {
		c.problem("the deltas of %v give %.60q, done says %.60q", it["id"], c.deltas, c.whole)
	}
	said := ""
	switch it["type"] {
	case "message":
		said = it["content"].([]any)[0].(anyMap)["text"].(string)
	case "custom_tool_call":
		said, _ = it["input"].(string)
	case "function_call":
		said, _ = it["arguments"].(string)
		if it["call_id"] == nil || it["call_id"] != it["id"] {
			c.problem("a function call has id %v and call_id %v", it["id"], it["call_id"])
		}
		if !json.Valid([]byte(said)) {
			c.problem("arguments are not JSON: %.60q", said)
		}
	}
	if said != c.whole {
		c.problem("the item says %.60q, done said %.60q", said, c.whole)
	}
	c.done = append(c.done, it)
	c.open = nil
	c.index++
}

func (c *checker) end(kind string, res anyMap) {
	c.ended, c.response = kind, res
	if c.open != nil {
		c.problem("%s while an item is open", kind)
	}
	c.object(res, strings.TrimPrefix(kind, "response."))
	a, _ := json.Marshal(res["output"])
	b, _ := json.Marshal(append([]any{}, c.done...))
	if !bytes.Equal(a, b) {
		c.problem("the output of the response is not its items: %.200s, %.200s", a, b)
	}
}

// object checks a response object.
func (c *checker) object(res anyMap, status string) {
	c.problems = append(c.problems, checkObject(res, status)...)
}

func checkObject(res anyMap, status string) []string {
	var problems []string
	for _, k := range responseKeys {
		if _, ok := res[k]; !ok {
			problems = append(problems, "the response has no "+k)
		}
	}
	if len(res) != len(responseKeys) {
		problems = append(problems, fmt.Sprintf("the response has %d keys, not %d", len(res), len(responseKeys)))
	}
	if res["status"] != status {
		problems = append(problems, fmt.Sprintf("status is %v, not %s", res["status"], status))
	}
	if problem := checkUsage(res["usage"]); problem != "" {
		problems = append(problems, problem)
	}
	if (status == "failed") != (res["error"] != nil) || (status == "incomplete") != (res["incomplete_details"] != nil) ||
		(status == "completed") != (res["completed_at"] != nil) {
		problems = append(problems, fmt.Sprintf("error, incomplete_details and completed_at do not fit the status %s", status))
	}
	return problems
}

// checkUsage holds the counts to OpenAI's description of the API (version 2.3.0): it has no null for them, and wants every one.
func checkUsage(usage any) string {
	counts, _ := usage.(anyMap)
	for name, parts := range map[string][]string{
		"input_tokens": nil, "output_tokens": nil, "total_tokens": nil,
		"input_tokens_details": {"cached_tokens", "cache_write_tokens"}, "output_tokens_details": {"reasoning_tokens"},
	} {
		_, isCount := counts[name].(float64)
		details, _ := counts[name].(anyMap)
		for _, part := range parts {
			if _, isCount = details[part].(float64); !isCount {
				break
			}
		}
		if !isCount {
			return fmt.Sprintf("usage has no %s as it is described: %v", name, usage)
		}
	}
	return ""
}
