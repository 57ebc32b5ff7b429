package carrier

import (
	"bytes"
	"encoding/json"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/jsontoken"
	"embedded-agent/wasm/internal/note"
)

func (e Edit) canvas(data []byte, edits *note.Edits) {
	eachValue(data, func(value note.Span, key, text string) {
		var to string
		changed := false
		if key == "text" {
			var out []byte
			out, changed = e.Text([]byte(text))
			to = string(out)
		} else if e.File != nil {
			to, changed = e.File(text)
		}
		if changed {
			edits.Replace(value, string(canon.AppendString(nil, to)))
		}
	})
}

// eachValue visits what may lead to files: the values of "file" (a card that shows
// a file), "background" (a group's image) and "text" (a card's Markdown).
func eachValue(data []byte, visit func(value note.Span, key, text string)) {
	for at := 0; ; {
		n := bytes.IndexByte(data[at:], '"')
		if n < 0 {
			return
		}
		at += n
		s, ok := jsonString(data, at)
		if !ok {
			return
		}
		at = s.End
		key := string(data[s.Start+1 : s.End-1])
		i := skipSpace(data, at)
		if key != "file" && key != "background" && key != "text" || i >= len(data) || data[i] != ':' {
			continue
		}
		value, ok := jsonString(data, skipSpace(data, i+1))
		if !ok {
			continue
		}
		var text string
		if json.Unmarshal(value.Of(data), &text) == nil { // what is no JSON is not ours to mend
			visit(value, key, text)
		}
		at = value.End
	}
}

// jsonString gives the span of the JSON string that starts at an offset.
func jsonString(data []byte, at int) (note.Span, bool) {
	if at >= len(data) || data[at] != '"' {
		return note.Span{}, false
	}
	end, _, wrong := jsontoken.Text(data, at)
	return note.Span{Start: at, End: end}, wrong == jsontoken.Nothing
}

func skipSpace(d []byte, i int) int {
	for i < len(d) && (d[i] == ' ' || d[i] == '\t' || d[i] == '\n' || d[i] == '\r') {
		i++
	}
	return i
}
