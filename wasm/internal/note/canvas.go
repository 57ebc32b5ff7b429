package note

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// rewriteCanvas follows renames in a canvas (JSON Canvas 1.0): the values of
// "file", which are whole paths. All else stays byte for byte. It returns nil
// when nothing changes.
func (r *Rename) rewriteCanvas(data []byte) []byte {
	var edits Edits
	key := []byte(`"file"`)
	for at := 0; ; {
		n := bytes.Index(data[at:], key)
		if n < 0 {
			break
		}
		at += n + len(key)
		i := skipSpace(data, at, len(data))
		if i >= len(data) || data[i] != ':' {
			continue
		}
		i = skipSpace(data, i+1, len(data))
		value, ok := jsonString(data, i)
		if !ok {
			continue
		}
		var p string
		if json.Unmarshal(value.Of(data), &p) != nil {
			continue // not JSON: not ours to mend
		}
		if to, moved := r.Moves[p]; moved {
			edits.Replace(value, quoteJSON(to))
		}
		at = value.End
	}
	if len(edits) == 0 {
		return nil
	}
	return edits.Apply(data)
}

// jsonString gives the span of the JSON string that starts at an offset.
func jsonString(data []byte, at int) (Span, bool) {
	if at >= len(data) || data[at] != '"' {
		return Span{}, false
	}
	for i := at + 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return Span{at, i + 1}, true
		}
	}
	return Span{}, false
}

func quoteJSON(s string) string {
	b := make([]byte, 0, len(s)+2)
	b = append(b, '"')
	for _, r := range s {
		if r == '"' || r == '\\' {
			b = append(b, '\\')
		}
		b = utf8.AppendRune(b, r)
	}
	return string(append(b, '"'))
}
