package builtin

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/carrier"
	"embedded-agent/wasm/internal/compare"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/index"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/regex"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

var errQuery = errors.New("a condition that cannot be read")

// newQuery reads the arguments.
func newQuery(ctx context.Context, env *tool.Env, args tool.Args) (*queryPlan, error) {
	q := &queryPlan{ctx: ctx, env: env, kind: args.String("kind"), tasks: args.String("tasks")}
	q.path.longerThan = args.Int("nameLongerThan")
	for _, list := range []struct {
		name string
		into *[]string
	}{{"tags", &q.tags.all}, {"anyTag", &q.tags.any}, {"withoutTags", &q.tags.none}, {"exclude", &q.path.outside}, {"fields", &q.fields}} {
		for _, s := range stringList(args, list.name) {
			if s = bareTag(s); s != "" {
				*list.into = append(*list.into, s)
			}
		}
	}
	q.testTags()
	var err error
	if q.kind == "daily" {
		if q.path.day, err = daysOf(ctx, env); err != nil {
			return nil, err
		}
	}
	if args.Has("name") {
		if q.path.like, err = compileGlob(args.String("name")); err != nil {
			return nil, err
		}
	}
	if args.String("notName") != "" {
		if q.path.unlike, err = compileGlob(args.String("notName")); err != nil {
			return nil, err
		}
	}
	for _, b := range []struct {
		name string
		into *int64
	}{{"createdAfter", &q.times.createdAfter}, {"createdBefore", &q.times.createdBefore}, {"modifiedAfter", &q.times.modifiedAfter}, {"modifiedBefore", &q.times.modifiedBefore}} {
		if args.Has(b.name) {
			t, err := compare.Date(args.String(b.name), env.Now)
			if err != nil {
				return nil, err
			}
			*b.into = t.UnixMilli()
		}
	}
	for _, w := range args.List("where") {
		if m, ok := w.(map[string]any); ok && m["property"] == "" {
			continue
		}
		c, err := newCondition(w, env.Now)
		if err != nil {
			return nil, err
		}
		q.where.all = append(q.where.all, c)
	}
	if args.Has("text") {
		if q.text.find, err = matcher(args.String("text"), args.Bool("regex"), args.Bool("caseSensitive")); err != nil {
			return nil, err
		}
		q.text.need = needOf(args.String("text"), args.Bool("regex"))
	}
	q.empty, q.links.broken = boolArg(args, "empty"), boolArg(args, "brokenLinks")
	q.links.none = args.Bool("withoutBacklinks")
	q.dateFrom = property{name: args.String("dateFrom"), known: index.NewProperty(args.String("dateFrom"), nil)}
	if err := q.readSort(args); err != nil {
		return nil, err
	}
	return q, q.readLinks(args)
}

