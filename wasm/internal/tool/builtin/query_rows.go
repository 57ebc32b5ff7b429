package builtin

import (
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/index"
	"embedded-agent/wasm/internal/note"
)

// verdict is what a row says of its note: it passes, it does not, or its text
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
		Folder: folder, Need: q.need, Rows: q.needsText,
		Notes: q.kind == "" || q.kind == "note",
		Pass:  func(i *host.Info) bool { return q.passInfo(*i) },
		Keep: func(i *host.Info, row *index.Row) bool {
			if row == nil {
				return !q.testsText || isNote(i.Path) // an attachment has no tags, tasks, links
			}
			return q.judge(i.Path, row) != fails
		},
	}
}

// judge tests a note by its row.
func (q *queryPlan) judge(path string, row *index.Row) verdict {
	for i := range q.where {
		if !q.where[i].pass(row.Value(q.where[i].property), q.env.Now) {
			return fails
		}
	}
	if !q.passTags(row.Tags) {
		return fails
	}
	all := min(q.judgeTasks(row), q.judgeEmpty(row))
	if all == fails || q.linksTo == nil && q.broken == nil {
		return q.withText(all)
	}
	if !q.passLinkPaths(path, row.Links) {
		return fails
	}
	return q.withText(all)
}

// withText: whether a text is there, only the text says.
func (q *queryPlan) withText(v verdict) verdict {
	if v == passes && q.text != nil {
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

func (q *queryPlan) judgeTasks(row *index.Row) verdict {
	switch {
	case q.tasks == "":
		return passes
	case q.tasks == "none":
		return sure(row.Tasks == 0)
	case row.Tasks == 0:
		return fails
	case q.tasks == "any":
		return passes
	case !row.Read:
		return unsure
	case q.tasks == "open":
		return sure(row.Open > 0)
	}
	return sure(row.Done > 0)
}

func (q *queryPlan) judgeEmpty(row *index.Row) verdict {
	switch {
	case q.empty == nil:
		return passes
	case row.Read:
		return sure(row.Empty == *q.empty)
	}
	return unsure
}

// passLinkPaths tests the links of a note. An error of the names is kept there.
func (q *queryPlan) passLinkPaths(path string, links []string) bool {
	linksTo, broken := false, false
	for _, l := range links {
		target := note.Resolve(q.names, l, path)
		broken = broken || target == ""
		linksTo = linksTo || target != "" && target == q.target
	}
	return (q.linksTo == nil || linksTo) && (q.broken == nil || broken == *q.broken)
}

// linkedFromRows gives the files that the notes of the vault link to, each
// apart from itself, where rows tell it; the rest is to be read.
func (q *queryPlan) linkedFromRows(linked map[string]bool) (note.Index, []host.Info, error) {
	known := note.Index{}
	found, err := selectFiles(q.ctx, q.env, index.Filter{Rows: true, Keep: func(*host.Info, *index.Row) bool { return true }})
	if err != nil {
		return nil, nil, err
	}
	for i := range found {
		known.Add(found[i].Path)
	}
	var rest []host.Info
	for i := range found {
		f := &found[i]
		if f.Row == nil {
			if carriesLinks(f.Path) {
				rest = append(rest, f.Info)
			}
			continue
		}
		for _, l := range f.Row.Links {
			if t := note.Resolve(known, l, f.Path); t != "" && t != f.Path {
				linked[t] = true
			}
		}
	}
	return known, rest, nil
}
