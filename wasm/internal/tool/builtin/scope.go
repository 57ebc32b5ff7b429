package builtin

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/carrier"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/tool"
)

// scope is the notes that a call is about, and those of them that it leaves alone.
// One bad note among many is left alone and named; a call about that note only
// fails, by the same error.
type scope struct {
	infos []host.Info
	one   bool // "path" names the one note
	left  []tool.Skip
}

// targets gives the notes that a call is about: "path", "paths", or all of
// "folder" (the whole vault without any of them), sorted by path.
func targets(ctx context.Context, env *tool.Env, args tool.Args) (*scope, error) {
	return targetsOf(ctx, env, args, isNote)
}

// targetsOf is targets of a tool that works on other files, too.
func targetsOf(ctx context.Context, env *tool.Env, args tool.Args, wanted func(path string) bool) (*scope, error) {
	given := args.List("paths")
	s := &scope{one: args.Has("path") && !args.Has("paths")}
	if args.Has("path") {
		given = append(slices.Clip(given), args["path"])
	}
	if len(given) == 0 && !args.Has("paths") {
		folder, err := findFolder(ctx, env, args.String("folder"))
		if err != nil {
			return nil, err
		}
		s.infos, err = filesOf(ctx, env, folder, wanted)
		return s, err
	}
	seen := map[string]bool{}
	for _, g := range given {
		p, _ := g.(string)
		info, err := findFile(ctx, env, p)
		if err != nil {
			if err := s.leaveOut(p, err); err != nil {
				return nil, err
			}
			continue
		}
		if !seen[info.Path] {
			seen[info.Path] = true
			s.infos = append(s.infos, info)
		}
	}
	sorting.Func(s.infos, func(a, b host.Info) int { return strings.Compare(a.Path, b.Path) })
	return s, nil
}

// noteTargets is targets of a tool that knows notes only: a canvas is text, and
// front matter would break it.
func noteTargets(ctx context.Context, env *tool.Env, args tool.Args) (*scope, error) {
	return targetsOnly(ctx, env, args, isNote)
}

// cardTargets is targets of a tool that edits notes and the cards of canvases.
func cardTargets(ctx context.Context, env *tool.Env, args tool.Args) (*scope, error) {
	return targetsOnly(ctx, env, args, func(p string) bool { return isNote(p) || carrier.IsCanvas(p) })
}

// targetsOnly leaves out what is named and not wanted.
func targetsOnly(ctx context.Context, env *tool.Env, args tool.Args, wanted func(path string) bool) (*scope, error) {
	s, err := targetsOf(ctx, env, args, wanted)
	if err != nil {
		return nil, err
	}
	var out []host.Info
	for _, i := range s.infos {
		if wanted(i.Path) {
			out = append(out, i)
		} else if err := s.leaveOut(i.Path, notMarkdown(i.Path)); err != nil {
			return nil, err
		}
	}
	s.infos = out
	return s, nil
}

// onlyNote refuses what is no Markdown note.
func onlyNote(path string) error {
	if isNote(path) {
		return nil
	}
	return notMarkdown(path)
}

func notMarkdown(path string) error {
	return fault.New(fault.Precondition, "tools.note.notMarkdown", fault.P{"path": path})
}

// leaveOut notes that a note is left alone. It gives the error back where the call
// is about that note only, or the error is not about a note.
func (s *scope) leaveOut(path string, err error) error {
	f := fault.From(err)
	if s.one || tool.Reason(f) == "" {
		return err
	}
	s.left = append(s.left, tool.Skip{Path: path, Why: f})
	return nil
}

// read reads the notes and hands each to use, in their order. One that cannot be
// read as text is left out.
func (s *scope) read(ctx context.Context, env *tool.Env, use func(host.Info, []byte) error) error {
	r := reading{found: func() int { return 0 }, passed: func(i host.Info, err error) error { return s.leaveOut(i.Path, err) }}
	return r.all(ctx, env, s.infos, use)
}

// tell puts into an output how many notes the call was about, and which of them it
// has left alone, with the reason.
func (s *scope) tell(out tool.Data) tool.Data {
	sorting.StableFunc(s.left, func(a, b tool.Skip) int { return strings.Compare(a.Path, b.Path) })
	skipped, seen := []any{}, map[string]bool{}
	for i := range s.left {
		if !seen[s.left[i].Path] {
			seen[s.left[i].Path] = true
			skipped = append(skipped, s.left[i].Data())
		}
	}
	gone := 0 // of those left out, what is not among the notes
	have := make(map[string]bool, len(s.infos))
	for i := range s.infos {
		have[s.infos[i].Path] = true
	}
	for p := range seen {
		if !have[p] {
			gone++
		}
	}
	out["looked"], out["skipped"] = len(s.infos)+gone, skipped
	return out
}