// testTags makes the tests of tags, as rows have them.
func (q *queryPlan) testTags() {
	test := func(wants ...string) *index.Test {
		return index.NewTest(func(word any) bool {
			tag, _ := word.(string)
			return slices.ContainsFunc(wants, func(want string) bool { return note.HasTag(tag, want) })
		})
	}
	for _, t := range q.tags.all {
		q.tags.allTests = append(q.tags.allTests, test(t))
	}
	for _, t := range q.tags.none {
		q.tags.noneTests = append(q.tags.noneTests, test(t))
	}
	if len(q.tags.any) > 0 {
		q.tags.anyTest = test(q.tags.any...)
	}
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
	if args.Has("linksTo") || q.links.broken != nil {
		n, err := namesOf(q.ctx, q.env)
		if err != nil {
			return err
		}
		q.links.names, q.links.resolver.names = n, n
	}
	if args.Has("linksTo") {
		info, err := named(q.ctx, q.env, args.String("linksTo"))
		if err != nil {
			return err
		}
		q.links.target = info.Path
		links, err := q.env.Vault.Backlinks(q.ctx, info.Path)
		if err != nil {
			return err
		}
		q.links.to = toSet(links)
	}
	for _, from := range []struct {
		name string
		into *map[string]bool
	}{{"linkedFrom", &q.links.from}, {"notLinkedFrom", &q.links.notFrom}} {
		if !args.Has(from.name) {
			continue
		}
		info, err := named(q.ctx, q.env, args.String(from.name))
		if err != nil {
			return err
		}
		targets, err := q.targetsOf(info)
		if err != nil {
			return err
		}
		if from.name == "notLinkedFrom" {
			targets[info.Path] = true // a note need not link to itself
		}
		*from.into = targets
	}
	q.reads.testsText = len(q.tags.all)+len(q.tags.any)+len(q.where.all) > 0 || q.tasks != "" && q.tasks != "none" ||
		q.text.find != nil || q.links.to != nil || q.links.broken != nil && *q.links.broken
	q.reads.needsBody = len(q.tags.all)+len(q.tags.any)+len(q.tags.none) > 0 || q.tasks != "" || q.links.to != nil || q.links.broken != nil || q.wantsText()
	q.reads.needsText = q.reads.testsText || len(q.tags.none) > 0 || q.tasks != "" || q.empty != nil || q.links.broken != nil ||
		q.dateFrom.name != "" || strings.HasPrefix(q.order.by, "property:") || q.wantsText()
	return nil
}

// targetsOf gives the files that a note links to.
func (q *queryPlan) targetsOf(note host.Info) (map[string]bool, error) {
	data, err := readText(q.ctx, q.env, note)
	if err != nil {
		return nil, err
	}
	n, err := namesOf(q.ctx, q.env)
	if err != nil {
		return nil, err
	}
	out := toSet(carrier.Targets(n, note.Path, data))
	return out, n.err
}

func toSet(list []string) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, s := range list {
		out[s] = true
	}
	return out
}

// compileGlob reads a pattern for names: "*" any characters, "?" one, "[0-9]" a
// digit. With a slash it is compared with the path, otherwise with the name or the
// title.
func compileGlob(pattern string) (func(path string) bool, error) {
	if strings.TrimSpace(pattern) == "" {
		return nil, fault.New(fault.Validation, "tools.query.condition", fault.P{"condition": "name"}).With(errQuery)
	}
	low := strings.ToLower(pattern)
	whole := strings.Contains(low, "/")
	fits := func(s string) bool { return globMatch(low, s) }
	if expr := classes(low); expr != nil {
		fits = func(s string) bool { return globMatch(low, s) || expr.MatchString(s) }
	}
	return func(path string) bool {
		if !isASCII(path) {
			path = strings.ToLower(path)
		}
		if whole {
			return fits(path) || fits(strings.TrimSuffix(path, ".md"))
		}
		return fits(vaultpath.Base(path)) || fits(title(path))
	}, nil
}

// class is a bracket expression that can mean digits only. Others would take most
// names, where "[draft]" stands in a few.
var class = regex.Lazy(`\[[!^]?[0-9]-[0-9]\]`)

// classes gives a glob with such expressions as a regular expression; nil for one
// without.
func classes(glob string) *regexp.Regexp {
	at := class().FindAllStringIndex(glob, -1)
	if at == nil {
		return nil
	}
	plain := strings.NewReplacer(`\*`, ".*", `\?`, ".")
	var b strings.Builder
	from := 0
	for _, m := range at {
		b.WriteString(plain.Replace(regexp.QuoteMeta(glob[from:m[0]])))
		b.WriteString(strings.Replace(glob[m[0]:m[1]], "[!", "[^", 1))
		from = m[1]
	}
	expr, err := regexp.Compile("(?is)^" + b.String() + plain.Replace(regexp.QuoteMeta(glob[from:])) + "$")
	if err != nil { // such as [z-a]
		return nil
	}
	return expr
}

// globMatch compares, in any case of ASCII letters in s, by the usual two-pointer walk, linear for one star and
// never more than the product of the lengths.
func globMatch(pattern, s string) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == lowerByte(s[i])):
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
