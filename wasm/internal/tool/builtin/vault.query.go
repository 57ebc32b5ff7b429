package builtin

import (
	"context"
	"errors"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

func vaultQuery() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "vault.query", Category: "search", SideEffects: tool.Reads,
			Aliases: map[string]string{"path": "folder", "dir": "folder", "glob": "name", "tag": "tags", "filter": "where", "query": "text"},
		},
		Run: query,
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
	all, err := env.Vault.Walk(ctx, folder)
	if err != nil {
		return nil, err
	}
	var infos []host.Info
	for _, i := range all {
		if i.Kind == host.File && q.passInfo(i) {
			infos = append(infos, i)
		}
	}
	if q.unlinked {
		if infos, err = q.withoutBacklinks(infos); err != nil {
			return nil, err
		}
	}
	hits, err := q.read(infos)
	if err != nil {
		return nil, err
	}
	if err := q.sort(hits); err != nil {
		return nil, err
	}
	limit := 1000
	if args.Has("limit") {
		limit = args.Int("limit")
	}
	out := []any{}
	for _, h := range hits[:min(limit, len(hits))] {
		out = append(out, h.data)
	}
	return tool.Data{"notes": out, "count": len(hits), "truncated": len(hits) > limit}, nil
}

// hit is a file that passed, with what is told of it and sorted by.
type hit struct {
	info   host.Info
	values map[string]any
	data   map[string]any
}

// read reads the files that must be read, and tests what only their text shows.
func (q *queryPlan) read(infos []host.Info) ([]hit, error) {
	var hits []hit
	var texts []host.Info
	for _, i := range infos {
		if q.needsText && isNote(i.Path) {
			texts = append(texts, i)
			continue
		}
		if q.testsText && !isNote(i.Path) {
			continue // an attachment has no tags, tasks, links
		}
		h := hit{info: i}
		h.data = q.describe(&h, nil)
		hits = append(hits, h)
	}
	err := readAll(q.ctx, q.env, texts, func(i host.Info, data []byte) error {
		h := hit{info: i}
		d := note.Parse(data)
		ok, err := q.passText(&h, d)
		if err != nil || !ok {
			return err
		}
		h.data = q.describe(&h, d)
		hits = append(hits, h)
		return nil
	})
	return hits, err
}

