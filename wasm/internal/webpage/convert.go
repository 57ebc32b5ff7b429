package webpage

import (
	"strconv"

	"golang.org/x/net/html"
)

// begin writes what stands before an element's content.
func (c *converter) begin(e *element, t html.Token) {
	inline := c.link > 0 || c.cell > 0
	if n := blocks[e.name]; n > 0 {
		if inline {
			c.w.space = true
		} else {
			c.w.gap(n)
		}
	}
	switch e.name {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		if !inline {
			e.mark, e.opened = heading(e.name[1]), c.w.written
			c.w.pend(e.mark)
		}
	case "a":
		if to := c.address(attr(t, "href")); to != "" && c.link == 0 {
			c.link++
			e.mark, e.closing, e.opened = "[", "]("+to+")", c.w.written
			c.w.pend("[")
		}
	case "pre":
		if !inline {
			c.w.write("```")
			c.w.newline()
			c.w.pre++
			e.pre = true
		}
	case "blockquote":
		if !inline {
			c.w.push("> ")
			e.prefix = true
		}
	case "li":
		if !inline {
			c.item(e)
		}
	case "table":
		e.inactive = c.cell > 0
	case "tr":
		if c.cell == 0 {
			c.w.write("|")
		}
	case "td", "th":
		c.beginCell()
	default:
		if mark := marks[e.name]; mark != "" && c.w.pre == 0 {
			e.mark, e.closing, e.opened = mark, mark, c.w.written
			c.w.pend(mark)
		}
	}
}

func heading(level byte) string { return "######"[:level-'0'] + " " }

// item begins an item of the innermost list.
func (c *converter) item(e *element) {
	marker := "- "
	for i := len(c.open) - 1; i >= 0; i-- {
		if list := &c.open[i]; list.name == "ul" || list.name == "ol" {
			if list.items++; list.name == "ol" {
				marker = strconv.Itoa(list.items) + ". "
			}
			break
		}
	}
	c.w.write(marker)
	c.w.push("                "[:min(len(marker), 16)])
	c.w.fresh = true
	e.prefix = true
}

func (c *converter) beginCell() {
	if c.cell++; c.cell == 1 {
		if i := c.innermost("tr"); i >= 0 {
			c.open[i].cells++
		}
		c.w.space = false
		c.w.write(" ")
		c.w.fresh = true
	}
}

func (c *converter) innermost(name string) int {
	if c.named[name] == 0 {
		return -1
	}
	i := len(c.open) - 1
	for c.open[i].name != name {
		i--
	}
	return i
}

// end closes the innermost element of a name, with all that was left open in
// it. An end without a beginning changes nothing.
func (c *converter) end(name string) {
	if i := c.innermost(name); i >= 0 {
		c.popTo(i)
	} else if name == "p" || name == "br" {
		c.single(html.Token{Data: "br"})
	}
}

func (c *converter) popTo(i int) {
	for len(c.open) > i {
		c.pop()
	}
}

// pop writes what stands after the innermost element.
func (c *converter) pop() {
	e := c.open[len(c.open)-1]
	c.open = c.open[:len(c.open)-1]
	c.named[e.name]--
	if e.skipped {
		c.skip--
	}
	if c.skip > 0 || e.skipped {
		return
	}
	switch {
	case e.closing != "":
		c.w.closeMark(e.mark, e.closing, e.opened)
	case e.mark != "":
		c.w.drop(e.mark, e.opened)
	}
	if e.name == "a" && e.closing != "" {
		c.link--
	}
	if e.pre {
		c.w.pre--
		if !c.w.atStart {
			c.w.newline()
		}
		c.w.write("```")
	}
	if e.prefix {
		c.w.pop()
	}
	switch e.name {
	case "td", "th":
		if c.cell--; c.cell == 0 {
			c.w.space = false
			c.w.write(" |")
		}
	case "tr":
		c.endRow(e)
	}
	if n := blocks[e.name]; n > 0 {
		if c.link > 0 || c.cell > 0 {
			c.w.space = true
		} else {
			c.w.gap(n)
		}
	}
}

// endRow draws the line below a table's first row.
func (c *converter) endRow(e element) {
	i := c.innermost("table")
	if c.cell > 0 || i < 0 {
		return
	}
	if c.open[i].rows++; c.open[i].rows == 1 && e.cells > 0 {
		c.w.newline()
		c.w.write("|")
		for range e.cells {
			c.w.write(" --- |")
		}
	}
}
