package shorten

import "embedded-agent/wasm/internal/canon"

// JSON writes a value as a model gets it; what cannot be written (a tool's own type,
// a number that is none) becomes the error's words in a JSON string.
func JSON(v any) string {
	b, err := canon.Encode(v)
	if err != nil {
		b, err = canon.Encode(err.Error())
		if err != nil {
			return `"unreadable"`
		}
	}
	return string(b)
}
