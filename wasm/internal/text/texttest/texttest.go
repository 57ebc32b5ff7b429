// Package texttest has contents for the tests of all who ask whether bytes are
// text: each must answer as text.Is does.
package texttest

import "strings"

// Content is an example of a file's content.
type Content struct {
	Name string
	Data []byte
	Text bool
}

// far is more than anybody who guesses looks at.
var far = strings.Repeat("A line of words.\n", 20_000)

// Contents gives contents; some are text and some are not.
func Contents() []Content {
	return []Content{
		{"nothing", []byte{}, true},
		{"words", []byte("# Title\n\nWörter, 漢字, 😀.\n"), true},
		{"a byte order mark", []byte("\ufeffwords\r\n"), true},
		{"a NUL at the beginning", []byte("\x00words\n"), true},
		{"a NUL far in", []byte(far + "\x00" + far), true},
		{"an escape far in", []byte(far + "\x1b[2K\n"), true},
		{"a byte of Latin-1 at the beginning", []byte("\xe4 words\n"), false},
		{"a byte of Latin-1 far in", []byte(far + "\xe4\n" + far), false},
		{"half a character at the end", []byte(far + "\xe6\xbc"), false},
		{"half of a surrogate", []byte("a\xed\xa0\x80b"), false},
		{"a NUL in two bytes", []byte("a\xc0\x80b"), false},
		{"UTF-16", []byte("\xff\xfea\x00b\x00"), false},
		{"a picture", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), false},
	}
}
