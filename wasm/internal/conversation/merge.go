package conversation

import (
	"cmp"
	"maps"
	"slices"

	"embedded-agent/wasm/internal/sorting"
)

// merged makes a conversation of what all devices have added to it. Of what was
// said at the same time, the turns come first, so that what is said of a turn
// finds it.
func (f *files) merged(id string) *Conversation {
	c := &Conversation{ID: id}
	seen := map[string]bool{}
	for _, e := range f.all() {
		if e.Turn != nil && e.Turn.Shown.ID != "" {
			if seen[e.Turn.Shown.ID] {
				continue // in a copy of the file too
			}
			seen[e.Turn.Shown.ID] = true
		}
		c.apply(e)
	}
	return c
}

// all gives the records of all files, in the order in which they were said.
func (f *files) all() []*entry {
	var all []*entry
	for _, path := range slices.Sorted(maps.Keys(f.of)) {
		all = append(all, f.of[path].entries...)
	}
	sorting.StableFunc(all, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.N, b.N), cmp.Compare(a.kind(), b.kind()))
	})
	return all
}

// kind is 0 for turns and 1 for what is said of them.
func (e *entry) kind() int {
	if e.Turn != nil {
		return 0
	}
	return 1
}

// stamp dates a new record: after all that its device has read, whatever the
// clocks of others say.
func (f *files) stamp(e *entry, now string) {
	e.At = now
	for _, known := range f.all() {
		e.At, e.N = max(e.At, known.At), max(e.N, known.N+1)
	}
}

// kept gives the records that stay when this device's file is made anew: its
// newest turns, up to so many bytes, and what it has said of turns that stay.
func (f *files) kept(limit int) []*entry {
	live := map[*Turn]bool{}
	for _, t := range f.conversation.Turns {
		live[t] = true
	}
	var own []*entry
	ours := map[string]bool{} // turns that this device has said
	for _, path := range []string{f.own, spareOf(f.own)} {
		if file := f.of[path]; file != nil {
			own = append(own, file.entries...)
		}
	}
	for _, e := range own {
		if e.Turn != nil {
			ours[e.Turn.Shown.ID] = true
		}
	}
	stays, bytes, last, title := map[*entry]bool{}, 0, true, false
	for _, e := range slices.Backward(own) {
		switch {
		case e.Turn != nil && live[e.Turn]:
			n := size(e.Turn)
			if bytes += n; bytes <= limit || last {
				stays[e] = true
			} else {
				bytes = limit // the older ones go too
			}
			last = false
		case e.Title != "":
			stays[e], title = !title, true
		case e.Drop != "":
			stays[e] = !ours[e.Drop]
		case e.Settled != nil:
			stays[e] = slices.ContainsFunc(f.conversation.Turns, func(t *Turn) bool { return t.Run == e.Settled.Run })
		}
	}
	own = slices.DeleteFunc(own, func(e *entry) bool { return !stays[e] })
	if !title && f.conversation.Title != "" && len(own) > 0 {
		own = append(own, &entry{At: own[0].At, N: own[0].N, Title: f.conversation.Title})
	}
	return own
}
