package sentinel

import (
	"strings"

	"embedded-agent/wasm/internal/canon"
)

// tails make a '<' or '[' special when they stand behind it, tildes in between not counted.
var tails = map[byte][]string{
	'<': {OpenTag[1:], CloseTag[1:]},
	'[': {"function_call", "message role="},
}

// Escape quotes text for the model: in every place that reads as a marker or as the start of a transcript line, quoted or
// not, it puts one more tilde behind the first character. Unescape undoes it exactly.
func Escape(s string) string { return retilde(s, 1) }

// Unescape takes one tilde away from every place that Escape would have added one to, and leaves unquoted places alone.
func Unescape(s string) string { return retilde(s, -1) }

func retilde(s string, by int) string {
	var b strings.Builder
	from := 0
	for i := 0; i < len(s); {
		j := strings.IndexAny(s[i:], "<[")
		if j < 0 {
			break
		}
		i += j + 1
		tildes := i
		for tildes < len(s) && s[tildes] == '~' {
			tildes++
		}
		if special(s[i-1], s[tildes:]) && (by > 0 || tildes > i) {
			b.WriteString(s[from:i])
			if by > 0 {
				b.WriteByte('~')
				from = i
			} else {
				from = i + 1
			}
		}
		i = tildes
	}
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}

func special(first byte, rest string) bool {
	for _, tail := range tails[first] {
		if strings.HasPrefix(rest, tail) {
			return true
		}
	}
	return false
}

// UnescapeJSON unescapes the string values and keys of valid JSON. Strings that hold nothing quoted keep their bytes.
func UnescapeJSON(s string) string {
	if strings.IndexByte(s, '~') < 0 && !strings.Contains(s, "007") { // a tilde may be spelt \u007e
		return s
	}
	var b strings.Builder
	from := 0
	for i := 0; i < len(s); {
		if s[i] != '"' {
			i++
			continue
		}
		p := scanner{s: s, i: i}
		p.str()
		if text, ok := unquote(s[i:p.i]); ok {
			if plain := Unescape(text); plain != text {
				b.WriteString(s[from:i])
				b.WriteString(string(canon.AppendString(nil, plain)))
				from = p.i
			}
		}
		i = p.i
	}
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}

// Unescaper is Unescape for a stream: the result does not depend on how the text was cut.
type Unescaper struct {
	first byte   // the '<' or '[' that tildes may follow; 0 where none stands last
	owed  bool   // a tilde is held back until it is known whether it quotes something
	tail  []byte // what came behind the tildes and may still become a tail
}

// Feed takes the next piece of text and returns what is certain.
func (u *Unescaper) Feed(s string) string {
	if u.first == 0 && !u.owed && strings.IndexByte(s, '~') < 0 {
		u.remember(s)
		return s
	}
	b := make([]byte, 0, len(s)+len(u.tail)+1)
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case !u.owed:
			if c == '~' && u.first != 0 {
				u.owed = true
			} else {
				b = append(b, c)
				u.remember(s[i : i+1])
			}
			i++
		case c == '~' && len(u.tail) == 0:
			b = append(b, c) // all tildes but one are certain
			i++
		default:
			u.tail = append(u.tail, c)
			switch whole, possible := u.match(); {
			case whole:
				b = append(b, u.tail...)
				u.reset()
				i++
			case possible:
				i++
			default:
				u.tail = u.tail[:len(u.tail)-1]
				b = append(b, u.Flush()...) // c is looked at again: it may be special itself
			}
		}
	}
	return string(b)
}

// Flush returns what is still held: the text ends here.
func (u *Unescaper) Flush() string {
	out := ""
	if u.owed {
		out = "~" + string(u.tail)
	}
	u.reset()
	return out
}

func (u *Unescaper) reset() {
	u.first, u.owed, u.tail = 0, false, u.tail[:0]
}

func (u *Unescaper) remember(s string) {
	u.first = 0
	if n := len(s); n > 0 && (s[n-1] == '<' || s[n-1] == '[') {
		u.first = s[n-1]
	}
}

func (u *Unescaper) match() (whole, possible bool) {
	held := string(u.tail)
	for _, tail := range tails[u.first] {
		if held == tail {
			return true, true
		}
		possible = possible || strings.HasPrefix(tail, held)
	}
	return false, possible
}
