package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"embedded-agent/wasm/internal/carrier"
	"embedded-agent/wasm/internal/compare"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/index"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

// queryPlan is a question to the vault, read and checked.
type queryPlan struct {
	ctx context.Context
	env *tool.Env

	kind, tasks string
	path        pathTest
	tags        tagTest
	times       timeTest
	where       struct {
		all     []condition
		unclear []string // notes with a value that could not be compared
	}
	text struct {
		find finder
		need index.Need // of a text in which it can be found
	}
	empty *bool
	links linkTest

	fields   []string // what is told of each file beside its name and times
	dateFrom property
	order    struct {
		from       property
		by         string
		descending bool
	}
	reads struct {
		testsText bool // only a note's text tells whether it passes
		needsText bool // its text is needed at all
		needsBody bool // its front matter is not enough
	}
}

// pathTest tests a file's name and place. A field that is not set tests
// nothing, here and in the other tests.
type pathTest struct {
	like, unlike func(path string) bool
	longerThan   int      // characters of the title
	outside      []string // files and folders
	// day gives the day of a daily note; nil where other notes are asked for, too.
	day func(path string) (time.Time, bool)
}

// daily says whether a file is of the kind that is asked for, if that is daily notes.
func (t *pathTest) daily(path string) bool {
	if t.day == nil {
		return true
	}
	_, ok := t.day(path)
	return ok
}

// tagTest tests a note's tags: the tags, and tests of them as rows
// have them.
type tagTest struct {
	all, any, none      []string
	allTests, noneTests []*index.Test
	anyTest             *index.Test
}

// timeTest tests a file's times, in ms: from the one on, and before
// the other.
type timeTest struct {
	createdAfter, createdBefore   int64
	modifiedAfter, modifiedBefore int64
}

// linkTest tests a file's links.
type linkTest struct {
	none              bool   // nothing links to it
	broken            *bool  // it has links that lead nowhere
	target            string // what to stands for
	to, from, notFrom map[string]bool
	names             *names
	resolver          linkResolver
}

// passInfo tests what needs no reading.
func (q *queryPlan) passInfo(i *host.Info) bool {
	switch {
	case q.kind == "attachment" && carrier.Carries(i.Path), !q.path.daily(i.Path),
		q.path.like != nil && !q.path.like(i.Path), q.path.unlike != nil && q.path.unlike(i.Path),
		q.path.longerThan > 0 && len([]rune(title(i.Path))) <= q.path.longerThan,
		q.times.createdAfter > 0 && i.CTime < q.times.createdAfter, q.times.createdBefore > 0 && i.CTime >= q.times.createdBefore,
		q.times.modifiedAfter > 0 && i.MTime < q.times.modifiedAfter, q.times.modifiedBefore > 0 && i.MTime >= q.times.modifiedBefore,
		q.links.to != nil && !q.links.to[i.Path], q.links.from != nil && !q.links.from[i.Path], q.links.notFrom[i.Path]:
		return false
	}
	if len(q.path.outside) == 0 {
		return true
	}
	return !slices.ContainsFunc(q.path.outside, func(e string) bool {
		e = strings.Trim(e, "/")
		return i.Path == e || i.Path == e+".md" || strings.HasPrefix(i.Path, e+"/")
	})
}

// property is a property by its name, and as rows have it.
type property struct {
	name  string
	known *index.Property
}

// condition is a test of one property. Its value may be one that cannot be compared
// with the wanted one; unclear is the test of that.
type condition struct {
	property
	test    *compare.Condition
	unclear *index.Property
}

func newCondition(v any, now time.Time) (condition, error) {
	m, _ := v.(map[string]any)
	a := tool.Args(m)
	c := condition{property: property{name: a.String("property")}}
	op := a.String("op")
	if c.name == "" || op != "" && !slices.Contains(compare.Operators, op) {
		return c, fault.New(fault.Validation, "tools.query.condition", fault.P{"condition": fmt.Sprint(v)}).With(errQuery)
	}
	c.test = compare.New(op, a["value"], now)
	c.known = index.NewProperty(c.name, func(have any) bool { passes, _ := c.test.Test(have); return passes })
	c.unclear = index.NewProperty(c.name, func(have any) bool { _, known := c.test.Test(have); return !known })
	return c, nil
}

