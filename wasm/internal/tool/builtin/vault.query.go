package builtin

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/index"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

func vaultQuery() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: Query, Category: "search", SideEffects: tool.Reads,
			Aliases: map[string]string{"path": "folder", "dir": "folder", "glob": "name", "tag": "tags", "filter": "where", "query": "text"},
			Limit:   "limit",
		},
		Run: query, Cut: cutOf("notes"), Found: &tool.Found{
			List: "notes", Words: queryWords,
			Columns: []string{"path", "modified", "properties", "tags", "links", "tasks", "headings", "text"},
		},
	})
}

// query reads as little as the question needs: names, sizes and times first,
// texts only of what is left.
func query(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	q, err := newQuery(ctx, env, args)
	if err != nil {
		return nil, err
	}
	folder, err := findFolder(ctx, env, args.String("folder"))
	if err != nil {
		return nil, err
	}
	found, err := selectFiles(ctx, env, q.filter(folder))
	if err == nil && q.links.names != nil {
		err = q.links.names.err
	}
	if err != nil {
		return nil, err
	}
	if q.links.none {
		if found, err = q.withoutBacklinks(found); err != nil {
			return nil, err
		}
	}
	hits, err := q.read(found)
	if err != nil {
		return nil, err
	}
	part := pageOf(env, args, 1000)
	from, to := part.bounds(len(hits))
	shown, err := q.top(hits, to)
	if err != nil {
		return nil, err
	}
	shown = shown[from:]
	if err := q.describeAll(shown); err != nil {
		return nil, err
	}
	out, paths := []any{}, []any{}
	for _, h := range shown {
		out, paths = append(out, h.data), append(paths, h.Path)
	}
	return q.tellUnclear(part.tell(tool.Data{"notes": out, "paths": paths, "count": len(hits)}), len(hits)), nil
}

// tellUnclear adds the notes with a value that could not be compared, if any.
func (q *queryPlan) tellUnclear(data tool.Data, passed int) tool.Data {
	if len(q.where.unclear) == 0 {
		return data
	}
	slices.Sort(q.where.unclear)
	left := []any{}
	for _, path := range q.where.unclear {
		s := tool.Skip{Path: path, Why: fault.New(fault.Validation, "tools.compare.not", nil)}
		left = append(left, s.Data())
	}
	data["skipped"], data["looked"] = left, passed+len(left)
	return data
}

// read reads the files that must be read, and tests what only their text shows.
func (q *queryPlan) read(found []index.Found) ([]hit, error) {
	hits := make([]hit, 0, len(found))
	var texts []host.Info
	for i := range found {
		f := &found[i]
		if !f.Row.Known() && q.reads.needsText && isNote(f.Path) || f.Row.Known() && q.judge(f.Path, f.Row) == unsure {
			texts = append(texts, *f.Info)
			continue
		}
		hits = append(hits, hit{Found: f})
	}
	err := searchAll(q.ctx, q.env, texts, func() int { return len(hits) }, func(i host.Info, data []byte) error {
		h := hit{Found: &index.Found{Info: &i}}
		front := note.ParseFront(data)
		if !q.passProperties(&h, front) {
			return nil
		}
		d := front
		if q.reads.needsBody {
			d = note.Parse(data)
		}
		ok, err := q.passText(&h, d)
		if err != nil || !ok {
			return err
		}
		if h.unclear {
			q.where.unclear = append(q.where.unclear, i.Path)
			return nil
		}
		h.data = q.describe(&h, d)
		hits = append(hits, h)
		return nil
	})
	return hits, err
}

