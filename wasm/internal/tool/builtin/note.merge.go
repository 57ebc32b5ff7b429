package builtin

import (
	"bytes"
	"context"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

func noteMerge() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "note.merge", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"files": "paths", "sources": "paths", "to": "path", "newPath": "path"},
		},
		Run:    mergeNotes,
		Claims: claimAll,
	})
}

func mergeNotes(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	var text []byte
	var sources []host.Info
	var err error
	switch {
	case args.Has("embedsOf") && !args.Has("paths"):
		text, sources, err = expandEmbeds(ctx, env, args.String("embedsOf"))
	case args.Has("paths") && !args.Has("embedsOf"):
		text, sources, err = joinNotes(ctx, env, args)
	default:
		err = fault.New(fault.Validation, "tools.merge.ways", nil)
	}
	if err != nil {
		return nil, err
	}
	path, err := newFile(ctx, env, args)
	if err != nil {
		return nil, err
	}
	collision := args.String("onCollision")
	if collision == "" {
		collision = "unique"
	}
	path, _, err = createAt(ctx, env, path, text, collision)
	if err != nil {
		return nil, err
	}
	link, err := linkTo(ctx, env, path)
	if err != nil {
		return nil, err
	}
	merged := []any{}
	for _, s := range sources {
		merged = append(merged, s.Path)
		if args.Bool("deleteSources") {
			if err := trashFile(ctx, env, s.Path); err != nil {
				return nil, err
			}
		}
	}
	return tool.Data{"path": path, "title": title(path), "etag": host.Etag(text), "link": link, "merged": merged}, nil
}

// joinNotes joins notes in the order given. The front matter of the first is
// kept, that of the others left out.
func joinNotes(ctx context.Context, env *tool.Env, args tool.Args) ([]byte, []host.Info, error) {
	var out []byte
	var sources []host.Info
	eol := "\n"
	separator := "\n"
	if args.Has("separator") {
		separator = args.String("separator")
	}
	for i, p := range stringList(args, "paths") {
		info, err := findFile(ctx, env, p)
		if err != nil {
			return nil, nil, err
		}
		data, err := readText(ctx, env, info)
		if err != nil {
			return nil, nil, err
		}
		d := note.ParseFront(data)
		body := d.Body.Of(data)
		if i == 0 {
			eol = note.EOL(data)
			out = append(out, data[:d.Body.Start]...)
		} else {
			out = append(out, note.WithEOL(separator, data)...)
		}
		if args.Bool("headings") {
			out = append(out, "## "+title(info.Path)+eol+eol...)
		}
		out = append(out, bytes.TrimLeft(body, "\r\n")...)
		if len(body) > 0 && body[len(body)-1] != '\n' {
			out = append(out, eol...)
		}
		sources = append(sources, info)
	}
	return out, sources, nil
}

// maxEmbeds is how many embeds deep notes are put into each other.
const maxEmbeds = 10

// expandEmbeds gives a note's text with the notes that it embeds in their
// place, and those within them.
func expandEmbeds(ctx context.Context, env *tool.Env, path string) ([]byte, []host.Info, error) {
	info, err := findFile(ctx, env, path)
	if err != nil {
		return nil, nil, err
	}
	names, err := namesOf(ctx, env)
	if err != nil {
		return nil, nil, err
	}
	x := expansion{ctx: ctx, env: env, names: names, seen: map[string]bool{}}
	text, err := x.expand(info.Path, "", nil)
	if err == nil {
		err = names.err
	}
	return text, x.sources, err
}

type expansion struct {
	ctx     context.Context
	env     *tool.Env
	names   *names
	seen    map[string]bool
	sources []host.Info
	size    int
}

// expand gives one note's text, or one section of it; above are the notes that
// embed it. An embed of one of them stays as it is, or there would be no end.
func (x *expansion) expand(path, sub string, above []string) ([]byte, error) {
	info, err := x.env.Vault.Stat(x.ctx, path)
	if err != nil {
		return nil, err
	}
	data, err := readText(x.ctx, x.env, info)
	if err != nil {
		return nil, err
	}
	if len(above) > 0 {
		if !x.seen[path] {
			x.seen[path] = true
			x.sources = append(x.sources, info)
		}
		if data, err = embedded(path, data, sub); err != nil {
			return nil, err
		}
	}
	if x.size += len(data); x.size > maxText {
		return nil, fault.New(fault.Precondition, "tools.note.tooLarge", fault.P{"path": path, "max": "10 MB"})
	}
	d := note.Parse(data)
	var edits note.Edits
	for i := range d.Links {
		l := &d.Links[i]
		target := note.Resolve(x.names, l.Path, path)
		if !l.Embed || l.Front || l.External || !isNote(target) || len(above) >= maxEmbeds || contains(append(above, path), target) {
			continue
		}
		text, err := x.expand(target, l.Subpath, append(above, path))
		if err != nil {
			return nil, err
		}
		edits.Replace(l.Span, strings.TrimRight(note.WithEOL(string(text), data), "\r\n"))
	}
	return edits.Apply(data), nil
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

// embedded gives what an embed shows of a note: its text without front matter,
// a section, or a block.
func embedded(path string, data []byte, sub string) ([]byte, error) {
	switch {
	case sub == "":
		return bytes.TrimLeft(note.ParseFront(data).Body.Of(data), "\r\n"), nil
	case strings.HasPrefix(sub, "#^"):
		return section(path, data, tool.Args{"block": sub[2:]})
	}
	return section(path, data, tool.Args{"heading": sub[1:]})
}
