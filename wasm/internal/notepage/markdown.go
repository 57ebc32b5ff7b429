package notepage

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/note"
)

// Markdown gives one note of several, in their order, each under its name, with
// what they embed in its place. Headings move down, so that the outline is that of
// the notes; links between the notes lead within the new one; footnotes, block ids
// and definitions of addresses of different notes are kept apart; a code block or
// comment that a note leaves open ends with the note.
func Markdown(from Source, paths []string, o Options) ([]byte, error) {
	m := &joiner{
		from: from, options: o, tops: map[string]*top{},
		footnotes: map[string]int{}, ids: map[string]int{}, refs: map[string]int{},
	}
	if err := m.begin(paths); err != nil {
		return nil, err
	}
	for i, p := range paths {
		t := m.tops[p]
		text, err := m.piece(t.text, spot{path: p, above: []string{p}, level: t.level, top: t})
		if err != nil {
			return nil, err
		}
		if i > 0 {
			m.out.WriteString("\n")
		}
		if t.titled {
			m.out.WriteString("# " + t.title + "\n\n")
		}
		m.out.Write(bytes.Trim(text, "\n"))
		m.out.WriteString("\n")
		if m.out.Len() > MaxSize {
			return nil, ErrSize
		}
	}
	return m.out.Bytes(), nil
}

// joiner is the state of one new note.
type joiner struct {
	from      Source
	options   Options
	tops      map[string]*top
	footnotes map[string]int // labels that are taken
	ids       map[string]int // block ids that are taken
	refs      map[string]int // labels of addresses that are taken
	out       bytes.Buffer
	size      int // of all pieces, those that stand in others too
}

// top is a note that the new one is made of.
type top struct {
	text   []byte
	title  string
	titled bool              // the title is written above it
	level  int               // of its title
	ids    map[string]string // its block ids, as they are in the new note
}

// spot is where in the new note a piece comes.
type spot struct {
	path  string
	above []string // notes that the piece stands in, its own last
	level int      // of the heading that it stands under
	top   *top     // nil for an embed
}

// begin reads the notes, and gives each its title and its block ids: what links
// lead to has to be known before any is written.
func (m *joiner) begin(paths []string) error {
	taken := map[string]bool{}
	for _, p := range paths {
		text, err := m.from.Text(p)
		if err != nil {
			return err
		}
		t := &top{text: plainBody(text), title: Name(p), ids: map[string]string{}}
		m.tops[p] = t
		d := note.Parse(t.text)
		own := ownTitle(d)
		switch {
		case own != "" && (len(paths) == 1 || slug(own) == slug(t.title)):
			t.title = own
		case len(paths) > 1:
			t.titled, t.level = true, 1
		}
		if taken[slug(t.title)] && t.titled {
			t.title = strings.TrimSuffix(p, ".md")
		}
		taken[slug(t.title)] = true
		for _, b := range d.Blocks {
			if key := strings.ToLower(b.ID); t.ids[key] == "" {
				t.ids[key] = free(m.ids, b.ID)
			}
		}
	}
	return nil
}

// plainBody gives a text without front matter and with plain line ends. It begins
// with one, so that a line "---" is no front matter.
func plainBody(text []byte) []byte {
	return append([]byte("\n"), bytes.ReplaceAll(text[note.ParseFront(text).Body.Start:], []byte("\r\n"), []byte("\n"))...)
}

// ownTitle gives the text of the only heading of the first level, where the note
// begins with it.
func ownTitle(d *note.Doc) string {
	firsts := 0
	for i := range d.Headings {
		if d.Headings[i].Level == 1 {
			firsts++
		}
	}
	if firsts != 1 || d.Headings[0].Level != 1 || len(bytes.TrimSpace(d.Data[:d.Headings[0].Start])) > 0 {
		return ""
	}
	return note.Title(d.Headings[0].Text)
}

// free gives a name that is not taken, with a number where it has to, and takes it.
// Taken has for each name the number that was given last, so that none is tried
// twice.
func free(taken map[string]int, name string) string {
	key, out := strings.ToLower(name), name
	for n := max(taken[key], 1); taken[strings.ToLower(out)] > 0; {
		n++
		out, taken[key] = name+"-"+strconv.Itoa(n), n
	}
	taken[strings.ToLower(out)] = max(taken[strings.ToLower(out)], 1)
	return out
}

