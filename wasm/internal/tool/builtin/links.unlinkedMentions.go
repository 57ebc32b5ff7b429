package builtin

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/prose"
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
	s, err := cardTargets(ctx, env, args)
	if err != nil {
		return nil, err
	}
	m := mentionLinker{env: env, every: args.Bool("every"), link: args.Bool("link"), found: []any{}}
	if m.index, err = newMentions(ctx, env, args); err != nil {
		return nil, err
	}
	if m.names, err = namesOf(ctx, env); err != nil {
		return nil, err
	}
	edited, err := editMany(ctx, env, s, func(i host.Info, data []byte) ([]byte, int, error) {
		return editCards(i.Path, data, func(text []byte) ([]byte, int, error) { return m.in(i.Path, text) })
	})
	if err != nil {
		return nil, err
	}
	edited["mentions"] = m.found
	return edited, nil
}

// mentionLinker makes links of the mentions in one text after the other.
type mentionLinker struct {
	env         *tool.Env
	index       *mentions
	names       *names
	every, link bool
	found       []any
}

// in gives a text of a file with its mentions linked, and how many it links.
func (m *mentionLinker) in(path string, text []byte) ([]byte, int, error) {
	d := note.Parse(text)
	hits := m.index.find(d)
	if len(hits) == 0 {
		return text, 0, m.names.err
	}
	var edits note.Edits
	tables := d.Tables()
	seen := map[string]bool{}
	if !m.every {
		seen = linkedFrom(d, m.names, path)
	}
	for _, hit := range hits {
		if hit.target == path || seen[hit.target] {
			continue
		}
		seen[hit.target] = !m.every
		shown := string(hit.Of(text))
		link := note.MakeLink(m.names, hit.target, path, "", shown, note.Format(m.env.Platform.LinkFormat), m.env.Platform.MarkdownLinks)
		if note.InSpans(tables, hit.Start) {
			link = note.EscapeBars(link)
		}
		m.found = append(m.found, map[string]any{"path": path, "line": d.Line(hit.Start) + 1, "text": shown, "target": hit.target, "link": link})
		edits.Replace(hit.Span, link)
	}
	if !m.link {
		return text, 0, m.names.err
	}
	return edits.Apply(text), len(edits), m.names.err
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
	byWords map[string][]*mention
	counts  map[string][]int // most first
	byName  map[string]*mention
}

// mention is a name, taken apart: its words in lower case, what stands between
// them, and what stands around them ("C++ (old)").
type mention struct {
	note.Span
	words         []string
	between       []string
	before, after string
	target        string // "" where several notes have the name
	alias         bool
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
	m := &mentions{byWords: map[string][]*mention{}, counts: map[string][]int{}, byName: map[string]*mention{}}
	all, err := notes(ctx, env, "")
	if err != nil {
		return nil, err
	}
	if args.Has("to") {
		info, err := named(ctx, env, args.String("to"))
		if err != nil {
			return nil, err
		}
		all = []host.Info{info}
	}
	if args.Has("aliases") && !args.Bool("aliases") {
		for _, i := range all {
			m.add(title(i.Path), i.Path, false)
		}
	} else {
		err = readAll(ctx, env, all, func(i host.Info, data []byte) error {
			m.add(title(i.Path), i.Path, false)
			values, err := note.ParseFront(data).Values()
			if err != nil {
				return nil // a front matter that cannot be read has no aliases
			}
			for _, a := range note.Aliases(values) {
				m.add(a, i.Path, true)
			}
			return nil
		})
	}
	for _, l := range m.byWords {
		sorting.StableFunc(l, func(a, b *mention) int { return len(b.before) + len(b.after) - len(a.before) - len(a.after) })
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

// add takes in a name of a note. One that several notes have stands for none of
// them, but a title goes before an alias. A path with a sign that ends a link's
// path cannot be linked to.
func (m *mentions) add(name, target string, alias bool) {
	words := note.Words([]byte(name))
	if mentionLength(name) < minMention || len(words) == 0 || strings.ContainsAny(target, "#^|[]") {
		return
	}
	known := strings.ToLower(oneSpace(name))
	switch x := m.byName[known]; {
	case x == nil:
	case x.alias && !alias:
		x.target, x.alias = target, false
		return
	default:
		if x.alias == alias && x.target != target {
			x.target = ""
		}
		return
	}
	x := &mention{target: target, alias: alias, before: name[:words[0].Start], after: name[words[len(words)-1].End:]}
	for k, w := range words {
		x.words = append(x.words, strings.ToLower(name[w.Start:w.End]))
		if k > 0 {
			x.between = append(x.between, oneSpace(name[words[k-1].End:w.Start]))
		}
	}
	key, first := strings.Join(x.words, "\x00"), x.words[0]
	m.byName[known] = x
	m.byWords[key] = append(m.byWords[key], x)
	if !slices.Contains(m.counts[first], len(words)) {
		m.counts[first] = append(m.counts[first], len(words))
	}
}

// find gives the mentions in a note's prose, none over another.
func (m *mentions) find(d *note.Doc) []mention {
	zones := prose.Fixed(d)
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
			if hit.target != "" {
				out = append(out, hit)
			}
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
			hit := *x
			hit.Span = note.Span{Start: words[0].Start - len(x.before), End: words[n-1].End + len(x.after)}
			if hit.Start >= free.Start && hit.End <= free.End && hit.stands(data, words[:n]) && !prose.Joined(data, hit.Span) {
				return hit, n
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
