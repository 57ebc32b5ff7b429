package audit

import (
	"crypto/hmac"
	"encoding/hex"
	"regexp"
	"strings"

	"embedded-agent/wasm/internal/digest"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/lazy"
)

// Redactor takes secrets out of text before it is stored or shown. What it
// takes out becomes a marker, [redacted:HASH]; the hash is keyed, so equal
// secrets can be told to be equal by whoever holds the key, and nothing else
// can be learned.
type Redactor struct {
	key      []byte
	hints    []string
	patterns []*regexp.Regexp
}

// Keys as providers write them, and bearer tokens. The hints spare most text
// the regular expression.
var (
	keyHints   = []string{"sk-", "key-", "Bearer ", "bearer ", "api_key", "apikey", "x-api-key", "AIza", "ghp_", "gsk_", "xai-", "hf_"}
	keyPattern = lazy.Pattern(`(?i)\b(?:sk-[a-z0-9_\-*.]{8,}|key-[a-z0-9]{16,}|AIza[a-z0-9_\-]{20,}|ghp_[a-z0-9]{20,}|gsk_[a-z0-9]{20,}|xai-[a-z0-9]{20,}|hf_[a-z0-9]{20,})|\bbearer\s+[a-z0-9._~+/\-]{8,}=*|(?:api_?key|x-api-key)["']?\s*[:=]\s*["']?[a-z0-9._~+/\-]{8,}`)
)

// NewRedactor makes a redactor with the person's own patterns (regular
// expressions). A pattern that does not compile is VALIDATION_ERROR: a guard
// that is not there must be noticed.
func NewRedactor(key []byte, patterns []string) (*Redactor, error) {
	r := &Redactor{key: key, hints: keyHints}
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
	for _, h := range r.hints {
		if strings.Contains(s, h) {
			s = keyPattern().ReplaceAllStringFunc(s, r.marker)
			break
		}
	}
	for _, p := range r.patterns {
		s = p.ReplaceAllStringFunc(s, r.marker)
	}
	return s
}

func (r *Redactor) marker(secret string) string {
	m := hmac.New(digest.New, r.key)
	m.Write([]byte(secret))
	return "[redacted:" + hex.EncodeToString(m.Sum(nil)[:6]) + "]"
}
