package builtin

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/tool"
)

func linksUnlinkedMentions() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "links.unlinkedMentions", Category: "data", SideEffects: tool.Writes, Facts: tool.Facts{WritesWith: "link"},
			Aliases: map[string]string{"file_path": "path", "files": "paths", "target": "to", "apply": "link"},
		},
		Run:    unlinkedMentions,
		Found:  &tool.Found{List: "mentions", Columns: []string{"path", "text", "target"}, Words: plainWords("finding.unlinked")},
		Claims: claimTargets, Touches: touchTargets,
	})
}

func unlinkedMentions(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	s, err := noteTargets(ctx, env, args)
	if err != nil {
		return nil, err
	}
	index, err := newMentions(ctx, env, args)
	if err != nil {
		return nil, err
	}
	names, err := namesOf(ctx, env)
	if err != nil {
		return nil, err
	}
	found := []any{}
	edited, err := editMany(ctx, env, s, func(i host.Info, data []byte) ([]byte, int, error) {
		d := note.Parse(data)
		hits := index.find(d)
		if len(hits) == 0 {
			return data, 0, nil
		}
		var edits note.Edits
		tables := d.Tables()
		seen := map[string]bool{}
		if !args.Bool("every") {
			seen = linkedFrom(d, names, i.Path)
		}
		for _, m := range hits {
			if m.target == i.Path || seen[m.target] {
				continue
			}
			seen[m.target] = !args.Bool("every")
			text := string(m.Of(data))
			link := note.MakeLink(names, m.target, i.Path, "", text, note.Format(env.Platform.LinkFormat), env.Platform.MarkdownLinks)
			if note.InSpans(tables, m.Start) {
				link = note.EscapeBars(link)
			}
			found = append(found, map[string]any{"path": i.Path, "line": d.Line(m.Start) + 1, "text": text, "target": m.target, "link": link})
			edits.Replace(m.Span, link)
		}
		if !args.Bool("link") {
			return data, 0, names.err
		}
		return edits.Apply(data), len(edits), names.err
	})
	if err != nil {
		return nil, err
	}
	edited["mentions"] = found
	return edited, nil
}

// linkedFrom gives the files that a note links to already.
func linkedFrom(d *note.Doc, n note.Names, source string) map[string]bool {
	out := map[string]bool{}
	for i := range d.Links {
		if l := &d.Links[i]; !l.External && l.Path != "" {
			out[note.Resolve(n, l.Path, source)] = true
		}
	}
	return out
}

// mentions finds titles and aliases of notes in texts. They are kept by their
// words, and how many those may be by the first one, so that a text is read once,
// whatever the number of notes, and however many of them begin alike.
type mentions struct {
	byWords map[string][]mention
	counts  map[string][]int // most first
}

// mention is a name, taken apart: its words in lower case, what stands between
// them, and what stands around them ("C++ (old)").
type mention struct {
	note.Span
	words         []string
	between       []string
	before, after string
	target        string
}

// minMention is how many characters a title must have to be looked for: shorter
// ones are most often other words. Of a script that writes words with one or two
// characters each counts for two.
const minMention = 3

func mentionLength(name string) int {
	n := 0
	for _, r := range name {
		n++
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			n++
		}
	}
	return n
}

func newMentions(ctx context.Context, env *tool.Env, args tool.Args) (*mentions, error) {
	m := &mentions{byWords: map[string][]mention{}, counts: map[string][]int{}}
	all, err := notes(ctx, env, "")
	if err != nil {
		return nil, err
	}
	if args.Has("to") {
		info, err := findFile(ctx, env, args.String("to"))
		if err != nil {
			return nil, err
		}
		all = []host.Info{info}
	}
	if args.Has("aliases") && !args.Bool("aliases") {
		for _, i := range all {
			m.add(title(i.Path), i.Path)
		}
	} else {
		err = readAll(ctx, env, all, func(i host.Info, data []byte) error {
			m.add(title(i.Path), i.Path)
			values, err := note.ParseFront(data).Values()
			if err != nil {
				return nil // a front matter that cannot be read has no aliases
			}
			for _, a := range note.Aliases(values) {
				m.add(a, i.Path)
			}
			return nil
		})
	}
	for _, l := range m.byWords {
		sorting.StableFunc(l, func(a, b mention) int { return len(b.before) + len(b.after) - len(a.before) - len(a.after) })
	}
	for _, counts := range m.counts {
		sorting.Func(counts, func(a, b int) int { return b - a })
	}
	return m, err
}

