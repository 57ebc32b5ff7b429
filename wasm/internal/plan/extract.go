package plan

import "bytes"

// Extract finds a plan in the text of a model that cannot call functions: a
// JSON object that stands alone, in a Markdown fence, or between sentences.
// The first object with a "steps" or "goal" field is taken. Of an object that
// is cut off, all that is there is given, for Decode to say so. False means
// that the text is an answer, not a plan.
func Extract(text string) ([]byte, bool) {
	src := []byte(text)
	const most = 64 // braces tried: prose about code can hold thousands
	at := 0
	for range most {
		open := bytes.IndexByte(src[at:], '{')
		if open < 0 {
			break
		}
		at += open
		r := jsonReader{src: src, i: at, max: MaxDepth}
		m, _ := r.value().(map[string]any)
		_, steps := m["steps"]
		_, goal := m["goal"]
		switch {
		case r.err == nil && (steps || goal):
			return src[at:r.i], true
		case r.err == nil:
			at = r.i
		case r.err.early && (steps || goal):
			return bytes.TrimRight(src[at:], " \n\t\r`"), true
		default:
			at++
		}
	}
	return nil, false
}
