package note

// leaveItems closes the list items that a line is not part of.
func (p *scanner) leaveItems(pre linePrefix) {
	for n := len(p.open); n > 0; n-- {
		it := &p.Items[p.open[n-1]]
		if pre.quotes >= int(it.block) && pre.column >= it.inside {
			return
		}
		if !p.blank && !p.para.Empty() && pre.quotes >= int(it.block) && !p.startsBlock(pre.text, lineEnd(p.Data, pre.text)) {
			return // a lazy continuation of its paragraph
		}
		p.open = p.open[:n-1]
	}
}

// marker reads a list marker: its end and the start of what follows.
func marker(data []byte, at, end int) (markEnd, text int, ok bool) {
	i := at
	switch c := data[i]; {
	case c == '-' || c == '*' || c == '+':
		i++
	case c >= '0' && c <= '9':
		for i < end && i-at < 9 && data[i] >= '0' && data[i] <= '9' {
			i++
		}
		if i == end || data[i] != '.' && data[i] != ')' {
			return 0, 0, false
		}
		i++
	default:
		return 0, 0, false
	}
	markEnd = i
	if i < end && data[i] != ' ' && data[i] != '\t' {
		return 0, 0, false
	}
	for i < end && (data[i] == ' ' || data[i] == '\t') {
		i++
	}
	return markEnd, i, true
}

// item reads a list marker and the task box after it.
func (p *scanner) item(start, end int, pre *linePrefix) {
	markEnd, text, ok := marker(p.Data, pre.text, end)
	if !ok || p.thematic(pre.text, end) {
		return
	}
	inside := pre.column + (markEnd - pre.text) + 1
	if text < end && text-markEnd <= 4 {
		inside = pre.column + (text - pre.text)
		if p.Data[markEnd] == '\t' {
			inside = pre.column + 4 - (pre.column+markEnd-pre.text)%4 + (markEnd - pre.text)
		}
	}
	it := Item{
		Span: Span{start, end}, Indent: Span{start, pre.text}, Marker: Span{pre.text, markEnd},
		Text: Span{text, end}, Parent: -1, Depth: len(p.open), Line: p.Line(start),
		column: pre.column, inside: inside, block: uint16(min(pre.quotes, 1<<15)),
	}
	if n := len(p.open); n > 0 {
		it.Parent = p.open[n-1]
	}
	if box, after, ok := taskBox(p.Data, text, end); ok {
		it.State, it.Text.Start = box, after
		text = after
	}
	pre.text = text
	p.Items = append(p.Items, it)
	p.open = append(p.open, len(p.Items)-1)
}

// taskBox reads "[x] ": one character between brackets and a space after.
func taskBox(data []byte, at, end int) (box Span, after int, ok bool) {
	if at >= end || data[at] != '[' {
		return Span{}, 0, false
	}
	n := runeLen(data[at+1 : end])
	i := at + 1 + n
	if n == 0 || i >= end || data[i] != ']' || i+1 < end && data[i+1] != ' ' && data[i+1] != '\t' {
		return Span{}, 0, false
	}
	box = Span{at + 1, i}
	for i++; i < end && (data[i] == ' ' || data[i] == '\t'); i++ {
	}
	return box, i, true
}
