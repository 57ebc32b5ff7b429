package chat

import (
	"slices"
	"strings"
)

// cacheMark marks the end of what an endpoint is to keep for the next request.
type cacheMark struct {
	Type string `json:"type"`
}

// mostMarked is how many ends of what was said are marked, beside the system text. Anthropic takes four marks in all.
const mostMarked = 2

// marksCache says whether requests to a model carry marks of what is to be kept: OpenRouter hands them on to Anthropic,
// whose models keep nothing without them (https://openrouter.ai/docs/guides/best-practices/prompt-caching).
func marksCache(q Quirks, model string) bool {
	return q.CacheMarks && strings.HasPrefix(model, "anthropic/")
}

// markCache marks the ends of what the next request will begin with: of the system text, with the tools before it, of
// all so far, and of what the request before this one ended with, since a long answer in between may hide it. Marks stand
// in parts of text alone, so what could be marked is written as parts, marked or not: a message that loses its mark
// stays the same bytes otherwise.
func markCache(list []message) {
	marked, answered := 0, true
	for i, m := range slices.Backward(list) {
		if m.Role == "assistant" {
			answered = true
			continue
		}
		parts := inParts(m.Content)
		if len(parts) == 0 {
			continue
		}
		list[i].Content = parts
		wanted := m.Role == "system" || answered && marked < mostMarked
		// Results of several calls are one message to Anthropic: its end is marked.
		if wanted && mark(parts) && m.Role != "system" {
			marked++
			answered = false
		}
	}
}

// inParts gives the content of a message as parts; none for a message without a word.
func inParts(content any) []part {
	if parts, ok := content.([]part); ok {
		return parts
	}
	if text, ok := content.(string); ok && text != "" {
		return []part{{Type: "text", Text: text}}
	}
	return nil
}

// mark marks the last part of text that says something: Anthropic refuses a mark on an empty one.
func mark(parts []part) bool {
	for i := range slices.Backward(parts) {
		if p := &parts[i]; p.Type == "text" && strings.TrimSpace(p.Text) != "" {
			p.CacheControl = &cacheMark{"ephemeral"}
			return true
		}
	}
	return false
}
