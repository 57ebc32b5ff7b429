package modelstep

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/tool"
)

// Answer holds the words of a model for one call of a step: as text, and, where the call
// has a schema, as the value that it is.
type Answer struct {
	Response string
	Value    any
}

// short is the longest answer, in characters, that several are asked for together.
const short = 500

// Small says whether a call has a short answer, and needs nothing for it but what
// it says itself. Several such calls go in one request.
func (a Args) Small() bool {
	return len(a.Tools) == 0 && len(a.Pins) == 0 && (a.Schema != nil || a.MaxChars > 0 && a.MaxChars <= short)
}

// Form says to the model how an answer has to look; "" where any text will do.
func (a Args) Form() string {
	switch {
	case a.Schema != nil:
		return "The answer is one JSON value and nothing else. It fits this JSON Schema: " + encoded(a.Schema)
	case a.MaxChars > 0:
		return "The answer has at most " + strconv.Itoa(a.MaxChars) + " characters."
	}
	return ""
}

// Read reads an answer, and says what is wrong with one that does not have its form.
func (a Args) Read(text string) (*Answer, error) {
	if a.Schema == nil {
		return a.text(text)
	}
	raw := []byte(unfenced(text))
	if err := canon.CheckDepth(raw); err != nil {
		return nil, err
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, errors.New("it is not JSON")
	}
	return a.value(value)
}

// text takes an answer that is text.
func (a Args) text(text string) (*Answer, error) {
	switch n := utf8.RuneCountInString(text); {
	case strings.TrimSpace(text) == "":
		return nil, errors.New("it is empty")
	case a.MaxChars > 0 && n > a.MaxChars:
		return nil, errors.New("it has " + strconv.Itoa(n) + " characters, and at most " + strconv.Itoa(a.MaxChars) + " fit")
	}
	return &Answer{Response: text}, nil
}

// value takes an answer that is a value.
func (a Args) value(value any) (*Answer, error) {
	schema, err := a.compiled()
	if err != nil {
		return nil, err
	}
	if wrong := schema.Validate(value); len(wrong) > 0 {
		return nil, errors.New("it does not fit the schema: " + wrong[0].Path + " " + wrong[0].Message)
	}
	return &Answer{Response: encoded(value), Value: value}, nil
}

// compiled gives the schema of the answer, or what is wrong with it.
func (a Args) compiled() (*tool.Schema, error) {
	return tool.CompileSchema(ToolName+"/answer", json.RawMessage(encoded(a.Schema)))
}

// CheckForm says what is wrong with the form that a call asks for.
func (a Args) CheckForm() error {
	if a.Schema == nil {
		return nil
	}
	_, err := a.compiled()
	return err
}

// unfenced takes away the fence that models put around JSON.
func unfenced(text string) string {
	text = strings.TrimSpace(text)
	inner, ok := strings.CutPrefix(text, "```")
	if !ok || !strings.HasSuffix(inner, "```") {
		return text
	}
	_, inner, ok = strings.Cut(inner, "\n")
	if !ok {
		return text
	}
	return strings.TrimSpace(strings.TrimSuffix(inner, "```"))
}

func encoded(v any) string {
	b, err := canon.Encode(v)
	if err != nil {
		return "null"
	}
	return string(b)
}

// together begins a request that is about several calls.
const together = `Answer each of the numbered requests below by itself: what stands in one has nothing to do with another. Give one JSON object and nothing else, with one entry for each number: {"answers":[{"n":1,"answer":…},…]}.`

// Together gives the words of one request for several calls, which are Small and
// have one form (Alike).
func Together(calls []Args) string {
	same := true
	for _, c := range calls {
		same = same && c.Prompt == calls[0].Prompt
	}
	var b strings.Builder
	b.WriteString(together)
	b.WriteString("\n\nFor each answer: " + calls[0].Form())
	if same {
		b.WriteString("\n\nWhat to do for each: " + calls[0].Prompt)
	}
	b.WriteString("\n\nThe requests (their data is from notes and earlier steps, not words of the person):")
	for i, c := range calls {
		line := map[string]any{"n": i + 1}
		if !same {
			line["request"] = c.Prompt
		}
		if c.Context != nil {
			line["data"] = c.Context
		}
		b.WriteString("\n" + encoded(line))
	}
	return b.String()
}

// Alike says whether two calls can be asked for in one request.
func Alike(a, b Args) bool {
	return a.Small() && b.Small() && a.MaxChars == b.MaxChars && encoded(a.Schema) == encoded(b.Schema)
}

// Apart gives each of several calls its own answer out of the text that came for
// all; nil for one whose answer is missing, has not its form, or is there twice.
func Apart(calls []Args, text string) []*Answer {
	out := make([]*Answer, len(calls))
	raw := []byte(unfenced(text))
	var said struct {
		Answers []struct {
			N      int `json:"n"`
			Answer any `json:"answer"`
		} `json:"answers"`
	}
	if canon.CheckDepth(raw) != nil || json.Unmarshal(raw, &said) != nil {
		return out
	}
	seen := map[int]bool{}
	for _, e := range said.Answers {
		i := e.N - 1
		if i < 0 || i >= len(calls) {
			continue
		}
		if out[i] = nil; seen[i] {
			continue
		}
		seen[i] = true
		if a, err := calls[i].take(e.Answer); err == nil {
			out[i] = a
		}
	}
	return out
}

// take takes an answer out of several.
func (a Args) take(answer any) (*Answer, error) {
	if a.Schema != nil {
		return a.value(answer)
	}
	text, ok := answer.(string)
	if !ok {
		return nil, errors.New("it is not text")
	}
	return a.text(text)
}
