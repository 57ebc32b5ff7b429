package finding

import (
	"slices"

	"embedded-agent/wasm/internal/protocol"
)

// cellCost is about what a cell takes beside its text, in bytes.
const cellCost = 24

// Within gives findings of at most so many bytes, give or take a row for each table:
// rows at the end are left out, and counts stay what they are. What it is given is not
// changed.
func Within(f *protocol.Findings, most int) *protocol.Findings {
	if f == nil {
		return nil
	}
	out := *f
	out.Parts = slices.Clone(f.Parts)
	for i := range out.Parts {
		p := &out.Parts[i]
		p.Rows = p.Rows[:fitting(p.Rows, most/len(out.Parts))]
	}
	return &out
}

// fitting counts the rows that have room.
func fitting(rows [][]protocol.FindingCell, most int) int {
	size := 0
	for i, row := range rows {
		for _, c := range row {
			size += len(c.Text) + len(c.Path) + cellCost
		}
		if size > most {
			return i
		}
	}
	return len(rows)
}

// Cut says whether rows were left out.
func Cut(f *protocol.Findings) bool {
	return slices.ContainsFunc(f.Parts, func(p protocol.Finding) bool { return len(p.Columns) > 0 && len(p.Rows) < p.Count })
}
