package builtin

import (
	"cmp"
	"context"
	"math"

	"embedded-agent/wasm/internal/breath"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/index"
	"embedded-agent/wasm/internal/related"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/tool"
)

// relatives is the state of one search for notes that are related.
type relatives struct {
	ctx   context.Context
	env   *tool.Env
	path  string // of the note that is asked about; "" for a text
	most  int
	query *related.Query
	found []index.Found
	notes []related.Note // beside found
	ties  ties
	top   []relative
	left  []tool.Skip
}

// relative is a note that may be among the first.
type relative struct {
	place int // in found
	score float64
	words []string
}

// gather asks the index about the texts of the notes. Notes that it does not know are
// read once, so that it learns them; what it cannot learn, as an open note, is
// counted as it is read.
func (s *relatives) gather(folder string) error {
	filter := index.Filter{
		Folder: folder, Notes: true, Rows: true, Texts: true,
		Pass: func(i *host.Info) bool { return i.Path != s.path },
	}
	var err error
	if s.found, err = selectFiles(s.ctx, s.env, filter); err != nil {
		return err
	}
	if unknown := s.unknown(); len(unknown) > 1 {
		if _, indexed := s.env.Vault.(Selector); indexed {
			if err := readAll(s.ctx, s.env, unknown, func(host.Info, []byte) error { return nil }); err != nil {
				return err
			}
			before := s.found
			if s.found, err = selectFiles(s.ctx, s.env, filter); err != nil {
				return err
			}
			keepRows(s.found, before)
		}
	}
	s.notes = make([]related.Note, len(s.found))
	at := map[string]int{}
	for i := range s.found {
		s.notes[i] = related.Note{Text: s.found[i].Text, Size: s.found[i].Size}
		if !s.found[i].Text.Known() {
			at[s.found[i].Path] = i
		}
	}
	return s.read(s.unknown(), func(i host.Info, counts related.Counts, _ int) { s.notes[at[i.Path]].Counts = counts })
}

// keepRows takes over the rows that were known before notes were read: the overlay goes
// on with what it has read, and does not ask the index about it again. Both lists
// are by path.
func keepRows(found, before []index.Found) {
	for i := range found {
		for len(before) > 0 && before[0].Path < found[i].Path {
			before = before[1:]
		}
		if len(before) > 0 && before[0].Path == found[i].Path && !found[i].Row.Known() {
			found[i].Row = before[0].Row
		}
	}
}

// unknown gives the notes whose texts the index does not know.
func (s *relatives) unknown() []host.Info {
	var out []host.Info
	for i := range s.found {
		if !s.found[i].Text.Known() {
			out = append(out, *s.found[i].Info)
		}
	}
	return out
}

// read reads notes and counts their words. One that cannot be read is told of.
func (s *relatives) read(infos []host.Info, use func(host.Info, related.Counts, int)) error {
	r := reading{found: func() int { return 0 }, passed: func(i host.Info, err error) error {
		if f := fault.From(err); tool.Reason(f) != "" {
			s.left = append(s.left, tool.Skip{Path: i.Path, Why: f})
			return nil
		}
		return err
	}}
	return r.all(s.ctx, s.env, infos, func(i host.Info, data []byte) error {
		use(i, s.query.Count(data, title(i.Path)), len(data))
		return nil
	})
}

func (s *relatives) weigh() error {
	return s.query.Weigh(s.notes, func() error { return breath.Take(s.ctx) })
}

// readFor is how many notes are read for one that is asked for, and at least: the
// estimate of a note is near its score, and seldom in the same order.
const (
	readFor   = 20
	readLeast = 200
)

// rank reads the notes that may be among the first, and sorts them by their scores.
func (s *relatives) rank() error {
	for i := range s.found {
		if err := breath.Take(s.ctx); err != nil {
			return fault.From(err)
		}
		if score := s.query.Estimate(&s.notes[i]) + s.ties.score(s.found[i].Path); score > 0 {
			s.top = append(s.top, relative{place: i, score: score})
		}
	}
	s.sort()
	s.top = s.top[:min(len(s.top), max(readLeast, readFor*s.most))]
	at := make(map[string]int, len(s.top))
	infos := make([]host.Info, len(s.top))
	for n := range s.top {
		infos[n] = *s.found[s.top[n].place].Info
		at[infos[n].Path] = n
		s.top[n].score = 0 // for one that cannot be read now
	}
	sorting.Func(infos, func(a, b host.Info) int { return cmp.Compare(a.Path, b.Path) })
	err := s.read(infos, func(i host.Info, counts related.Counts, size int) {
		one := &s.top[at[i.Path]]
		one.score = s.query.Score(counts, size) + s.ties.score(i.Path)
		one.words = s.query.Shared(counts, 5)
	})
	s.sort()
	return err
}

// sort puts the best first, notes that are alike by their paths.
func (s *relatives) sort() {
	sorting.Func(s.top, func(a, b relative) int {
		if n := cmp.Compare(b.score, a.score); n != 0 {
			return n
		}
		return cmp.Compare(s.found[a.place].Path, s.found[b.place].Path)
	})
}

// tell gives the first notes. A score is a share of what the text itself would get.
func (s *relatives) tell() tool.Data {
	whole := s.query.Most() + s.ties.most()
	notes := []any{}
	for _, one := range s.top {
		if one.score <= 0 || len(notes) == s.most {
			break
		}
		path := s.found[one.place].Path
		notes = append(notes, map[string]any{
			"path": path, "title": title(path), "score": math.Round(1000*one.score/whole) / 1000,
			"words": one.words, "linked": s.ties.linked[path], "tags": s.ties.shared[path].tags(),
		})
	}
	out := tool.Data{"notes": notes}
	if len(s.left) > 0 {
		skipped := &scope{left: s.left}
		out = skipped.tell(out)
		out["looked"] = len(s.found)
	}
	return out
}
