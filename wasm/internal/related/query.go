package related

import (
	"cmp"
	"math"
	"slices"

	"embedded-agent/wasm/internal/index"
	"embedded-agent/wasm/internal/sorting"
)

// How many words are looked at: of a text at first, in all notes once a sample has
// told which set apart, and in the end.
const (
	mostWords   = 2000
	mostCounted = 160
	mostChosen  = 64
	sample      = 500
)

// BM25's constants: how soon more of a word counts no more, how much a note's length
// counts, and the same as the first for the text that is asked about.
const (
	k1 = 1.2
	b  = 0.75
	k3 = 8
)

// inTitle is how often a word of a title counts.
const inTitle = 3

// Query is the words of a text.
type Query struct {
	words []word
	at    map[string]int
	notes int     // that were counted
	mean  float64 // their length, in bytes
}

// word is one word: how often it is in the text, in how many notes, and what a note
// gets for it.
type word struct {
	text   string
	need   index.Need
	times  int
	df     int
	weight float64
}

// Ask makes a query of a text and a title, which may be empty.
func Ask(text []byte, title string) *Query {
	q := &Query{at: map[string]int{}}
	take := func(times int) func(string) {
		return func(w string) {
			n, known := q.at[w]
			if !known {
				if len(q.words) == mostWords {
					return
				}
				n = len(q.words)
				q.at[w] = n
				q.words = append(q.words, word{text: w, need: index.Literal(w)})
			}
			q.words[n].times += times
		}
	}
	eachWord([]byte(title), take(inTitle))
	eachWord(text, take(1))
	return q
}

// Empty says that there is no word to go by.
func (q *Query) Empty() bool { return len(q.words) == 0 }

// Note is one note of a vault as far as it is known: the signature of its text, or,
// where there is none, how often it has the words.
type Note struct {
	Text   index.Text
	Counts Counts
	Size   int64
}

// may says whether a note may have a word.
func (n *Note) may(q *Query, i int) bool {
	if n.Text.Known() {
		return n.Text.MayHold(&q.words[i].need)
	}
	_, has := slices.BinarySearchFunc(n.Counts, uint16(i), func(c Count, w uint16) int { return cmp.Compare(c.Word, w) })
	return has
}

// Count counts the words of a note, by its text and its title.
func (q *Query) Count(text []byte, title string) Counts {
	times := map[int]int{}
	take := func(by int) func(string) {
		return func(w string) {
			if n, asked := q.at[w]; asked {
				times[n] += by
			}
		}
	}
	eachWord([]byte(title), take(inTitle))
	eachWord(text, take(1))
	out := make(Counts, 0, len(times))
	for n, t := range times {
		out = append(out, Count{uint16(n), uint16(min(t, math.MaxUint16))})
	}
	sorting.Func(out, func(a, b Count) int { return int(a.Word) - int(b.Word) })
	return out
}

// Weigh works out from the notes what each word is worth, and leaves the words that
// are worth most. Numbers of words stay. each is called between notes, and ends the
// work with its error.
func (q *Query) Weigh(notes []Note, each func() error) error {
	size := 0.0
	for i := range notes {
		size += float64(notes[i].Size)
	}
	q.notes, q.mean = len(notes), max(1, size/max(1, float64(len(notes))))
	step := max(1, len(notes)/sample)
	all := make([]int, len(q.words))
	for i := range all {
		all[i] = i
	}
	if err := q.count(all, notes, step, each); err != nil {
		return err
	}
	counted := q.best(all, mostCounted, (len(notes)+step-1)/step, false)
	if step > 1 {
		if err := q.count(counted, notes, 1, each); err != nil {
			return err
		}
	}
	chosen := q.best(counted, mostChosen, len(notes), true)
	for i := range q.words {
		if !slices.Contains(chosen, i) {
			q.words[i].weight = 0
		}
	}
	return nil
}

// count counts in how many notes the words are; step is 1 for all notes.
func (q *Query) count(words []int, notes []Note, step int, each func() error) error {
	for _, i := range words {
		q.words[i].df = 0
	}
	for n := 0; n < len(notes); n += step {
		if err := each(); err != nil {
			return err
		}
		for _, i := range words {
			if notes[n].may(q, i) {
				q.words[i].df++
			}
		}
	}
	return nil
}

// best gives the words that are worth most, by what was counted in so many notes.
// One that no note has is worth nothing once all were asked.
func (q *Query) best(words []int, most, notes int, all bool) []int {
	for _, i := range words {
		w := &q.words[i]
		w.weight = Rarity(w.df, notes) * float64(w.times) * (k3 + 1) / (float64(w.times) + k3)
		if all && w.df == 0 {
			w.weight = 0
		}
	}
	out := slices.Clone(words)
	sorting.StableFunc(out, func(a, b int) int { return cmp.Compare(q.words[b].weight, q.words[a].weight) })
	return out[:min(len(out), most)]
}

// Rarity says how much it sets a note apart to have what so many of all notes have;
// nothing where half of them have it.
func Rarity(have, of int) float64 {
	if 2*have > of && of > 4 {
		return 0
	}
	return math.Log(1 + (float64(of-have)+0.5)/(float64(have)+0.5))
}

// Estimate gives the score of a note that has each word once that it may have.
func (q *Query) Estimate(n *Note) float64 {
	if !n.Text.Known() {
		return q.Score(n.Counts, int(n.Size))
	}
	sum := 0.0
	for i := range q.words {
		if w := &q.words[i]; w.weight > 0 && n.Text.MayHold(&w.need) {
			sum += w.weight
		}
	}
	return sum * (k1 + 1) / (1 + q.length(int(n.Size)))
}

func (q *Query) length(size int) float64 { return k1 * (1 - b + b*float64(size)/q.mean) }

// Score adds up what a note of a length, in bytes, gets for its words.
func (q *Query) Score(counts Counts, size int) float64 {
	sum := 0.0
	for _, c := range counts {
		t := float64(c.Times)
		sum += q.words[c.Word].weight * t * (k1 + 1) / (t + q.length(size))
	}
	return sum
}

// Most gives the highest score for words.
func (q *Query) Most() float64 {
	sum := 0.0
	for i := range q.words {
		sum += q.words[i].weight
	}
	return sum * (k1 + 1)
}

// Shared gives the words that a note has in common with the text, those that are
// worth most first, at most so many.
func (q *Query) Shared(counts Counts, most int) []string {
	counts = slices.Clone(counts)
	sorting.StableFunc(counts, func(a, b Count) int {
		return cmp.Compare(q.words[b.Word].weight, q.words[a.Word].weight)
	})
	out := []string{}
	for _, c := range counts {
		if q.words[c.Word].weight > 0 && len(out) < most {
			out = append(out, q.words[c.Word].text)
		}
	}
	return out
}
