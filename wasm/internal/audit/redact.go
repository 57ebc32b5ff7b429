package audit

import (
	"crypto/hmac"
	"encoding/hex"
	"math/bits"
	"regexp"

	"embedded-agent/wasm/internal/digest"
	"embedded-agent/wasm/internal/fault"
)

// Redactor takes secrets out of text before it is stored or shown. What it
// takes out becomes a marker, [redacted:HASH]; the hash is keyed, so equal
// secrets can be told to be equal by whoever holds the key, and nothing else
// can be learned.
type Redactor struct {
	key      []byte
	patterns []*regexp.Regexp
}

// NewRedactor makes a redactor with the person's own patterns (regular
// expressions). A pattern that does not compile is VALIDATION_ERROR: a guard
// that is not there must be noticed.
func NewRedactor(key []byte, patterns []string) (*Redactor, error) {
	r := &Redactor{key: key}
	for _, p := range patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			return nil, fault.New(fault.Validation, "error.redact.pattern", fault.P{"pattern": p}).With(err)
		}
		r.patterns = append(r.patterns, re)
	}
	return r, nil
}

// Text redacts a text.
func (r *Redactor) Text(s string) string {
	for in := hints.in(s); in != 0; in &= in - 1 { // no marker has a hint in it
		s = r.takeOut(s, &kinds[bits.TrailingZeros64(in)])
	}
	for _, p := range r.patterns {
		s = p.ReplaceAllStringFunc(s, r.marker)
	}
	return s
}

// takeOut redacts the keys of a kind.
func (r *Redactor) takeOut(s string, k *kind) string {
	return k.pattern().ReplaceAllStringFunc(s, func(found string) string {
		if k.only != nil && !k.only(found) {
			return found
		}
		before := ""
		if found[0] == '\\' { // the end of a line, written out
			before, found = found[:2], found[2:]
		}
		return before + r.marker(found)
	})
}

func (r *Redactor) marker(secret string) string {
	m := hmac.New(digest.New, r.key)
	m.Write([]byte(secret))
	return "[redacted:" + hex.EncodeToString(m.Sum(nil)[:6]) + "]"
}
