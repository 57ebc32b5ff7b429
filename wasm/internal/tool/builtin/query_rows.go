package builtin

import (
	"embedded-agent/wasm/internal/carrier"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/index"
	"embedded-agent/wasm/internal/note"
)

// verdict is a row's word on its note: it passes, it does not, or its text
// must be read to know.
type verdict int

// In this order: of two tests, the lesser verdict holds.
const (
	fails verdict = iota
	unsure
	passes
)

// filter says what of the vault is worth looking at.
func (q *queryPlan) filter(folder string) index.Filter {
	return index.Filter{
		Folder: folder, Need: q.text.need, Rows: q.reads.needsText,
		Notes: q.kind == "" || q.kind == "note" || q.kind == "daily",
		Pass:  q.passInfo,
		Keep: func(i *host.Info, row index.Row) bool {
			if !row.Known() {
				return !q.reads.testsText || isNote(i.Path) // an attachment has no tags, tasks, links
			}
			return q.judge(i.Path, row) != fails
		},
	}
}

// judge tests a note by its row.
func (q *queryPlan) judge(path string, row index.Row) verdict {
	properties := sure(true)
	for _, c := range q.where.all {
		switch {
		case c.known.Pass(row):
		case c.unclear.Pass(row):
			properties = unsure
		default:
			return fails
		}
	}
	if !q.passRowTags(row) {
		return fails
	}
	all := min(q.judgeTasks(row), q.judgeEmpty(row))
	if all == fails || (q.links.to != nil || q.links.broken != nil) && !q.passLinkPaths(path, row) {
		return fails
	}
	// A value that cannot be compared is told of once the text has passed, too.
	return min(properties, q.withText(all))
}

// withText: whether a text is there, only the text says.
func (q *queryPlan) withText(v verdict) verdict {
	if v == passes && q.text.find != nil {
		return unsure
	}
	return v
}

func sure(pass bool) verdict {
	if pass {
		return passes
	}
	return fails
}

func (q *queryPlan) judgeTasks(row index.Row) verdict {
	switch {
	case q.tasks == "":
		return passes
	case q.tasks == "none":
		return sure(row.Tasks() == 0)
	case row.Tasks() == 0:
		return fails
	case q.tasks == "any":
		return passes
	case !row.Read():
		return unsure
	case q.tasks == "open":
		return sure(row.Open() > 0)
	}
	return sure(row.Tasks() > row.Open())
}

func (q *queryPlan) judgeEmpty(row index.Row) verdict {
	switch {
	case q.empty == nil:
		return passes
	case row.Read():
		return sure(row.Empty() == *q.empty)
	}
	return unsure
}

// passRowTags is passTags by a row.
func (q *queryPlan) passRowTags(row index.Row) bool {
	for _, t := range q.tags.allTests {
		if !row.HasTag(t) {
			return false
		}
	}
	for _, t := range q.tags.noneTests {
		if row.HasTag(t) {
			return false
		}
	}
	return q.tags.anyTest == nil || row.HasTag(q.tags.anyTest)
}

// linkResolver follows the links of rows. Most lead to one place wherever they
// stand, which is then looked for once.
type linkResolver struct {
	names note.Names
	memo  index.Memo[linkEnd]
}

// linkEnd is where a link path leads. One that is not settled depends on the
// note that it stands in.
type linkEnd struct {
	target  string
	settled bool
}

func (r *linkResolver) target(row index.Row, link uint32, source string) string {
	end := r.memo.Of(row, link, func(word any) (e linkEnd) {
		e.target, e.settled = note.ResolveAnywhere(r.names, word.(string))
		return e
	})
	if end.settled {
		return end.target
	}
	return note.Resolve(r.names, row.Text(link), source)
}

// passLinkPaths tests the links of a note. An error of the names is kept there.
func (q *queryPlan) passLinkPaths(path string, row index.Row) bool {
	linksTo, broken := false, false
	for _, l := range row.Links() {
		target := q.links.resolver.target(row, l, path)
		broken = broken || target == ""
		linksTo = linksTo || target != "" && target == q.links.target
	}
	return (q.links.to == nil || linksTo) && (q.links.broken == nil || broken == *q.links.broken)
}

// linkedFromRows gives the files that the notes of the vault link to, each
// apart from itself, where rows tell it; the rest is to be read.
func (q *queryPlan) linkedFromRows(linked map[string]bool) (note.Index, []host.Info, error) {
	known := note.Index{}
	found, err := selectFiles(q.ctx, q.env, index.Filter{Rows: true, Keep: func(*host.Info, index.Row) bool { return true }})
	if err != nil {
		return nil, nil, err
	}
	for i := range found {
		known.Add(found[i].Path)
	}
	var rest []host.Info
	links := linkResolver{names: known}
	for i := range found {
		f := &found[i]
		if !f.Row.Known() {
			if carrier.Carries(f.Path) {
				rest = append(rest, *f.Info)
			}
			continue
		}
		for _, l := range f.Row.Links() {
			if t := links.target(f.Row, l, f.Path); t != "" && t != f.Path {
				linked[t] = true
			}
		}
	}
	return known, rest, nil
}
