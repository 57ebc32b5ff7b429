package community

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"embedded-agent/wasm/internal/sorting"
)

// entry is a plugin with its words.
type entry struct {
	Plugin
	name, id, about, author []string // stems
	joined                  string   // the name's letters alone: "daynight" finds "Day & Night"
}

func newEntry(p Plugin) entry {
	e := entry{Plugin: p, name: words(p.Name), about: words(p.Description), author: words(p.Author)}
	for _, w := range words(p.ID) {
		if !slices.Contains(e.name, w) && !idle[w] {
			e.id = append(e.id, w)
		}
	}
	e.joined = strings.Join(plain(p.Name), "")
	return e
}

// idle are words of questions and of descriptions that say nothing of a plugin.
var idle = map[string]bool{}

func init() {
	for w := range strings.FieldsSeq(`a an and any app are as at automatically be by can could do does file find for from
		get give has have help how i in into is it its like me md my need note obsidian of on one or other out plugin
		please recommend so some something that the them there this to tool up use user using vault want way what when
		where which will with would you your`) {
		idle[w], idle[stem(w)] = true, true
	}
}

// plain parts a text into lower-case words.
func plain(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func words(s string) []string {
	all := plain(s)
	for i, w := range all {
		all[i] = stem(w)
	}
	return all
}

// stem takes the commonest English endings off: plurals, -ing, -ed. What is left
// need not be a word.
func stem(w string) string {
	switch n := len(w); {
	case n > 4 && strings.HasSuffix(w, "ies"):
		return w[:n-3] + "y"
	case n > 5 && strings.HasSuffix(w, "ing"):
		return undouble(w[:n-3])
	case n > 4 && strings.HasSuffix(w, "ed"):
		return undouble(w[:n-2])
	case n > 4 && (strings.HasSuffix(w, "ses") || strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes")):
		return w[:n-2]
	case n > 3 && w[n-1] == 's' && w[n-2] != 's' && w[n-2] != 'u':
		return silent(w[:n-1])
	default:
		return silent(w)
	}
}

// undouble makes "plan" of "plann", and "not" of "note": what -ing and -ed leave.
func undouble(w string) string {
	if n := len(w); n > 3 && w[n-1] == w[n-2] && strings.IndexByte("lsz", w[n-1]) < 0 {
		return w[:n-1]
	}
	return w
}

// silent takes a last "e" off, so that "note" and "noting" meet.
func silent(w string) string {
	if n := len(w); n > 4 && w[n-1] == 'e' {
		return w[:n-1]
	}
	return w
}

// The worth of a word that is found, by where.
const (
	inName        = 10
	startsInName  = 6
	insideName    = 4
	inID          = 5
	inAbout       = 4
	startsInAbout = 2
	inAuthor      = 3
	wholeName     = 30
)

// worth says how much one word says of a plugin: 0 when it is not in it.
func (e *entry) worth(w string) float64 {
	best := 0.0
	look := func(list []string, whole, start float64) {
		for i, have := range list {
			v := 0.0
			switch {
			case have == w:
				v = whole
			case len(w) > 2 && strings.HasPrefix(have, w):
				v = start * float64(len(w)) / float64(len(have))
			}
			// What a description begins with is what it is about.
			best = max(best, v*(1-0.2*float64(min(i, 10))/10))
		}
	}
	look(e.name, inName, startsInName)
	look(e.id, inID, startsInAbout)
	look(e.about, inAbout, startsInAbout)
	look(e.author, inAuthor, 0)
	if best < insideName && len(w) > 3 && strings.Contains(e.joined, w) {
		best = insideName
	}
	return best
}

// named says how much of a plugin's name is in the words, from 0 to 1.
func (e *entry) named(asked []string) float64 {
	n := 0
	for _, w := range e.name {
		if slices.Contains(asked, w) {
			n++
		}
	}
	return float64(n) / float64(max(len(e.name), 1))
}

// age is how much more the first plugin of the list is worth than the last one. The
// list does not say what people use; the older plugins come first in it, and
// are those that others are extensions and copies of.
const age = 0.6

// rank gives the best plugins for a text. Rare words count more than common
// ones, a plugin with all of them more than one with some, and one whose name
// says nothing else more than one whose name does.
func rank(list []entry, text string, limit int) []Plugin {
	asked := words(text)
	telling := slices.DeleteFunc(slices.Clone(asked), func(w string) bool { return idle[w] || len(w) < 2 })
	if len(telling) == 0 {
		telling = asked
	}
	slices.Sort(telling)
	telling = slices.Compact(telling)
	if len(telling) == 0 {
		return nil
	}
	found := make([][]float64, len(list))
	seen := make([]float64, len(telling))
	for i := range list {
		row := make([]float64, len(telling))
		for k, w := range telling {
			if row[k] = list[i].worth(w); row[k] > 0 {
				seen[k]++
			}
		}
		found[i] = row
	}
	weights, total := rarity(seen, len(list))
	whole := strings.Join(plain(text), "")
	type scored struct {
		at    int
		score float64
	}
	var best []scored
	for i, row := range found {
		score, covered := 0.0, 0.0
		for k, v := range row {
			score += v * weights[k]
			if v > 0 {
				covered += weights[k]
			}
		}
		if score == 0 {
			continue
		}
		share := covered / total
		score *= share * share * (1 + list[i].named(telling)) * (1 + age*(1-float64(i)/float64(len(list))))
		if list[i].joined == whole {
			score += wholeName * total
		}
		best = append(best, scored{i, score})
	}
	sorting.StableFunc(best, func(a, b scored) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	out := make([]Plugin, 0, min(limit, len(best)))
	for _, s := range best[:min(limit, len(best))] {
		out = append(out, list[s.at].Plugin)
	}
	return out
}

// rarity weighs words by how few plugins have them, and gives the sum.
func rarity(seen []float64, n int) (weights []float64, total float64) {
	weights = make([]float64, len(seen))
	for k, with := range seen {
		weights[k] = math.Log(1 + float64(n)/(1+with))
		total += weights[k]
	}
	return weights, total
}