// withoutBacklinks keeps the files that no note links to, itself apart.
func (q *queryPlan) withoutBacklinks(infos []host.Info) ([]host.Info, error) {
	all, err := q.env.Vault.Walk(q.ctx, "")
	if err != nil {
		return nil, err
	}
	known := note.Index{}
	var carriers []host.Info
	for _, i := range all {
		if i.Kind != host.File {
			continue
		}
		known.Add(i.Path)
		if carriesLinks(i.Path) {
			carriers = append(carriers, i)
		}
	}
	linked := map[string]bool{}
	err = readAll(q.ctx, q.env, carriers, func(i host.Info, data []byte) error {
		for _, p := range linkTargets(known, i.Path, data) {
			if p != i.Path {
				linked[p] = true
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []host.Info
	for _, i := range infos {
		if !linked[i.Path] {
			out = append(out, i)
		}
	}
	return out, nil
}

// linkTargets gives the files that a note's or canvas's links lead to.
func linkTargets(n note.Names, path string, data []byte) []string {
	if !isNote(path) {
		return note.CanvasFiles(data)
	}
	var out []string
	for _, l := range note.Parse(data).Links {
		if l.External {
			continue
		}
		if t := note.Resolve(n, l.Path, path); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// passText tests what only the text shows, and keeps what it found on the way.
func (q *queryPlan) passText(h *hit, d *note.Doc) (bool, error) {
	values, err := d.Values()
	if err != nil {
		values = map[string]any{} // its properties cannot be read: it has none
	}
	h.values = values
	if !q.passTags(d.AllTags(values)) || !q.passTasks(d) {
		return false, nil
	}
	for _, w := range q.where {
		if !w.pass(values[w.property], q.env.Now) {
			return false, nil
		}
	}
	if q.text != nil && q.text(string(d.Data), 0) < 0 {
		return false, nil
	}
	if q.empty != nil && *q.empty != (strings.TrimSpace(string(d.Body.Of(d.Data))) == "") {
		return false, nil
	}
	if q.linksTo == nil && q.broken == nil {
		return true, nil
	}
	return q.passLinks(h.info.Path, d)
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
	for _, t := range q.tags {
		if !has(t) {
			return false
		}
	}
	for _, t := range q.withoutTags {
		if has(t) {
			return false
		}
	}
	if len(q.anyTag) == 0 {
		return true
	}
	for _, t := range q.anyTag {
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
		target := note.Resolve(q.names, l.Path, path)
		broken = broken || target == ""
		linksTo = linksTo || target != "" && target == q.target
	}
	if q.names.err != nil {
		return false, q.names.err
	}
	return (q.linksTo == nil || linksTo) && (q.broken == nil || broken == *q.broken), nil
}

var errQuery = errors.New("a condition that cannot be read")

// newQuery reads the arguments.
func newQuery(ctx context.Context, env *tool.Env, args tool.Args) (*queryPlan, error) {
	q := &queryPlan{ctx: ctx, env: env, kind: args.String("kind"), tasks: args.String("tasks"), minName: args.Int("nameLongerThan")}
	for _, list := range []struct {
		name string
		into *[]string
	}{{"tags", &q.tags}, {"anyTag", &q.anyTag}, {"withoutTags", &q.withoutTags}, {"exclude", &q.exclude}, {"fields", &q.fields}} {
		for _, s := range stringList(args, list.name) {
			*list.into = append(*list.into, bareTag(s))
		}
	}
	var err error
	if args.Has("name") {
		if q.name, err = compileGlob(args.String("name")); err != nil {
			return nil, err
		}
	}
	for _, b := range []struct {
		name string
		into *int64
	}{{"createdAfter", &q.createdAfter}, {"createdBefore", &q.createdBefore}, {"modifiedAfter", &q.modifiedAfter}, {"modifiedBefore", &q.modifiedBefore}} {
		if args.Has(b.name) {
			t, err := parseDate(args.String(b.name), env.Now)
			if err != nil {
				return nil, err
			}
			*b.into = t.UnixMilli()
		}
	}
	for _, w := range args.List("where") {
		c, err := newCondition(w)
		if err != nil {
			return nil, err
		}
		q.where = append(q.where, c)
	}
	if args.Has("text") {
		if q.text, err = matcher(args.String("text"), args.Bool("regex"), args.Bool("caseSensitive")); err != nil {
			return nil, err
		}
	}
	q.empty, q.broken = boolArg(args, "empty"), boolArg(args, "brokenLinks")
	q.unlinked = args.Bool("withoutBacklinks")
	q.dateFrom = args.String("dateFrom")
	if err := q.readSort(args); err != nil {
		return nil, err
	}
	return q, q.readLinks(args)
}

func boolArg(args tool.Args, name string) *bool {
	if !args.Has(name) {
		return nil
	}
	b := args.Bool(name)
	return &b
}

// readLinks reads the conditions on links, and settles what must be read.
func (q *queryPlan) readLinks(args tool.Args) error {
	if args.Has("linksTo") || q.broken != nil {
		n, err := namesOf(q.ctx, q.env)
		if err != nil {
			return err
		}
		q.names = n
	}
	if args.Has("linksTo") {
		info, err := find(q.ctx, q.env, args.String("linksTo"))
		if err != nil {
			return err
		}
		q.target = info.Path
		links, err := q.env.Vault.Backlinks(q.ctx, info.Path)
		if err != nil {
			return err
		}
		q.linksTo = toSet(links)
	}
	if args.Has("linkedFrom") {
		path, data, err := readNote(q.ctx, q.env, args.String("linkedFrom"))
		if err != nil {
			return err
		}
		n, err := namesOf(q.ctx, q.env)
		if err != nil {
			return err
		}
		q.linkedFrom = toSet(linkTargets(n, path, data))
		if n.err != nil {
			return n.err
		}
	}
	q.testsText = len(q.tags)+len(q.anyTag)+len(q.where) > 0 || q.tasks != "" && q.tasks != "none" ||
		q.text != nil || q.linksTo != nil || q.broken != nil && *q.broken
	q.needsText = q.testsText || len(q.withoutTags) > 0 || q.tasks != "" || q.empty != nil || q.broken != nil ||
		q.dateFrom != "" || strings.HasPrefix(q.sortBy, "property:") || q.wantsText()
	return nil
}

func toSet(list []string) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, s := range list {
		out[s] = true
	}
	return out
}

// compileGlob reads a pattern for names: "*" any characters, "?" one. With a
// slash it is compared with the path, otherwise with the name or the title.
func compileGlob(pattern string) (func(path string) bool, error) {
	if strings.TrimSpace(pattern) == "" {
		return nil, fault.New(fault.Validation, "tools.query.condition", fault.P{"condition": "name"}).With(errQuery)
	}
	low := strings.ToLower(pattern)
	whole := strings.Contains(low, "/")
	return func(path string) bool {
		path = strings.ToLower(path)
		if whole {
			return globMatch(low, path) || globMatch(low, strings.TrimSuffix(path, ".md"))
		}
		return globMatch(low, vaultpath.Base(path)) || globMatch(low, title(path))
	}, nil
}

// globMatch compares by the usual two-pointer walk, linear for one star and
// never more than the product of the lengths.
func globMatch(pattern, s string) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p, i = p+1, i+1
		case star >= 0:
			p, mark = star+1, mark+1
			i = mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
