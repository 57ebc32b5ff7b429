package seal

import (
	"bytes"
	"encoding/json"
)

// envelope is a document with its seal. The seal is over the document's bytes as
// they are, so that another version of the program can tell too.
type envelope struct {
	Seal string          `json:"seal"`
	Of   json.RawMessage `json:"of"`
}

// Wrap gives a JSON document with its seal, which is of one name: that of the
// file that it is for. No key gives the document without a seal.
func Wrap(key *Key, name string, doc []byte) []byte {
	doc = bytes.TrimSpace(doc)
	out := append([]byte(`{"seal":"`), key.Tag([]byte(name), []byte{0}, doc)...)
	out = append(append(out, `","of":`...), doc...) // not by Marshal, which changes bytes of it
	return append(out, '}', '\n')
}

// Unwrap gives the document, and whether the key has sealed it for the name. What
// has no envelope is given as it is; it is not sealed.
func Unwrap(key *Key, name string, data []byte) (doc []byte, sealed bool) {
	var e envelope
	if json.Unmarshal(data, &e) != nil || e.Of == nil {
		return data, false
	}
	return e.Of, key.Fits(e.Seal, []byte(name), []byte{0}, e.Of)
}
