package plan

import (
	"bytes"

	"embedded-agent/wasm/internal/strictjson"
)

// Extract finds a plan in the text of a model that cannot call functions: a
// JSON object that stands alone, in a Markdown fence, or between sentences.
// The first object with a "steps" or "goal" field is taken. Of an object that
// is cut off, all that is there is given, for Decode to say so. False means
// that the text is an answer, not a plan.
func Extract(text string) ([]byte, bool) {
	src := bytes.TrimSpace([]byte(text))
	const most = 64 // braces tried: prose about code can hold thousands
	at := 0
	for range most {
		open := bytes.IndexByte(src[at:], '{')
		if open < 0 {
			break
		}
		at += open
		end, is, whole := readObject(src, at)
		switch {
		case is:
			return src[at:end], true
		case whole:
			at = end
		default:
			at++
		}
	}
	return nil, false
}

// readObject reads the object at src[at:] and says where it ends, whether it
// is a plan, and whether it is whole. A plan that is cut off ends with the text
// or with the fence that it stands in.
func readObject(src []byte, at int) (end int, is, whole bool) {
	v, end, err := strictjson.Value(src, at, MaxDepth)
	if err != nil && !err.Early {
		if fence := bytes.Index(src[at:], []byte("\n```")); fence >= 0 {
			src = src[:at+fence]
			v, end, err = strictjson.Value(src, at, MaxDepth)
		}
	}
	m, _ := v.(map[string]any)
	_, steps := m["steps"]
	_, goal := m["goal"]
	switch {
	case err == nil:
		return end, steps || goal, true
	case err.Early:
		return len(src), steps || goal, false
	}
	return 0, false, false
}
