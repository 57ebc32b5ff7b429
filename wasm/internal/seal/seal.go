// Package seal marks what this device has written, so that it can be told from
// what somebody else has put into the plugin's folder: a folder of notes that
// was cloned, a device that is synchronised, another program.
//
// A seal is an HMAC-SHA-256 (RFC 2104) by a key of 32 random bytes, which is
// made on the device at its first use and kept outside of the vault
// (host.Device). A hash without a key finds accidents; a seal finds people.
//
// What is not sealed is never wrong by that alone: it is of an earlier version,
// of another device, or of this one before it lost its key. It is shown, and
// what it would write goes through a review
// (docs/adr/0019-seals-of-this-device.md).
package seal

import (
	"crypto/hmac"
	"encoding/hex"

	"embedded-agent/wasm/internal/digest"
	"embedded-agent/wasm/internal/fault"
)

// Size is the length of a device's key in bytes.
const Size = 32

// Key seals. A nil *Key seals nothing, and nothing is sealed by it.
type Key struct{ secret []byte }

// NewKey makes a key of a device's bytes: PRECONDITION_FAILED when they are not
// Size bytes.
func NewKey(secret []byte) (*Key, error) {
	if len(secret) != Size {
		return nil, fault.New(fault.Precondition, "error.device.key", nil)
	}
	return &Key{append([]byte(nil), secret...)}, nil
}

// For gives the key of one purpose and one thing of it, such as a run: what is
// sealed for one does not pass for another.
func (k *Key) For(purpose, name string) *Key {
	if k == nil {
		return nil
	}
	sum := k.Sum([]byte(purpose), []byte{0}, []byte(name))
	return &Key{sum[:]}
}

// ID names a key without telling it: 16 hexadecimal digits, "" of none.
func (k *Key) ID() string {
	if k == nil {
		return ""
	}
	sum := k.Sum([]byte("the name of this key"))
	return hex.EncodeToString(sum[:8])
}

// Sum is the seal of the parts, one after the other as if they were one.
func (k *Key) Sum(parts ...[]byte) [digest.Size]byte {
	m := hmac.New(digest.New, k.secret)
	for _, p := range parts {
		m.Write(p)
	}
	var sum [digest.Size]byte
	m.Sum(sum[:0])
	return sum
}

// Tag is the seal in hexadecimal; "" of no key.
func (k *Key) Tag(parts ...[]byte) string {
	if k == nil {
		return ""
	}
	sum := k.Sum(parts...)
	return hex.EncodeToString(sum[:])
}

// Fits says whether a tag is the seal of the parts. Nothing fits no key.
func (k *Key) Fits(tag string, parts ...[]byte) bool {
	return k != nil && hmac.Equal([]byte(tag), []byte(k.Tag(parts...)))
}
