package builtin

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/index"
	"embedded-agent/wasm/internal/tool"
)

func vaultSearchText() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "vault.searchText", Category: "search", SideEffects: tool.Reads,
			Aliases: map[string]string{"pattern": "query", "text": "query", "path": "folder", "dir": "folder", "max_results": "limit"},
			Limit:   "limit",
		},
		Run: searchText, Cut: cutOf("hits"), Found: &tool.Found{List: "hits", Columns: []string{"path", "text"}, Words: mentionWords},
	})
}

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

// notesHolding gives the notes below a folder that may hold what is needed.
func notesHolding(ctx context.Context, env *tool.Env, folder string, need index.Need) ([]host.Info, error) {
	found, err := selectFiles(ctx, env, index.Filter{Folder: folder, Need: need, Notes: true})
	out := make([]host.Info, len(found))
	for i := range found {
		out[i] = *found[i].Info
	}
	return out, err
}

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
