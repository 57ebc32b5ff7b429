package protocol

// Findings tell what a plan found, in words and as tables: the answer of a plan that only
// reads, the outputs of another.
type Findings struct {
	Parts []Finding `json:"parts"`
	// Done says that the simulation has made every call: nothing is left to approve.
	Done bool `json:"done,omitempty"`
	// Notes limit the answer, such as by a limit that the plan sets; LeftOut lists
	// what a step was to read and left alone.
	Notes   []Message `json:"notes,omitempty"`
	LeftOut []LeftOut `json:"leftOut,omitempty"`
	// Plan is the plan's JSON: with it the same is found again.
	Plan string `json:"plan"`
}

// Finding is one thing that a plan found: a sentence and, where there is a list, a
// table.
type Finding struct {
	// Name is the plan's own name for it; "" where the plan names none.
	Name string `json:"name,omitempty"`
	// Text says how much was found. Words are the plan's own sentence in its place;
	// {n} stands for Count in it.
	Text  Message `json:"text"`
	Words string  `json:"words,omitempty"`
	// Count is how many rows there are: more than Rows where not all of them are kept.
	Count   int             `json:"count"`
	Columns []FindingColumn `json:"columns,omitempty"`
	Rows    [][]FindingCell `json:"rows,omitempty"`
	// Plugins are community plugins to choose from, in the place of a table.
	Plugins []Plugin `json:"plugins,omitempty"`
}

// FindingColumn is one column of a table. Label stands for Name where the column has
// words of its own.
type FindingColumn struct {
	Name  string   `json:"name"`
	Label *Message `json:"label,omitempty"`
	Kind  CellKind `json:"kind"`
}

// FindingCell is one cell: its text, as somebody else wrote it. A cell that is a
// note has its Path, one that is a place in it its Line too, from 1.
type FindingCell struct {
	Text string `json:"text"`
	Path string `json:"path,omitempty"`
	Line int    `json:"line,omitempty"`
}

// CellKind says what the cells of a column are, and so how they are sorted and drawn.
type CellKind string

// The words of CellKind.
const (
	CellNote   CellKind = "note" // a note, or a line in one
	CellTag    CellKind = "tag"
	CellDate   CellKind = "date" // in ISO 8601
	CellNumber CellKind = "number"
	CellText   CellKind = "text"
)

// FindingsNote asks for a new note with tables in it, as they are shown: Parts have
// the sentences and columns in the person's language. It opens a review.
type FindingsNote struct {
	Title string             `json:"title"`
	Parts []FindingsNotePart `json:"parts"`
}

// FindingsNotePart is one finding as it is shown.
type FindingsNotePart struct {
	Text    string          `json:"text"`
	Columns []string        `json:"columns,omitempty"`
	Rows    [][]FindingCell `json:"rows,omitempty"`
}
