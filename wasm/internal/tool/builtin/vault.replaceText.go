package builtin

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"embedded-agent/wasm/internal/carrier"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/prose"
	"embedded-agent/wasm/internal/regex"
	"embedded-agent/wasm/internal/tool"
)

func vaultReplaceText() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "vault.replaceText", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{
				"pattern": "find", "query": "find", "old_string": "find", "replacement": "replace", "new_string": "replace",
				"file_path": "path", "files": "paths",
			},
		},
		Run:    replaceText,
		Claims: claimTargets, Touches: touchTargets,
	})
}

func replaceText(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	pattern := args.String("find")
	if !args.Bool("regex") {
		pattern = regexp.QuoteMeta(pattern)
	}
	whole := args.Bool("wholeWord")
	if whole {
		// \b knows letters of ASCII alone.
		pattern = `(?:` + pattern + `)([^\pL\pN\pM_]|\z)`
	}
	flags := "(?m)"
	if args.Has("caseSensitive") && !args.Bool("caseSensitive") {
		flags = "(?mi)"
	}
	re, err := regex.Compile(flags + pattern)
	if err != nil {
		return nil, fault.New(fault.Validation, "tools.search.regex", fault.P{"query": args.String("find")}).With(err)
	}
	s, err := targets(ctx, env, args)
	if err != nil {
		return nil, err
	}
	skip := map[string]bool{"code": true, "frontMatter": true}
	if args.Has("skip") {
		clear(skip)
		for _, s := range stringList(args, "skip") {
			skip[s] = true
		}
	}
	template := strings.ReplaceAll(args.String("replace"), "$", "$$")
	if args.Bool("regex") {
		if template, err = groupTemplate(args.String("replace"), re.Regexp); err != nil {
			return nil, err
		}
	}
	replace := func(data []byte) ([]byte, int, error) {
		plain := bytes.ReplaceAll(data, lineEnd, newline)
		found, err := re.All(ctx, plain)
		if err != nil {
			return nil, 0, fault.From(err)
		}
		if whole {
			found = wholeWords(plain, found)
		}
		r := replacement{re.Regexp, template, skip, env.Quota.Fits}
		return r.in(data, plain, found)
	}
	return editMany(ctx, env, s, func(i host.Info, data []byte) ([]byte, int, error) {
		if !carrier.IsCanvas(i.Path) {
			return replace(data)
		}
		return editCards(i.Path, data, replace) // its JSON is not a person's words
	})
}

// wholeWords takes the last group off each match, which is the border behind the
// word, and leaves out matches that begin inside a word.
func wholeWords(data []byte, found [][]int) [][]int {
	return slices.DeleteFunc(found, func(m []int) bool {
		m[1] = m[len(m)-2]
		before, _ := utf8.DecodeLastRune(data[:m[0]])
		return m[0] > 0 && wordRune(before)
	})
}

func wordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// replacement says how matches are replaced: skip names the zones to
// leave alone, and fits is asked whether the bytes of the replacements may be
// made.
type replacement struct {
	re       *regexp.Regexp
	template string
	skip     map[string]bool
	fits     func(int) error
}

// in replaces the matches that touch none of the zones to leave alone. They were
// found in the plain text, which has "\n" where the note has "\r\n", so that ends
// of lines are matched alike in every note.
func (r *replacement) in(data, plain []byte, found [][]int) ([]byte, int, error) {
	if len(found) == 0 {
		return data, 0, nil
	}
	d := note.Parse(data)
	zones := d.Zones(r.skip["code"], r.skip["links"], r.skip["headings"], r.skip["frontMatter"])
	if r.skip["links"] {
		zones = note.Join(append(zones, prose.Names(d)...))
	}
	place := placesIn(data)
	var edits note.Edits
	at, made, eol := 0, 0, note.EOL(data)
	for _, m := range found {
		s := note.Span{Start: place(m[0]), End: place(m[1])}
		for at < len(zones) && zones[at].End <= s.Start {
			at++
		}
		if at < len(zones) && zones[at].Start < s.End && (s.Start < s.End || zones[at].Start < s.Start) {
			continue
		}
		// No group is longer than the whole match.
		if err := r.fits(len(data) + made + len(r.template) + strings.Count(r.template, "$")*(m[1]-m[0])); err != nil {
			return nil, 0, err
		}
		text := string(r.re.Expand(nil, []byte(r.template), plain, m))
		made += len(text)
		if text != string(plain[m[0]:m[1]]) {
			edits.Replace(s, note.InEOL(text, eol))
		}
	}
	return edits.Apply(data), len(edits), nil
}

// placesIn gives a function from offsets in a text with "\n" alone to those in
// the data, which may have "\r\n"; it is to be asked in ascending order.
func placesIn(data []byte) func(int) int {
	removed, next := 0, bytes.Index(data, []byte("\r\n"))
	return func(offset int) int {
		for next >= 0 && next-removed < offset {
			removed++
			from := next + 2
			if next = bytes.Index(data[from:], []byte("\r\n")); next >= 0 {
				next += from
			}
		}
		return offset + removed
	}
}
