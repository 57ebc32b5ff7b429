package canon

import (
	"bytes"
	"encoding/json"

	"embedded-agent/wasm/internal/fault"
)

// Encode writes a value as JSON, without a line break at its end, and without
// escaping what only HTML would need: notes are full of it. Its error is
// INTERNAL. The keys of maps are sorted; otherwise it is not the canonical form
// that Append writes.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fault.From(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
