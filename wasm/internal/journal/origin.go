package journal

import (
	"embedded-agent/wasm/internal/record"
	"embedded-agent/wasm/internal/seal"
)

// Origin says who wrote a journal, as far as its seals tell.
type Origin int

// The origins. Only what this device has sealed is carried out by itself; of
// all others the changes can be seen, and go through a review.
const (
	// Sealed: by this device, and as it was written.
	Sealed Origin = iota
	// Unsealed: without a key, by an earlier version or where there was no place
	// for one; anybody could have written it.
	Unsealed
	// Foreign: with a key that is not that of this device.
	Foreign
	// Changed: it was this device's, or has hashes, and something in it does not
	// fit: a record, a file beside it, or the folder that it is in.
	Changed
)

// Ours says whether this device wrote the journal, and nobody has changed it.
func (l *Log) Ours() bool { return l.Origin == Sealed }

// whose takes a file of records apart and says who wrote it. What does not fit
// is given too, for showing; good is how many bytes fit.
func whose(key *seal.Key, name string, data []byte) (recs [][]byte, c *record.Chain, good int, o Origin) {
	var err error
	if key != nil {
		recs, c, good, err = record.ReadSealed(key, name, data)
		switch {
		case len(recs) > 0 && err != nil:
			return record.Frames(data), c, good, Changed
		case err == nil:
			return recs, c, good, Sealed
		}
	}
	recs, c, good, err = record.Read(name, data)
	switch {
	case err == nil:
		return recs, c, good, Unsealed
	case len(recs) > 0:
		return record.Frames(data), c, good, Changed
	}
	return record.Frames(data), c, good, Foreign
}

// hold compares the parts of a sealed journal: each of them is of this device,
// but perhaps not of this run, or not of this time.
func (l *Log) hold(key *seal.Key, chains map[string]*record.Chain) {
	if l.Origin == Foreign && l.Key == key.ID() && key != nil {
		l.Origin = Changed
	}
	if l.Origin != Sealed || l.End == nil {
		return
	}
	if !l.End.sealed {
		l.Origin = Changed
	}
	for _, name := range Files() {
		c := chains[name]
		_, named := l.End.Heads[name]
		if c == nil && named || c != nil && !fits(l.End, name, c.Head(), c.Len()) {
			l.Origin = Changed
		}
	}
}

// fits says whether a file is the one that the end record speaks of. One that
// speaks of no file is that of a run that had not begun.
func fits(e *End, file, head string, n int) bool {
	return len(e.Heads) == 0 || e.Counts[file] == n && (n == 0 || e.Heads[file] == head)
}
