package builtin

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/note"
)

// ownKey gives a property's name as the note writes it: the very name, or else the
// one that differs in case alone. A name is one to people, and to the app, however
// it is written; a second property beside it would be found by nobody.
func ownKey(values map[string]any, key string) string {
	if _, there := values[key]; there {
		return key
	}
	for _, k := range slices.Sorted(maps.Keys(values)) {
		if strings.EqualFold(k, key) {
			return k
		}
	}
	return key
}

// propertyNames gives the names of a note's properties, also where a value cannot
// be read.
func propertyNames(data []byte) map[string]any {
	props, _ := note.ParseFront(data).Properties()
	out := make(map[string]any, len(props))
	for _, p := range props {
		out[p.Key] = nil
	}
	return out
}

// unread is the error of a front matter that cannot be read and speaks of one of
// the words: whether what is looked for is in it nobody can say. Front matter that
// does not speak of them is not asked for.
func unread(data []byte, words ...string) error {
	front := note.ParseFront(data)
	_, err := front.Values()
	if err == nil {
		return nil
	}
	text := bytes.ToLower(data[:front.Body.Start])
	for _, w := range words {
		if w != "" && bytes.Contains(text, []byte(strings.ToLower(w))) {
			return errFront(err)
		}
	}
	return nil
}
