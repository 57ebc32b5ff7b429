package answer

import "strings"

// prose reads the text of a paragraph: words, or words and a table.
func (r *reader) prose(s string) []Node {
	lines := strings.Split(s, "\n")
	for i := 1; i < len(lines); i++ {
		aligns, ok := delimiters(lines[i])
		if !ok || len(cellsOf(lines[i-1])) != len(aligns) {
			continue
		}
		var out []Node
		if i > 1 {
			out = append(out, r.make(Node{Kind: "paragraph", Kids: r.lines(strings.Join(lines[:i-1], "\n"))}))
		}
		return append(out, r.table(lines[i-1], lines[i+1:], aligns)...)
	}
	return []Node{r.make(Node{Kind: "paragraph", Kids: r.lines(s)})}
}

// table reads a head and rows. A row may have more cells than the head: they
// are drawn, where others would leave them out.
func (r *reader) table(head string, rows []string, aligns []string) []Node {
	out := r.make(Node{Kind: "table", Kids: []Node{r.row(head, aligns)}})
	for i, row := range rows {
		if r.left <= 0 {
			return []Node{out, literal("plain", strings.Join(rows[i:], "\n"))}
		}
		out.Kids = append(out.Kids, r.row(row, aligns))
	}
	return []Node{out}
}

func (r *reader) row(line string, aligns []string) Node {
	out := r.make(Node{Kind: "row"})
	for i, text := range cellsOf(line) {
		cell := r.make(Node{Kind: "cell", Kids: r.lines(text)})
		if i < len(aligns) {
			cell.Align = aligns[i]
		}
		out.Kids = append(out.Kids, cell)
	}
	return out
}

// cellsOf cuts a row at its bars; "\|" is a bar in a cell.
func cellsOf(line string) []string {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	var cells []string
	var b strings.Builder
	bar := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			i++
			if line[i] != '|' {
				b.WriteByte(c)
			}
			b.WriteByte(line[i])
			bar = false
		case c == '|':
			cells = append(cells, strings.TrimSpace(b.String()))
			b.Reset()
			bar = true
		default:
			b.WriteByte(c)
			bar = false
		}
	}
	if rest := strings.TrimSpace(b.String()); rest != "" || !bar {
		cells = append(cells, rest)
	}
	return cells
}

// delimiters reads the line below a table's head: "| :-- | :-: | --: |".
func delimiters(line string) ([]string, bool) {
	if !strings.ContainsRune(line, '-') || strings.Trim(line, "|:- \t") != "" || !strings.ContainsAny(line, "|:") {
		return nil, false
	}
	var aligns []string
	for _, cell := range cellsOf(line) {
		dashes := strings.TrimSuffix(strings.TrimPrefix(cell, ":"), ":")
		if dashes == "" || strings.Trim(dashes, "-") != "" {
			return nil, false
		}
		left, right := strings.HasPrefix(cell, ":"), strings.HasSuffix(cell, ":")
		switch {
		case left && right:
			aligns = append(aligns, "center")
		case right:
			aligns = append(aligns, "right")
		case left:
			aligns = append(aligns, "left")
		default:
			aligns = append(aligns, "")
		}
	}
	return aligns, true
}
