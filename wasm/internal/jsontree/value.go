package jsontree

import (
	"strconv"

	"embedded-agent/wasm/internal/jsontoken"
)

// Value is one value of a Tree, or Missing. It is small and passed by value.
type Value struct {
	t *Tree
	i int32
}

func (v Value) node() node {
	if v.t == nil {
		return node{}
	}
	return v.t.nodes[v.i]
}

// Kind says what the value is.
func (v Value) Kind() Kind { return v.node().kind }

// Exists reports whether the value is there and not null.
func (v Value) Exists() bool { k := v.Kind(); return k != Missing && k != Null }

// Get is the property of an object; the last one where a name is repeated, as in JavaScript.
func (v Value) Get(key string) Value {
	if v.t == nil || v.t.nodes[v.i].kind != Object {
		return Value{}
	}
	nodes := v.t.nodes
	found := Value{}
	for i, end := v.i+1, nodes[v.i].next; i < end; i = nodes[i+1].next {
		if v.t.isKey(&nodes[i], key) {
			found = Value{t: v.t, i: i + 1}
		}
	}
	return found
}

func (t *Tree) isKey(k *node, key string) bool {
	if k.escaped {
		return string(jsontoken.Append(nil, t.src[k.start:k.end])) == key
	}
	return int(k.end-k.start) == len(key) && string(t.src[k.start:k.end]) == key
}

// Index is an element of an array.
func (v Value) Index(n int) Value {
	for e := range v.Elements() {
		if n == 0 {
			return e
		}
		n--
	}
	return Value{}
}

// Elements yields the elements of an array, in order; nothing for any other kind.
func (v Value) Elements() func(yield func(Value) bool) {
	return func(yield func(Value) bool) {
		n := v.node()
		if n.kind != Array {
			return
		}
		for i := v.i + 1; i < n.next; i = v.t.nodes[i].next {
			if !yield(Value{t: v.t, i: i}) {
				return
			}
		}
	}
}

// Members yields the properties of an object, in order, repeated names included.
func (v Value) Members() func(yield func(string, Value) bool) {
	return func(yield func(string, Value) bool) {
		n := v.node()
		if n.kind != Object {
			return
		}
		for i := v.i + 1; i < n.next; i = v.t.nodes[i+1].next {
			key := Value{t: v.t, i: i}
			if !yield(key.Str(), Value{t: v.t, i: i + 1}) {
				return
			}
		}
	}
}

// Len is the number of elements or properties.
func (v Value) Len() int {
	count := 0
	for range v.Elements() {
		count++
	}
	for range v.Members() {
		count++
	}
	return count
}

// Raw is the text of the value, quotes included. It shares memory with the parsed text.
func (v Value) Raw() []byte {
	n := v.node()
	switch n.kind {
	case Missing:
		return nil
	case String:
		return v.t.src[n.start-1 : n.end+1]
	}
	return v.t.src[n.start:n.end]
}

// Int is the value of a whole number; a number with a fraction is cut off, anything else is 0.
func (v Value) Int() int64 {
	if v.Kind() != Number {
		return 0
	}
	if i, err := strconv.ParseInt(string(v.Raw()), 10, 64); err == nil {
		return i
	}
	f := v.Float()
	if f > 1<<62 || f < -(1<<62) {
		return 0
	}
	return int64(f)
}

// Float is the value of a number; 0 for any other kind and for a number that is out of range.
func (v Value) Float() float64 {
	if v.Kind() != Number {
		return 0
	}
	f, err := strconv.ParseFloat(string(v.Raw()), 64)
	if err != nil {
		return 0
	}
	return f
}

// Bool is true for the literal true only.
func (v Value) Bool() bool { return v.Kind() == Bool && v.t.src[v.node().start] == 't' }
