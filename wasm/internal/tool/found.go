package tool

import "embedded-agent/wasm/internal/fault"

// Found says how a person is told what a call found, where a plan does not say it.
type Found struct {
	// List names the list in the output. Columns are the fields of its elements that
	// are worth a column, in order; those that no element has are left out.
	List    string
	Columns []string
	// Within names the list in each element whose elements are the rows; "" where the
	// elements are the rows themselves.
	Within string
	// Words give the sentence of a call: KEY for {n} notes, KEY.places where there are
	// more, {total}, places in them, and KEY.none. Nil, or "", is the
	// sentence for any list.
	Words func(args Args) (key string, params fault.P)
	// Each says that {n} counts the elements, and not the notes that they are in.
	Each bool
}
