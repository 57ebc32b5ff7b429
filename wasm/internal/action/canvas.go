package action

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/plan"
)

// The measures of a canvas, in its pixels.
const (
	canvasWidth  = 320
	canvasHeight = 160
	canvasGapX   = 120
	canvasGapY   = 40
)

type canvas struct {
	Nodes []canvasNode `json:"nodes"`
	Edges []canvasEdge `json:"edges"`
}

type canvasNode struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Text   string `json:"text,omitempty"`
	Label  string `json:"label,omitempty"`
	X      int    `json:"x"`
	Y      int    `json:"y"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

type canvasEdge struct {
	ID       string `json:"id"`
	FromNode string `json:"fromNode"`
	FromSide string `json:"fromSide"`
	ToNode   string `json:"toNode"`
	ToSide   string `json:"toSide"`
}

// Canvas draws a plan as a JSON Canvas file (version 1.0): a card for each
// step, in columns from left to right, each right of all that it waits for.
// after gives those, by step. A prompt is one card.
func Canvas(name string, p *plan.Plan, after map[string][]string) ([]byte, error) {
	c := canvas{Nodes: []canvasNode{}, Edges: []canvasEdge{}}
	column := map[string]int{}
	var depth func(id string, above int) int
	depth = func(id string, above int) int {
		if d, ok := column[id]; ok || above > len(p.Steps) { // a circle has no depth
			return d
		}
		d := 0
		for _, before := range after[id] {
			d = max(d, depth(before, above+1)+1)
		}
		column[id] = d
		return d
	}
	rows, tallest := map[int]int{}, 1
	for i := range p.Steps {
		s := &p.Steps[i]
		d := depth(s.ID, 0)
		c.Nodes = append(c.Nodes, canvasNode{
			ID: "step-" + s.ID, Type: "text", Text: card(s), Width: canvasWidth, Height: canvasHeight,
			X: d * (canvasWidth + canvasGapX), Y: rows[d] * (canvasHeight + canvasGapY),
		})
		rows[d]++
		tallest = max(tallest, rows[d])
		for _, before := range after[s.ID] {
			c.Edges = append(c.Edges, canvasEdge{
				ID: before + "-to-" + s.ID, FromNode: "step-" + before, FromSide: "right", ToNode: "step-" + s.ID, ToSide: "left",
			})
		}
	}
	if len(p.Steps) == 0 {
		c.Nodes = append(c.Nodes, canvasNode{ID: "prompt", Type: "text", Text: p.Goal, Width: canvasWidth, Height: canvasHeight})
	}
	c.Nodes = append([]canvasNode{frame(name, max(len(rows), 1), tallest)}, c.Nodes...)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "\t") // as the app writes canvases
	e.SetEscapeHTML(false)
	err := e.Encode(c)
	return b.Bytes(), err
}

// frame is the group around all cards, with the action's name.
func frame(name string, columns, rows int) canvasNode {
	return canvasNode{
		ID: "action", Type: "group", Label: name, X: -canvasGapY, Y: -canvasGapY,
		Width:  columns*(canvasWidth+canvasGapX) - canvasGapX + 2*canvasGapY,
		Height: rows*(canvasHeight+canvasGapY) + canvasGapY,
	}
}

// card gives the text of a step's card, as Markdown: its name, its tool, what it
// goes over, and its arguments, shortened.
func card(s *plan.Step) string {
	var b strings.Builder
	b.WriteString("**" + s.ID + "** · `" + s.Tool + "`\n")
	if s.Preview != "" {
		b.WriteString(s.Preview + "\n")
	}
	if s.Foreach != nil {
		b.WriteString("*" + s.Foreach.ItemName + "* ← `" + written(s.Foreach.From) + "`\n")
	}
	when := s.When
	if s.Foreach != nil {
		when = append(slices.Clone(when), s.Foreach.When...)
	}
	if len(when) > 0 {
		b.WriteString("*when* `" + written(when) + "`\n")
	}
	for _, k := range sortedKeys(s.Args) {
		b.WriteString("\n- " + k + ": `" + written(s.Args[k]) + "`")
	}
	return b.String()
}

const maxWritten = 80

// written gives a value in one line that stays inside a code span.
func written(v any) string {
	text, ok := v.(string)
	if !ok {
		b, err := json.Marshal(v)
		if err != nil {
			return ""
		}
		text = string(b)
	}
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "`", "'")), " ")
	if r := []rune(text); len(r) > maxWritten {
		text = string(r[:maxWritten]) + "…"
	}
	return text
}
