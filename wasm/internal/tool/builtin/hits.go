package builtin

import (
	"embedded-agent/wasm/internal/index"
)

// hit is a file that passed. Its properties are known by its text (values), or
// by its row; data is what is told of it.
type hit struct {
	*index.Found
	values map[string]any
	data   map[string]any
	// unclear: a property has a value that cannot be compared with the wanted one.
	unclear bool
}

// known says whether the file's properties are known.
func (h *hit) known() bool { return h.values != nil || h.Row.Known() }

// value gives a property.
func (h *hit) value(p property) any {
	if h.values != nil {
		return h.values[p.name]
	}
	return p.known.Value(h.Row)
}