// piece gives a text of a note as it stands in the new one.
func (m *joiner) piece(text []byte, at spot) ([]byte, error) {
	if m.size += len(text); m.size > MaxSize {
		return nil, ErrSize
	}
	d := note.Parse(m.from.Moved(text, at.path))
	var edits note.Edits
	for _, s := range d.Opaque {
		if bytes.HasPrefix(s.Of(d.Data), []byte("%%")) {
			edits.Replace(ownLines(d.Data, s), "")
		}
	}
	shift := m.headings(d, at, &edits)
	m.labels(d, &edits)
	for _, b := range d.Blocks {
		if at.top == nil { // the original has it
			edits.Replace(b.Span, "")
		} else if id := at.top.ids[strings.ToLower(b.ID)]; id != b.ID {
			edits.Replace(b.Span, "^"+id)
		}
	}
	tables := d.Tables()
	for i := range d.Links {
		l := &d.Links[i]
		if l.External || l.Front || l.Kind == note.Definition || l.Kind == note.HTML {
			continue
		}
		put, ok, err := m.link(d, l, at, shift, note.InSpans(tables, l.Start))
		if err != nil {
			return nil, err
		}
		if ok {
			edits.Replace(l.Span, put)
		}
	}
	return shut(edits.Apply(d.Data)), nil
}

// ownLines gives a comment with its lines, and the blank ones behind them where one
// is before them, if nothing else stands in them.
func ownLines(data []byte, s note.Span) note.Span {
	before := bytes.TrimRight(data[:s.Start], " \t")
	rest := bytes.TrimLeft(data[s.End:], " \t")
	if !bytes.HasSuffix(before, []byte("\n")) || !bytes.HasPrefix(rest, []byte("\n")) {
		return s
	}
	s.Start, s.End = len(before), len(data)-len(rest)+1
	for bytes.HasSuffix(before, []byte("\n\n")) && bytes.HasPrefix(data[s.End:], []byte("\n")) {
		s.End++
	}
	return s
}

// headings moves the headings of a piece below the one that it stands under, and
// gives by how much.
func (m *joiner) headings(d *note.Doc, at spot, edits *note.Edits) int {
	highest := 7
	for i := range d.Headings {
		highest = min(highest, d.Headings[i].Level)
	}
	shift := at.level + 1 - highest
	switch {
	case highest == 7:
		return 0
	case at.top != nil:
		shift = max(shift, 0)
	}
	for i := range d.Headings {
		h := &d.Headings[i]
		marks := strings.Repeat("#", min(max(h.Level+shift, 1), 6))
		start := h.Start
		for start < h.TextSpan.Start && d.Data[start] != '#' {
			start++
		}
		switch {
		case shift == 0:
		case start < h.TextSpan.Start:
			edits.Replace(note.Span{Start: start, End: start + h.Level}, marks)
		case h.TextSpan.Empty():
		default: // one that is underlined becomes one with marks
			edits.Insert(h.TextSpan.Start, marks+" ")
			for i, c := range h.TextSpan.Of(d.Data) {
				if c == '\n' {
					edits.Replace(note.Span{Start: h.TextSpan.Start + i, End: h.TextSpan.Start + i + 1}, " ")
				}
			}
			edits.Replace(note.Span{Start: h.TextSpan.End, End: h.End}, "")
		}
	}
	return shift
}

// link gives what stands in the place of a link or an embed, and false for one that
// stays.
func (m *joiner) link(d *note.Doc, l *note.Link, at spot, shift int, inTable bool) (string, bool, error) {
	target := at.path
	if l.Path != "" {
		target = m.from.Resolve(l.Path, m.options.Path)
	}
	if l.Embed && target == "" && (isNote(l.Path) || !strings.Contains(Name(l.Path), ".")) {
		return m.without(l.Path+l.Subpath, Missing), true, nil
	}
	if l.Embed && !isNote(target) {
		if target == "" {
			m.from.Left(l.Path, Missing)
		}
		return "", false, nil
	}
	if l.Embed && !inTable {
		level := at.level
		if h := d.HeadingOf(l.Start); h >= 0 {
			level = d.Headings[h].Level + shift
		}
		text, err := m.embed(l, target, at, level)
		if err != nil {
			return "", false, err
		}
		return placed(d, l.Span, text), true, nil
	}
	if l.Embed {
		m.from.Left(target, Kind)
	}
	t := m.tops[target]
	if t == nil || at.top == nil && l.Path == "" {
		return "", false, nil
	}
	words := l.Alias
	if l.Kind == note.Wiki {
		words = l.Shown()
	}
	if strings.ContainsAny(words, "[]|\n") || words == "" {
		return "", false, nil
	}
	link := "[[" + within(t, l.Subpath) + "|" + words + "]]"
	if inTable {
		link = note.EscapeBars(link)
	}
	return link, true, nil
}

// within gives the place in the new note that a link to a note, or to a part of it,
// leads to.
func within(t *top, sub string) string {
	title := "#" + note.HeadingPath(t.title)
	if sub == "" || sub == "#" {
		return title
	}
	if id, ok := strings.CutPrefix(sub, "#^"); ok {
		if now, ok := t.ids[strings.ToLower(id)]; ok {
			return "#^" + now
		}
		return title
	}
	last := sub[strings.LastIndexByte(sub, '#')+1:]
	if note.HeadingKey(last) == note.HeadingKey(t.title) {
		return title
	}
	return title + "#" + last
}