// describeAll describes the hits that are shown; what their rows do not tell is
// read. A file that has gone meanwhile is told of by its row.
func (q *queryPlan) describeAll(hits []hit) error {
	var texts []host.Info
	places := map[string]int{}
	for i := range hits {
		h := &hits[i]
		if h.data != nil {
			continue
		}
		h.data = q.describe(h, nil)
		if q.wantsText() && h.Row.Known() {
			texts, places[h.Path] = append(texts, *h.Info), i
		}
	}
	return readAll(q.ctx, q.env, texts, func(i host.Info, data []byte) error {
		h := &hits[places[i.Path]]
		d := note.Parse(data)
		var err error
		if h.values, err = d.Values(); err != nil || h.values == nil {
			h.values = map[string]any{}
		}
		h.data = q.describe(h, d)
		return nil
	})
}

// withoutBacklinks keeps the files that no other file uses.
func (q *queryPlan) withoutBacklinks(found []index.Found) ([]index.Found, error) {
	linked := map[string]bool{}
	known, rest, err := q.linkedFromRows(linked)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(found, func(f index.Found) bool { return !isNote(f.Path) }) {
		if rest, err = withHTML(q.ctx, q.env, rest); err != nil {
			return nil, err
		}
	}
	err = readAll(q.ctx, q.env, rest, func(i host.Info, data []byte) error {
		usedBy(known, linked, i.Path, data)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []index.Found
	for i := range found {
		if !linked[found[i].Path] {
			out = append(out, found[i])
		}
	}
	return out, nil
}

// passProperties tests the properties, which the front matter alone tells, and
// keeps them.
func (q *queryPlan) passProperties(h *hit, front *note.Doc) bool {
	values, err := front.Values()
	if err != nil {
		values = map[string]any{} // its properties cannot be read: it has none
	}
	h.values = values
	for _, w := range q.where.all {
		passes, known := w.test.Test(values[w.name])
		if !passes && known {
			return false
		}
		h.unclear = h.unclear || !known
	}
	return true
}

// passText tests what the rest of the text shows.
func (q *queryPlan) passText(h *hit, d *note.Doc) (bool, error) {
	if q.reads.needsBody && (!q.passTags(d.AllTags(h.values)) || !q.passTasks(d)) {
		return false, nil
	}
	if q.text.find != nil {
		if at, err := q.text.find(q.ctx, d.Data, 0); err != nil || at < 0 {
			return false, err
		}
	}
	if q.empty != nil && *q.empty != (strings.TrimSpace(string(d.Body.Of(d.Data))) == "") {
		return false, nil
	}
	if q.links.to == nil && q.links.broken == nil {
		return true, nil
	}
	return q.passLinks(h.Path, d)
}

func (q *queryPlan) passTags(tags []string) bool {
	has := func(want string) bool {
		for _, t := range tags {
			if note.HasTag(t, want) {
				return true
			}
		}
		return false
	}
	for _, t := range q.tags.all {
		if !has(t) {
			return false
		}
	}
	for _, t := range q.tags.none {
		if has(t) {
			return false
		}
	}
	if len(q.tags.any) == 0 {
		return true
	}
	for _, t := range q.tags.any {
		if has(t) {
			return true
		}
	}
	return false
}

func (q *queryPlan) passTasks(d *note.Doc) bool {
	if q.tasks == "" {
		return true
	}
	any := false
	for i := range d.Items {
		it := &d.Items[i]
		if !it.Task() {
			continue
		}
		done := note.Done(string(it.State.Of(d.Data)))
		if q.tasks == "open" && !done || q.tasks == "done" && done {
			return true
		}
		any = true
	}
	return q.tasks == "any" && any || q.tasks == "none" && !any
}

func (q *queryPlan) passLinks(path string, d *note.Doc) (bool, error) {
	linksTo, broken := false, false
	for _, l := range d.Links {
		if l.External || l.Path == "" {
			continue
		}
		target := note.Resolve(q.links.names, l.Path, path)
		broken = broken || target == "" && l.Kind != note.HTML
		linksTo = linksTo || target != "" && target == q.links.target
	}
	if q.links.names.err != nil {
		return false, q.links.names.err
	}
	return (q.links.to == nil || linksTo) && (q.links.broken == nil || broken == *q.links.broken), nil
}
