package index

import (
	"encoding/json"
	"strconv"
	"strings"
)

// table holds the words that rows are made of, each once: tags, names of
// properties, link paths, and values (as encoding/json decodes them). A row is
// numbers into it, which a collector need not look into; and what is to be known
// of a word is worked out once, however many rows have it (Memo).
//
// Words are added and never changed, so a slice of them can be read while more
// are added. Those that no row has any more stay until the rows are written
// anew into another table (Vault.tidy).
type table struct {
	words  []any
	texts  map[string]uint32 // those that are texts
	others map[string]uint32 // those that are not, by key
	rows   int               // how many were made
	key    []byte            // room, as are the cells
	cells  []uint32
	marks  []uint32 // by word: the row in which it was last a link
	begun  uint32   // the row that is being made
}

func newTable() *table {
	return &table{texts: map[string]uint32{}, others: map[string]uint32{}}
}

// text gives the number of a text.
func (t *table) text(s string) uint32 {
	if n, ok := t.texts[s]; ok {
		return n
	}
	s = strings.Clone(s) // it may lie in a whole note
	n := t.add(s)
	t.texts[s] = n
	return n
}

func (t *table) add(word any) uint32 {
	t.words = append(t.words, word)
	return uint32(len(t.words) - 1)
}

// value gives the number of a property's value.
func (t *table) value(v any) uint32 {
	if s, ok := v.(string); ok {
		return t.text(s)
	}
	var ok bool
	if t.key, ok = appendKey(t.key[:0], v); !ok {
		return t.add(v)
	}
	if n, there := t.others[string(t.key)]; there {
		return n
	}
	n := t.add(cloned(v))
	t.others[string(t.key)] = n
	return n
}

// appendKey appends what two values have in common only if they are the same;
// false for a value that has nothing of the kind.
func appendKey(dst []byte, v any) ([]byte, bool) {
	switch v := v.(type) {
	case string:
		return append(append(strconv.AppendInt(dst, int64(len(v)), 10), ':'), v...), true
	case float64:
		return strconv.AppendFloat(append(dst, 'n'), v, 'g', -1, 64), true
	case bool:
		return strconv.AppendBool(dst, v), true
	case []any:
		dst = append(dst, '[')
		for _, e := range v {
			var ok bool
			if dst, ok = appendKey(dst, e); !ok {
				return dst, false
			}
			dst = append(dst, ',')
		}
		return append(dst, ']'), true
	}
	data, err := json.Marshal(v)
	return append(dst, data...), err == nil
}

// cloned gives a value whose texts lie in nothing larger.
func cloned(v any) any {
	switch v := v.(type) {
	case string:
		return strings.Clone(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = cloned(v[i])
		}
		return out
	}
	return v
}

// wordList is a table as it was when rows of it were given out.
type wordList struct {
	table *table
	list  []any
}

func (t *table) now() *wordList { return &wordList{t, t.words} }

// Memo keeps what was worked out about words, by word. The zero Memo is empty.
// Not for two goroutines at once.
type Memo[T any] struct {
	table *table
	known []bool
	got   []T
}

// Of gives what work says of a row's word. It must always say the same of the
// same word.
func (m *Memo[T]) Of(r Row, word uint32, work func(word any) T) T {
	if m.table != r.words.table || int(word) >= len(m.known) {
		m.grow(r.words)
	}
	if !m.known[word] {
		m.got[word], m.known[word] = work(r.words.list[word]), true
	}
	return m.got[word]
}

func (m *Memo[T]) grow(w *wordList) {
	known, got := make([]bool, len(w.list)), make([]T, len(w.list))
	if m.table == w.table {
		copy(known, m.known)
		copy(got, m.got)
	}
	m.table, m.known, m.got = w.table, known, got
}

// Text gives the text of a tag, a name or a link.
func (r Row) Text(word uint32) string {
	s, _ := r.words.list[word].(string)
	return s
}

// Test is a question about words with a yes or a no.
type Test struct {
	pass func(word any) bool
	memo Memo[bool]
}

// NewTest makes a test of words.
func NewTest(pass func(word any) bool) *Test { return &Test{pass: pass} }

func (t *Test) of(r Row, word uint32) bool { return t.memo.Of(r, word, t.pass) }

// Property is a property of notes, by name, and a question about its value: nil
// where there is none.
type Property struct {
	named   *Test
	value   *Test
	missing bool // passes where it is missing
}

// NewProperty makes a test of a property; pass may be nil for one that is only
// looked up.
func NewProperty(name string, pass func(value any) bool) *Property {
	p := &Property{named: NewTest(func(word any) bool { return word == name })}
	if pass != nil {
		p.value, p.missing = NewTest(pass), pass(nil)
	}
	return p
}

// find gives the number of a row's value.
func (p *Property) find(r Row) (value uint32, there bool) {
	props := r.props()
	for i := 0; i < len(props); i += 2 {
		if p.named.of(r, props[i]) {
			return props[i+1], true
		}
	}
	return 0, false
}

// Pass tests a row.
func (p *Property) Pass(r Row) bool {
	if value, there := p.find(r); there {
		return p.value.of(r, value)
	}
	return p.missing
}

// Value gives a row's value.
func (p *Property) Value(r Row) any {
	if value, there := p.find(r); there {
		return r.words.list[value]
	}
	return nil
}