// oneSpace makes each run of spaces in a line one.
func oneSpace(s string) string {
	out := make([]rune, 0, len(s))
	for _, r := range s {
		if r == '\t' || r == '\u00a0' {
			r = ' '
		}
		if r != ' ' || len(out) == 0 || out[len(out)-1] != ' ' {
			out = append(out, r)
		}
	}
	return string(out)
}

func (m *mentions) add(name, target string) {
	words := note.Words([]byte(name))
	if mentionLength(name) < minMention || len(words) == 0 {
		return
	}
	x := mention{target: target, before: name[:words[0].Start], after: name[words[len(words)-1].End:]}
	for k, w := range words {
		x.words = append(x.words, strings.ToLower(name[w.Start:w.End]))
		if k > 0 {
			x.between = append(x.between, oneSpace(name[words[k-1].End:w.Start]))
		}
	}
	key, first := strings.Join(x.words, "\x00"), x.words[0]
	m.byWords[key] = append(m.byWords[key], x)
	if !slices.Contains(m.counts[first], len(words)) {
		m.counts[first] = append(m.counts[first], len(words))
	}
}

// find gives the mentions in a note's text, outside of code, links, headings,
// tags and front matter, none over another.
func (m *mentions) find(d *note.Doc) []mention {
	zones := d.Zones(true, true, true, true)
	for _, t := range d.Tags {
		zones = append(zones, t.Span)
	}
	sorting.Func(zones, func(a, b note.Span) int { return a.Start - b.Start })
	words := note.Words(d.Data)
	var out []mention
	zone := 0
	for i := 0; i < len(words); i++ {
		for zone < len(zones) && zones[zone].End <= words[i].Start {
			zone++
		}
		if zone < len(zones) && zones[zone].Start < words[i].End {
			continue
		}
		free := note.Span{Start: 0, End: len(d.Data)}
		if zone > 0 {
			free.Start = zones[zone-1].End
		}
		if zone < len(zones) {
			free.End = zones[zone].Start
		}
		if len(out) > 0 {
			free.Start = max(free.Start, out[len(out)-1].End)
		}
		if hit, n := m.at(d.Data, words[i:], free); n > 0 {
			out = append(out, hit)
			i += n - 1
		}
	}
	return out
}

// at gives the longest name that stands at the next words, inside the span that
// is free, and how many words it has.
func (m *mentions) at(data []byte, words []note.Span, free note.Span) (mention, int) {
	for _, n := range m.counts[strings.ToLower(string(words[0].Of(data)))] {
		if n > len(words) || words[n-1].End > free.End {
			continue
		}
		lower := make([]string, n)
		for k := range lower {
			lower[k] = strings.ToLower(string(words[k].Of(data)))
		}
		for _, x := range m.byWords[strings.Join(lower, "\x00")] {
			x.Span = note.Span{Start: words[0].Start - len(x.before), End: words[n-1].End + len(x.after)}
			if x.Start >= free.Start && x.End <= free.End && x.stands(data, words[:n]) {
				return x, n
			}
		}
	}
	return mention{}, 0
}

// stands says whether what is around and between words is what the name has there.
func (x *mention) stands(data []byte, words []note.Span) bool {
	if string(data[x.Start:words[0].Start]) != x.before || string(data[words[len(words)-1].End:x.End]) != x.after {
		return false
	}
	for k := 1; k < len(words); k++ {
		if oneSpace(string(data[words[k-1].End:words[k].Start])) != x.between[k-1] {
			return false
		}
	}
	return true
}
