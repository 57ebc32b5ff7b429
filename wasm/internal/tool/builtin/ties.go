package builtin

import (
	"math"
	"strings"

	"embedded-agent/wasm/internal/breath"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/index"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/related"
)

// ties tell what notes have in common with one, beside words: a tag, a value of a
// property, a note that both link to or that links to both, and a link between the
// two. A tie that few notes share is worth more.
type ties struct {
	kinds  []tie
	shared map[string]held // by path
	linked map[string]bool
	beside map[string]float64 // by path, for the notes that link to both
	direct float64
}

// tie is one thing that notes may share: one of them is tested by a row, or a link's
// target.
type tie struct {
	tag      string
	test     *index.Test
	property *index.Property
	count    int
	weight   float64
}

// held is which ties a note has.
type held []*tie

func (h held) tags() []any {
	out := []any{}
	for _, t := range h {
		if t.tag != "" {
			out = append(out, t.tag)
		}
	}
	return out
}

// What a tie is worth, for words that as few notes have.
const (
	tieTag, tieTarget, tieProperty, tieBeside, tieDirect = 1.5, 1, 0.5, 1, 0.75
	mostTies                                             = 200
)

// tie finds what the notes share with the one that is asked about.
func (s *relatives) tie(text []byte) error {
	s.ties = ties{shared: map[string]held{}, linked: map[string]bool{}, beside: map[string]float64{}}
	if s.path == "" {
		return nil
	}
	names, err := namesOf(s.ctx, s.env)
	if err != nil {
		return err
	}
	t := &s.ties
	d := note.Parse(text)
	values, err := d.Loose()
	if err != nil {
		values = nil // its properties cannot be read: it shares none
	}
	for _, tag := range d.AllTags(values) {
		t.add(tie{tag: tag, test: index.NewTest(sameTag(tag)), weight: tieTag})
	}
	for name, value := range values {
		if texts := textsOf(value); len(texts) > 0 && !strings.HasPrefix(strings.ToLower(name), "tag") {
			t.add(tie{property: index.NewProperty(name, func(v any) bool { return anyOf(textsOf(v), texts) }), weight: tieProperty})
		}
	}
	targets := map[string]*tie{}
	for i := range d.Links {
		l := &d.Links[i]
		if to := note.Resolve(names, l.Path, s.path); !l.External && to != "" && to != s.path && targets[to] == nil && len(targets) < mostTies {
			targets[to] = &tie{weight: tieTarget}
			t.linked[to] = true
		}
	}
	if names.err != nil {
		return names.err
	}
	if err := s.follow(names, targets); err != nil {
		return err
	}
	t.weigh(targets, len(s.found))
	return nil
}

func (t *ties) add(one tie) {
	if len(t.kinds) < mostTies {
		t.kinds = append(t.kinds, one)
	}
}

// follow goes through the rows of the notes.
func (s *relatives) follow(names *names, targets map[string]*tie) error {
	t := &s.ties
	resolver := linkResolver{names: names}
	for i := range s.found {
		if err := breath.Take(s.ctx); err != nil {
			return fault.From(err)
		}
		f := &s.found[i]
		if !f.Row.Known() {
			continue
		}
		var has held
		for k := range t.kinds {
			if one := &t.kinds[k]; one.test != nil && f.Row.HasTag(one.test) || one.property != nil && one.property.Pass(f.Row) {
				has = append(has, one)
			}
		}
		links := f.Row.Links()
		leads := make([]string, 0, len(links))
		for _, l := range links {
			to := resolver.target(f.Row, l, f.Path)
			if one := targets[to]; one != nil {
				has = append(has, one)
			}
			if to == s.path {
				t.linked[f.Path] = true
			}
			leads = append(leads, to)
		}
		if t.linked[f.Path] {
			for _, to := range leads {
				t.beside[to] += 1 / math.Sqrt(float64(len(leads)))
			}
		}
		if len(has) > 0 {
			t.shared[f.Path] = has
			for _, one := range has {
				one.count++
			}
		}
	}
	return names.err
}

// weigh works out what each tie is worth among so many notes.
func (t *ties) weigh(targets map[string]*tie, notes int) {
	for i := range t.kinds {
		t.kinds[i].weight *= related.Rarity(t.kinds[i].count, notes)
	}
	for _, one := range targets {
		one.weight *= related.Rarity(one.count, notes)
	}
	t.direct = tieDirect * related.Rarity(1, max(notes, 2))
}

// score adds up what a note gets for its ties.
func (t *ties) score(path string) float64 {
	sum := 0.0
	for _, one := range t.shared[path] {
		sum += one.weight
	}
	if t.linked[path] {
		sum += t.direct
	}
	return sum + t.direct*tieBeside*min(1, t.beside[path])
}

// most gives the highest score for ties.
func (t *ties) most() float64 {
	sum := t.direct * (1 + tieBeside)
	for i := range t.kinds {
		sum += t.kinds[i].weight
	}
	return max(sum, 1e-9)
}

// sameTag says whether a tag is a tag, or one below it, or above.
func sameTag(tag string) func(word any) bool {
	want := strings.ToLower(tag)
	return func(word any) bool {
		s, _ := word.(string)
		s = strings.ToLower(s)
		return s == want || strings.HasPrefix(s, want+"/") || strings.HasPrefix(want, s+"/")
	}
}

// textsOf gives the texts of a property's value, in lower case.
func textsOf(v any) []string {
	switch v := v.(type) {
	case string:
		if v != "" {
			return []string{strings.ToLower(v)}
		}
	case []any:
		var out []string
		for _, e := range v {
			if s, ok := e.(string); ok && s != "" {
				out = append(out, strings.ToLower(s))
			}
		}
		return out
	}
	return nil
}

func anyOf(have, want []string) bool {
	for _, h := range have {
		for _, w := range want {
			if h == w {
				return true
			}
		}
	}
	return false
}
