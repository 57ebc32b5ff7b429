package builtin

import (
	"cmp"
	"context"
	"path"
	"regexp"
	"strings"

	"embedded-agent/wasm/internal/carrier"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/regex"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

func linksRewrite() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "links.rewrite", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"file_path": "path", "files": "paths", "from": "target", "old": "target", "new": "to", "action": "mode"},
		},
		Run:    rewriteLinks,
		Claims: claimTargets, Touches: touchTargets,
	})
}

// linkRewrite is one call: how each link changes.
type linkRewrite struct {
	env    *tool.Env
	names  *names
	mode   string
	target string // only links with this path, as written or by what it leads to
	named  string // the only file that a link to target leads to; "" for none or several
	to     string // the file to lead to
	only   *regexp.Regexp
	alias  string
	// convert is set where links become such of the other kind.
	convert *carrier.Converter
}

func rewriteLinks(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	names, err := namesOf(ctx, env)
	if err != nil {
		return nil, err
	}
	r := linkRewrite{env: env, names: names, mode: args.String("mode"), target: args.String("target"), alias: args.String("alias")}
	r.named, _ = note.ResolveAnywhere(names, r.target)
	if args.Has("matching") {
		if r.only, err = regexp.Compile("(?i)" + args.String("matching")); err != nil {
			return nil, fault.New(fault.Validation, "tools.search.regex", fault.P{"query": args.String("matching")}).With(err)
		}
	}
	if r.mode == "wiki" || r.mode == "markdown" {
		r.convert = &carrier.Converter{Names: names, Format: note.Format(env.Platform.LinkFormat), Markdown: r.mode == "markdown"}
	}
	if r.mode == "retarget" {
		if r.target == "" || !args.Has("to") {
			return nil, fault.New(fault.Validation, "tools.links.retarget", nil)
		}
		info, err := named(ctx, env, args.String("to"))
		if err != nil {
			return nil, err
		}
		r.to = info.Path
	}
	s, err := cardTargets(ctx, env, args)
	if err != nil {
		return nil, err
	}
	return editMany(ctx, env, s, func(i host.Info, data []byte) ([]byte, int, error) {
		return editCards(i.Path, data, func(text []byte) ([]byte, int, error) { return r.rewrite(i.Path, text) })
	})
}

func (r *linkRewrite) rewrite(source string, data []byte) ([]byte, int, error) {
	d := note.Parse(data)
	tables, within := d.Tables(), nested(d.Links)
	var edits note.Edits
	for i := range d.Links {
		l := &d.Links[i]
		if l.External || l.Path == "" && (r.convert == nil || l.Subpath == "") {
			continue
		}
		resolved := note.Resolve(r.names, l.Path, source)
		if !r.chosen(l, resolved, string(l.Of(data))) {
			continue
		}
		text, ok := r.text(l, resolved, source, data)
		if r.convert != nil {
			text, ok = r.convert.Convert(l, resolved, source)
			ok = ok && !within[l]
		}
		if note.InSpans(tables, l.Start) {
			text = note.EscapeBars(text)
		}
		if ok && text != string(l.Of(data)) {
			edits.Replace(l.Span, text)
		}
	}
	return edits.Apply(data), len(edits), r.names.err
}

// nested says which links stand in another one's text.
func nested(links []note.Link) map[*note.Link]bool {
	byStart := make([]*note.Link, len(links))
	for i := range links {
		byStart[i] = &links[i]
	}
	sorting.StableFunc(byStart, func(a, b *note.Link) int { return cmp.Or(a.Start-b.Start, b.End-a.End) })
	out, end := map[*note.Link]bool{}, -1
	for _, l := range byStart {
		if l.End <= end {
			out[l] = true
		}
		end = max(end, l.End)
	}
	return out
}

// chosen says whether a link is meant.
func (r *linkRewrite) chosen(l *note.Link, resolved, written string) bool {
	if r.only != nil && !r.only.MatchString(written) {
		return false
	}
	if r.target == "" {
		return true
	}
	if resolved != "" && resolved == r.named {
		return true
	}
	want := strings.TrimSuffix(strings.ToLower(r.target), ".md")
	return strings.TrimSuffix(strings.ToLower(l.Path), ".md") == want ||
		strings.TrimSuffix(strings.ToLower(resolved), ".md") == want
}

// text gives the link as it shall be.
func (r *linkRewrite) text(l *note.Link, resolved, source string, data []byte) (string, bool) {
	format := note.Format(r.env.Platform.LinkFormat)
	switch r.mode {
	case "case":
		if resolved == "" || !caseDiffers(l.Path, resolved) {
			return "", false
		}
		return l.WithPath(data, sameCase(l.Path, resolved)), true
	case "retarget":
		return l.WithPath(data, note.LinkpathFor(l, r.names, r.to, source, format)), true
	case "alias":
		if l.Kind != note.Wiki || l.Embed {
			return "", false
		}
		name := vaultpath.Base(strings.TrimSuffix(l.Path, ".md"))
		shown := r.alias
		if shown == "" {
			shown = shortName(name)
		}
		if shown == name || l.Alias != "" && l.Alias != name {
			return "", false
		}
		return l.WithAlias(data, shown), true
	case "plain":
		if l.Embed {
			return "", false
		}
		if l.Kind == note.Markdown {
			return l.Alias, true
		}
		return l.Shown(), l.Kind == note.Wiki
	}
	return "", false
}

// sameCase writes a link's path with the letters of the file it leads to.
func sameCase(link, target string) string {
	if !strings.HasSuffix(strings.ToLower(link), ".md") {
		target = strings.TrimSuffix(target, path.Ext(target))
		if ext := path.Ext(link); ext != "" && !strings.HasSuffix(strings.ToLower(target), strings.ToLower(link)) {
			target += ext
		}
	}
	if len(link) <= len(target) && strings.EqualFold(link, target[len(target)-len(link):]) {
		return target[len(target)-len(link):]
	}
	up := strings.LastIndex(link, "../") + 3
	if up > 2 && len(link)-up <= len(target) && strings.EqualFold(link[up:], target[len(target)-(len(link)-up):]) {
		return link[:up] + target[len(target)-(len(link)-up):]
	}
	return link
}

// dated is a date or number that people put in front of titles.
var dated = regex.Lazy(`^(?:\d{4}-\d{2}-\d{2}|\d{6,14})(?:[ T]?\d{2}:?\d{2})?\s*[-–—_.:]?\s+`)

// shortName gives a title without the date in front of it.
func shortName(name string) string {
	if short := dated().ReplaceAllString(name, ""); short != "" {
		return short
	}
	return name
}
