package copychange

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"

	"embedded-agent/wasm/internal/vaultpath"
)

const (
	// leastAlike is how much of two files must be the same for a deleted and a new one
	// to be one that moved, in per cent of the bytes of the larger.
	leastAlike = 60
	// commonLine is in how many deleted files a line may be for it to name candidates:
	// one that is in more, such as "---", says little and would cost the square.
	commonLine = 32
	// maxCandidates is with how many deleted files a new one is compared.
	maxCandidates = 8
)

// Moves finds the deleted files that came back as new ones: of the same name but for
// letter case and Unicode form, with the same bytes, or with at least 60 % of their
// lines, by bytes. The cost is linear in the bytes. Each file is in one move at most.
func Moves(all []Change) []Change {
	p := &pairing{all: all, taken: make([]bool, len(all)), seed: maphash.MakeSeed()}
	for i, c := range all {
		switch c.Kind {
		case Delete:
			p.deleted = append(p.deleted, i)
		case Create:
			p.created = append(p.created, i)
		}
	}
	if len(p.deleted) > 0 && len(p.created) > 0 {
		p.byKey(func(c Change) (string, bool) { return vaultpath.Fold(c.Path), true })
		p.byKey(func(c Change) (string, bool) {
			data := c.Data
			if c.Kind == Delete {
				data = c.Base
			}
			return string(data), len(data) > 0 && !c.Lost
		})
		p.byLines()
	}
	out := make([]Change, 0, len(all)-len(p.moves))
	for i, c := range all {
		if !p.taken[i] {
			out = append(out, c)
		}
	}
	return append(out, p.moves...)
}

// pairing finds pairs of deleted and created files; both lists are indexes of all.
type pairing struct {
	all              []Change
	deleted, created []int
	taken            []bool
	moves            []Change
	seed             maphash.Seed
}

func (p *pairing) pair(from, to int) {
	d, c := p.all[from], p.all[to]
	p.taken[from], p.taken[to] = true, true
	p.moves = append(p.moves, Change{Kind: Move, From: d.Path, Path: c.Path, Base: d.Base, Data: c.Data, Lost: d.Lost})
}

// byKey pairs files that have the same key, in order; files without one are left.
func (p *pairing) byKey(key func(Change) (string, bool)) {
	at := map[string][]int{}
	for _, i := range p.deleted {
		if k, ok := key(p.all[i]); ok && !p.taken[i] {
			at[k] = append(at[k], i)
		}
	}
	for _, i := range p.created {
		k, ok := key(p.all[i])
		if !ok || p.taken[i] || len(at[k]) == 0 {
			continue
		}
		from := p.nearest(at[k], i)
		at[k] = slices.DeleteFunc(at[k], func(d int) bool { return d == from })
		p.pair(from, i)
	}
}

// nearest gives, of a few deleted files, the one with the name of a new one, else the
// first. Of many files with the same bytes only some are looked at.
func (p *pairing) nearest(from []int, to int) int {
	for _, d := range from[:min(len(from), commonLine)] {
		if vaultpath.Base(p.all[d].Path) == vaultpath.Base(p.all[to].Path) {
			return d
		}
	}
	return from[0]
}

// lines counts the bytes of each line of a text, by a hash of the line.
func (p *pairing) lines(data []byte) map[uint64]int {
	out := map[uint64]int{}
	for line := range bytes.Lines(data) {
		out[maphash.Bytes(p.seed, line)] += len(line)
	}
	return out
}

// byLines pairs files that have most of their lines in common.
func (p *pairing) byLines() {
	holders := map[uint64][]int{} // line -> deleted files, while they are few
	texts := map[int]map[uint64]int{}
	for _, i := range p.deleted {
		if p.taken[i] || p.all[i].Lost {
			continue
		}
		texts[i] = p.lines(p.all[i].Base)
		for line := range texts[i] {
			if h := holders[line]; len(h) <= commonLine {
				holders[line] = append(h, i)
			}
		}
	}
	for _, i := range p.created {
		if p.taken[i] {
			continue
		}
		text := p.lines(p.all[i].Data)
		best, most := -1, 0
		for _, d := range p.candidates(text, holders) {
			if common := common(texts[d], text); common > most && alike(common, len(p.all[d].Base), len(p.all[i].Data)) {
				best, most = d, common
			}
		}
		if best >= 0 {
			p.pair(best, i)
		}
	}
}

// candidates gives the deleted files that share most with a text, by the lines that
// few files have.
func (p *pairing) candidates(text map[uint64]int, holders map[uint64][]int) []int {
	shared := map[int]int{}
	for line, n := range text {
		if h := holders[line]; len(h) <= commonLine {
			for _, d := range h {
				if !p.taken[d] {
					shared[d] += n
				}
			}
		}
	}
	out := make([]int, 0, len(shared))
	for d := range shared {
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b int) int { return cmp.Or(cmp.Compare(shared[b], shared[a]), cmp.Compare(a, b)) })
	return out[:min(len(out), maxCandidates)]
}

// common counts the bytes of the lines that two texts share.
func common(a, b map[uint64]int) int {
	n := 0
	for line, bytes := range a {
		n += min(bytes, b[line])
	}
	return n
}

func alike(common, a, b int) bool { return max(a, b) > 0 && common*100 >= leastAlike*max(a, b) }
