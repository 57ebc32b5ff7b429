package note

import (
	"bytes"
	"encoding/json"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/jsontoken"
)

// rewriteCanvas follows renames in a canvas (JSON Canvas 1.0): the values of
// "file", which are whole paths. All else stays byte for byte. It returns nil
// when nothing changes.
func (r *Rename) rewriteCanvas(data []byte) []byte {
	var edits Edits
	eachCanvasFile(data, func(value Span, p string) {
		if to, moved := r.Moves[p]; moved {
			edits.Replace(value, string(canon.AppendString(nil, to)))
		}
	})
	if len(edits) == 0 {
		return nil
	}
	return edits.Apply(data)
}

// eachCanvasFile visits the values of "file".
func eachCanvasFile(data []byte, visit func(value Span, path string)) {
	key := []byte(`"file"`)
	for at := 0; ; {
		n := bytes.Index(data[at:], key)
		if n < 0 {
			return
		}
		at += n + len(key)
		i := skipSpace(data, at, len(data))
		if i >= len(data) || data[i] != ':' {
			continue
		}
		value, ok := jsonString(data, skipSpace(data, i+1, len(data)))
		if !ok {
			continue
		}
		var p string
		if json.Unmarshal(value.Of(data), &p) == nil { // what is no JSON is not ours to mend
			visit(value, p)
		}
		at = value.End
	}
}

// jsonString gives the span of the JSON string that starts at an offset.
func jsonString(data []byte, at int) (Span, bool) {
	if at >= len(data) || data[at] != '"' {
		return Span{}, false
	}
	end, _, wrong := jsontoken.Text(data, at)
	return Span{at, end}, wrong == jsontoken.Nothing
}

// CanvasFiles lists the files that a canvas shows.
func CanvasFiles(data []byte) []string {
	var out []string
	eachCanvasFile(data, func(_ Span, p string) { out = append(out, p) })
	return out
}
