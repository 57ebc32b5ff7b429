package llm

import (
	"encoding/binary"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/digest"
)

const (
	shortID    = 9
	idAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// IDs renames the call ids of one request, both ways. The zero value renames nothing.
type IDs struct {
	wire, original map[string]string
}

// FitIDs gives ids that an endpoint takes to the calls of a conversation: an id that fits stays; the others become nine
// letters and digits that are derived from their text, so that the same conversation always gives the same ids. Nine is
// what Mistral insists on, and nobody refuses it.
func FitIDs(messages []Message, fits func(id string) bool) IDs {
	m := IDs{wire: make(map[string]string), original: make(map[string]string)}
	for _, message := range messages {
		for _, call := range message.Calls() {
			if fits(call.ID) {
				m.wire[call.ID], m.original[call.ID] = call.ID, call.ID
			}
		}
	}
	for _, message := range messages {
		for _, call := range message.Calls() {
			m.add(call.ID)
		}
	}
	return m
}

func (m IDs) add(id string) {
	if _, ok := m.wire[id]; ok {
		return
	}
	for n := 0; ; n++ {
		short := deriveID(id + "#" + strconv.Itoa(n))
		if _, taken := m.original[short]; !taken {
			m.wire[id], m.original[short] = short, id
			return
		}
	}
}

// Wire is the id that goes out.
func (m IDs) Wire(id string) string {
	if wire, ok := m.wire[id]; ok {
		return wire
	}
	return id
}

// Original undoes Wire.
func (m IDs) Original(id string) string {
	if original, ok := m.original[id]; ok {
		return original
	}
	return id
}

// NineLetters reports whether an id is exactly nine letters or digits.
func NineLetters(id string) bool { return len(id) == shortID && wireID(id, "") }

// PlainID gives a test for ids of at most limit letters, digits, hyphens and underscores.
func PlainID(limit int) func(string) bool {
	return func(id string) bool { return id != "" && len(id) <= limit && wireID(id, "-_") }
}

// ShortID gives a test for ids of at most limit bytes of any kind.
func ShortID(limit int) func(string) bool {
	return func(id string) bool { return id != "" && len(id) <= limit }
}

func wireID(id, more string) bool {
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && strings.IndexByte(more, c) < 0 {
			return false
		}
	}
	return true
}

func deriveID(text string) string {
	sum := digest.Sum256([]byte(text))
	n := binary.BigEndian.Uint64(sum[:8])
	var id [shortID]byte
	for i := range id {
		id[i] = idAlphabet[n%uint64(len(idAlphabet))]
		n /= uint64(len(idAlphabet))
	}
	return string(id[:])
}