// embed gives the text that stands in the place of an embed of a note.
func (m *joiner) embed(l *note.Link, target string, at spot, level int) (string, error) {
	name := l.Path + l.Subpath
	if slices.Contains(at.above, target) || len(at.above) > maxEmbeds {
		return m.without(target, Cycle), nil
	}
	text, err := m.from.Text(target)
	if errors.Is(err, ErrAway) {
		return m.without(name, Missing), nil
	}
	if err != nil {
		return "", err
	}
	part, ok := m.from.Part(target, text, l.Subpath)
	if !ok {
		return m.without(name, Missing), nil
	}
	part = append([]byte("\n"), bytes.ReplaceAll(part, []byte("\r\n"), []byte("\n"))...)
	out, err := m.piece(part, spot{path: target, above: append(slices.Clip(at.above), target), level: level})
	return strings.TrimRight(strings.TrimLeft(string(out), "\n"), " \t\n"), err
}

// without says in the new note, and to who asked for it, what is not in it.
func (m *joiner) without(path string, why Lack) string {
	m.from.Left(path, why)
	name, _ := split(path)
	return "*" + m.from.Say(why, Name(name)) + "*"
}

// placed gives a text as it has to stand where an embed stood. Words on one line
// stand among the words around them; anything else gets lines of its own, which
// belong to the list item or quote that the embed stood in.
func placed(d *note.Doc, s note.Span, text string) string {
	line := d.LineSpan(d.Line(s.Start))
	before, after := d.Data[line.Start:s.Start], d.Data[s.End:line.End]
	lead, marks := leadOf(d, s.Start, before)
	alone := marks && len(bytes.TrimSpace(after)) == 0
	if !strings.Contains(text, "\n") && (alone || !opensBlock(text)) {
		return text
	}
	text = strings.ReplaceAll(text, "\n", "\n"+lead)
	blank := "\n" + strings.TrimRight(lead, " ") + "\n" + lead
	if !marks {
		text = blank + text
	} else if len(bytes.TrimSpace(before)) == 0 && line.Start > 0 && !blankLine(d, d.Line(s.Start)-1) {
		text = "\n" + lead + text
	}
	switch n := d.Line(s.Start) + 1; {
	case len(bytes.TrimSpace(after)) > 0:
		text += blank
	case n < d.Lines() && !blankLine(d, n) && len(lead) == 0:
		text += "\n"
	}
	return text
}

func blankLine(d *note.Doc, n int) bool {
	return len(bytes.TrimSpace(d.LineSpan(n).Of(d.Data))) == 0
}

// leadOf gives what lines have to begin with to belong to what an embed stands in,
// and whether nothing but marks stands before it.
func leadOf(d *note.Doc, at int, before []byte) (string, bool) {
	var lead strings.Builder
	for i, c := range before {
		switch {
		case c == '>' || c == ' ' || c == '\t':
			lead.WriteByte(c)
		case strings.IndexByte("-*+.)0123456789", c) >= 0 && d.InList(at):
			lead.WriteByte(' ')
		case bytes.HasPrefix(before[i:], []byte("[")) && len(before) >= i+4 && before[i+2] == ']' && d.InList(at):
			return lead.String(), len(bytes.TrimSpace(before[i+3:])) == 0 // the box of a task
		default:
			return lead.String(), false
		}
	}
	return lead.String(), true
}

// opensBlock says whether a line is more than words.
func opensBlock(line string) bool {
	line = strings.TrimLeft(line, " ")
	return line != "" && (strings.IndexByte("#>-*+|`~$<", line[0]) >= 0 && !strings.HasPrefix(line, "*“") || line[0] >= '0' && line[0] <= '9')
}

// shut ends what a piece leaves open, so that what follows is not read as a part of
// it.
func shut(text []byte) []byte {
	if closed(text) {
		return text
	}
	text = bytes.TrimRight(text, "\n")
	last := ""
	for line := range bytes.Lines(text) {
		line = bytes.TrimLeft(line, " \t>")
		for _, c := range []byte("`~") {
			n := 0
			for n < len(line) && line[n] == c {
				n++
			}
			if n >= 3 {
				last = strings.Repeat(string(rune(c)), n)
			}
		}
	}
	for _, end := range []string{last, "```", "~~~", "%%", "$$", "-->", "</script>", "</style>", "</pre>"} {
		if end == "" {
			continue
		}
		if out := append(slices.Clip(text), "\n"+end+"\n"...); closed(out) {
			return out
		}
	}
	return text
}

// closed says whether what follows a text is read by itself.
func closed(text []byte) bool {
	d := note.Parse(append(slices.Clip(text), "\n\n# x\n\n%% y"...))
	n := len(d.Headings)
	return n > 0 && d.Headings[n-1].Start == len(text)+2
}
