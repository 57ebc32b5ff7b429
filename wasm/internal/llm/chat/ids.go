package chat

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"

	"embedded-agent/wasm/internal/llm"
)

const (
	idLength   = 9
	idAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// ids renames call ids for one request, both ways. The zero value renames nothing.
type ids struct {
	short map[string]string
	long  map[string]string
}

// shortIDs makes ids of exactly nine letters or digits for the calls of a conversation. An id that is one already stays;
// the others are derived from their text, so the same conversation always gives the same ids.
func shortIDs(messages []llm.Message) ids {
	m := ids{short: make(map[string]string), long: make(map[string]string)}
	for _, message := range messages {
		for _, call := range message.Calls() {
			if isShort(call.ID) {
				m.short[call.ID], m.long[call.ID] = call.ID, call.ID
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

func (m ids) add(id string) {
	if _, ok := m.short[id]; ok {
		return
	}
	for n := 0; ; n++ {
		short := derive(id + "#" + strconv.Itoa(n))
		if _, taken := m.long[short]; !taken {
			m.short[id], m.long[short] = short, id
			return
		}
	}
}

// wire is the id that goes out.
func (m ids) wire(id string) string {
	if short, ok := m.short[id]; ok {
		return short
	}
	return id
}

// original undoes wire.
func (m ids) original(id string) string {
	if long, ok := m.long[id]; ok {
		return long
	}
	return id
}

func isShort(id string) bool {
	if len(id) != idLength {
		return false
	}
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

func derive(text string) string {
	sum := sha256.Sum256([]byte(text))
	n := binary.BigEndian.Uint64(sum[:8])
	var id [idLength]byte
	for i := range id {
		id[i] = idAlphabet[n%uint64(len(idAlphabet))]
		n /= uint64(len(idAlphabet))
	}
	return string(id[:])
}