// wantsText says whether a field that was asked for stands in the text.
func (q *queryPlan) wantsText() bool {
	return slices.ContainsFunc(q.fields, func(f string) bool { return f != "" })
}

// date gives the date of a file: of the property that was named, or else the day of a
// daily note, the date that its name begins with, or that of its creation; zero where
// the property holds none.
func (q *queryPlan) date(h *hit) time.Time {
	if q.dateFrom.name == "" || !h.known() {
		if q.path.day != nil {
			day, _ := q.path.day(h.Path)
			return day
		}
		if name := title(h.Path); len(name) >= len(time.DateOnly) {
			if day, err := time.ParseInLocation(time.DateOnly, name[:len(time.DateOnly)], q.env.Now.Location()); err == nil {
				return day
			}
		}
		return time.UnixMilli(h.CTime).In(q.env.Now.Location())
	}
	t, _ := compare.Day(strings.Trim(compare.Text(h.value(q.dateFrom)), "[]"), q.env.Now)
	return t
}

// describe gives what is told of a file; d is nil when its text was not needed.
func (q *queryPlan) describe(h *hit, d *note.Doc) map[string]any {
	i := h.Info
	at := func(ms int64) string { return timestamp.Local(time.UnixMilli(ms).In(q.env.Now.Location())) }
	date := q.date(h)
	out := map[string]any{
		"path": i.Path, "title": title(i.Path), "name": vaultpath.Base(i.Path), "folder": vaultpath.Parent(i.Path),
		"size": i.Size, "created": at(i.CTime), "modified": at(i.MTime),
		"date": "", "month": "", "year": "", "week": "",
	}
	if !date.IsZero() {
		out["date"], out["month"], out["year"] = timestamp.Day(date), timestamp.Month(date), timestamp.Year(date)
		out["week"] = timestamp.Week(date)
	}
	if d == nil {
		return out
	}
	for _, f := range q.fields {
		switch f {
		case "properties":
			out[f] = h.values
		case "tags":
			out[f] = orEmpty(d.AllTags(h.values))
		case "links":
			out[f] = linkData(d)
		case "headings":
			out[f] = headingData(d)
		case "tasks":
			out[f] = q.taskData(d, i.Path)
		case "text":
			out[f] = string(d.Data)
		}
	}
	return out
}

func linkData(d *note.Doc) []any {
	out := []any{}
	for _, l := range d.Links {
		if !l.External {
			out = append(out, l.Path+l.Subpath)
		}
	}
	return out
}

func headingData(d *note.Doc) []any {
	out := []any{}
	for _, h := range d.Headings {
		out = append(out, map[string]any{"text": h.Text, "level": h.Level})
	}
	return out
}

func (q *queryPlan) taskData(d *note.Doc, path string) []any {
	status := q.tasks
	if status == "none" {
		status = "any"
	}
	found, err := taskFilter{status: status}.find(d, path, false)
	if err != nil {
		return []any{}
	}
	out := []any{}
	for _, n := range found {
		out = append(out, taskData(d, path, n))
	}
	return out
}

// readSort reads "modified", "-modified", "property:NAME", "-property:NAME".
func (q *queryPlan) readSort(args tool.Args) error {
	q.order.by, q.order.descending = strings.CutPrefix(args.String("sort"), "-")
	if name, ok := strings.CutPrefix(q.order.by, "property:"); ok {
		q.order.from = property{name, index.NewProperty(name, nil)}
	}
	switch {
	case q.order.by == "", strings.HasPrefix(q.order.by, "property:"),
		slices.Contains([]string{"path", "title", "created", "modified", "size", "date"}, q.order.by):
		return nil
	}
	return fault.New(fault.Validation, "tools.query.sort", fault.P{"sort": args.String("sort")})
}
