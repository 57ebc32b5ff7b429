package builtin

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/index"
	"embedded-agent/wasm/internal/regex"
	"embedded-agent/wasm/internal/tool"
)

func vaultSearchText() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "vault.searchText", Category: "search", SideEffects: tool.Reads,
			Aliases: map[string]string{"pattern": "query", "text": "query", "path": "folder", "dir": "folder", "max_results": "limit"},
			Limit:   "limit",
		},
		Run: searchText, Cut: cutOf("hits"),
	})
}

var errEnough = errors.New("enough")

func searchText(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	next, err := matcher(args.String("query"), args.Bool("regex"), args.Bool("caseSensitive"))
	if err != nil {
		return nil, err
	}
	folder, err := findFolder(ctx, env, args.String("folder"))
	if err != nil {
		return nil, err
	}
	infos, err := notesHolding(ctx, env, folder, needOf(args.String("query"), args.Bool("regex")))
	if err != nil {
		return nil, err
	}
	part := pageOf(env, args, 100)
	hits := []any{}
	plainEnds := args.Bool("regex") || strings.Contains(args.String("query"), "\n")
	err = searchAll(ctx, env, infos, func() int { return len(hits) }, func(i host.Info, data []byte) error {
		full := false
		if plainEnds && bytes.Contains(data, lineEnd) {
			data = bytes.ReplaceAll(data, lineEnd, newline) // "$" stands before a line's end, whichever it is
		}
		err := eachHit(ctx, data, next, func(line int, text []byte, at int) bool {
			if !part.take() {
				full = part.enough()
				return !full
			}
			shown := string(text)
			if env.Model.Paged {
				shown = around(shown, at)
			}
			hits = append(hits, map[string]any{"path": i.Path, "line": line, "text": shown})
			return true
		})
		if full {
			return errEnough
		}
		return err
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return part.tell(tool.Data{"hits": hits}), nil
}

// finder gives the first match in a text from an offset on, or -1. Its error is
// that the call has ended.
type finder func(ctx context.Context, text []byte, from int) (int, error)

// found is a finder for what takes one pass over the text.
func found(in func(text []byte, from int) int) finder {
	return func(_ context.Context, text []byte, from int) (int, error) { return in(text, from), nil }
}

// notesHolding gives the notes below a folder that may hold what is needed.
func notesHolding(ctx context.Context, env *tool.Env, folder string, need index.Need) ([]host.Info, error) {
	found, err := selectFiles(ctx, env, index.Filter{Folder: folder, Need: need, Notes: true})
	out := make([]host.Info, len(found))
	for i := range found {
		out[i] = *found[i].Info
	}
	return out, err
}

// matcher gives the search that the arguments ask for.
func matcher(query string, isRegex, caseSensitive bool) (finder, error) {
	if !isRegex && caseSensitive {
		needle := []byte(query)
		return found(func(text []byte, from int) int { return indexFrom(text, needle, from) }), nil
	}
	if !isRegex && isASCII(query) {
		low := []byte(strings.ToLower(query))
		return found(func(text []byte, from int) int { return indexFold(text, low, from) }), nil
	}
	re, err := regex.Compile(patternOf(query, isRegex, caseSensitive))
	if err != nil {
		return nil, fault.New(fault.Validation, "tools.search.regex", fault.P{"query": query}).With(err)
	}
	return func(ctx context.Context, text []byte, from int) (int, error) {
		m, err := re.Find(ctx, text, from)
		switch {
		case err != nil:
			return -1, fault.From(err)
		case m == nil:
			return -1, nil
		}
		return m[0], nil
	}, nil
}

// patternOf gives the regular expression of a search.
func patternOf(query string, isRegex, caseSensitive bool) string {
	if !isRegex {
		query = regexp.QuoteMeta(query)
	}
	if !caseSensitive {
		query = "(?i)" + query
	}
	return "(?m)" + query
}

// needOf gives what a text must hold for a search to find something in it.
func needOf(query string, isRegex bool) index.Need {
	if !isRegex {
		return index.Literal(query)
	}
	return index.Pattern(patternOf(query, true, false))
}

func indexFrom(text, query []byte, from int) int {
	i := bytes.Index(text[from:], query)
	if i < 0 {
		return -1
	}
	return from + i
}

// indexFold finds a lower-case ASCII text in any case: it jumps to the places
// of its first letter in either case.
func indexFold(text, low []byte, from int) int {
	up := low[0]
	if up >= 'a' && up <= 'z' {
		up -= 'a' - 'A'
	}
	nextLow, nextUp := -2, -2
	for i := from; i+len(low) <= len(text); i++ {
		if nextLow != -1 && nextLow < i {
			nextLow = byteFrom(text, low[0], i)
		}
		if nextUp != -1 && nextUp < i {
			nextUp = byteFrom(text, up, i)
		}
		switch {
		case nextLow < 0 && nextUp < 0:
			return -1
		case nextLow < 0:
			i = nextUp
		case nextUp < 0:
			i = nextLow
		default:
			i = min(nextLow, nextUp)
		}
		if i+len(low) <= len(text) && bytes.EqualFold(text[i:i+len(low)], low) {
			return i
		}
	}
	return -1
}

func byteFrom(text []byte, c byte, from int) int {
	i := bytes.IndexByte(text[from:], c)
	if i < 0 {
		return -1
	}
	return from + i
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

var newline, carriageReturn, lineEnd = []byte("\n"), []byte("\r"), []byte("\r\n")

// eachHit calls use for every line with a match: its number from 1, its text,
// and where in it the match is. It stops when use says so, or with next's error.
func eachHit(ctx context.Context, text []byte, next finder, use func(line int, text []byte, at int) bool) error {
	line, counted := 1, 0
	for from := 0; from <= len(text); {
		at, err := next(ctx, text, from)
		if err != nil || at < 0 {
			return err
		}
		line += bytes.Count(text[counted:at], newline)
		start := bytes.LastIndexByte(text[:at], '\n') + 1
		counted = at
		end := len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		if !use(line, bytes.TrimSuffix(text[start:end], carriageReturn), at-start) {
			return nil
		}
		from = end + 1
	}
	return nil
}

// around shortens a long line to what is near the match.
func around(line string, at int) string {
	const room = 150
	if len(line) <= 2*room {
		return line
	}
	start, end := max(0, at-room), min(len(line), at+room)
	for start > 0 && !utf8.RuneStart(line[start]) {
		start--
	}
	for end < len(line) && !utf8.RuneStart(line[end]) {
		end++
	}
	short := line[start:end]
	if start > 0 {
		short = "…" + short
	}
	if end < len(line) {
		short += "…"
	}
	return short
}
