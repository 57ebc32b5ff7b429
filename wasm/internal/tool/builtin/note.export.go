package builtin

import (
	"context"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/notepage"
	"embedded-agent/wasm/internal/outline"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

func noteExport() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "note.export", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"files": "paths", "notes": "paths", "to": "path", "newPath": "path", "moc": "linksOf", "source": "linksOf"},
		},
		Run:    exportNotes,
		Claims: claimAll,
		Touches: func(args tool.Args) tool.Touch {
			path, err := newFilePath("", tool.Args{"path": args["path"]})
			return tool.Touch{Files: []string{path}, Anywhere: err != nil}
		},
	})
}

// maxExported is how many notes one file may hold; its size is bounded as well.
const maxExported = 20_000

func exportNotes(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	path, err := newFilePath(env.Platform.Name, tool.Args{"path": args["path"]})
	if err != nil {
		return nil, err
	}
	page := false
	switch strings.ToLower(vaultpath.Ext(path)) {
	case ".md":
	case ".html", ".htm":
		page = true
	default:
		return nil, fault.New(fault.Validation, "tools.export.kind", fault.P{"path": path})
	}
	if err := checkNew(ctx, env, path); err != nil {
		return nil, err
	}
	names, err := namesOf(ctx, env)
	if err != nil {
		return nil, err
	}
	e := &exporter{merger: merger{ctx: ctx, env: env, names: names, to: path, seen: map[string]bool{}}}
	if err := e.choose(args); err != nil {
		return nil, err
	}
	o := notepage.Options{Title: title(path), Path: path, Language: env.Platform.Language, Properties: args.Bool("properties")}
	write := notepage.Markdown
	if page {
		write = notepage.Write
	}
	text, err := write(e, e.paths(), o)
	if err == nil {
		err = names.err
	}
	if err != nil {
		return nil, exportError(path, err)
	}
	if _, err := ensureFolder(ctx, env, vaultpath.Parent(path)); err != nil {
		return nil, err
	}
	out, err := created(ctx, env, args, path, text, e.read...)
	if err != nil {
		return nil, err
	}
	out["exported"] = e.paths()
	return e.scope.tell(out), nil
}

// exportError gives the error of a file that cannot be written.
func exportError(path string, err error) error {
	if err == notepage.ErrSize { //nolint:errorlint // it is given as it is
		return tooLarge(path)
	}
	return err
}

// choose finds the notes that go into the file, in their order, and reads each
// once, so that one that cannot be read is left out and named.
func (e *exporter) choose(args tool.Args) error {
	ways := 0
	for _, way := range []string{"paths", "folder", "linksOf"} {
		if args.Has(way) {
			ways++
		}
	}
	if ways != 1 {
		return fault.New(fault.Validation, "tools.export.ways", nil)
	}
	var err error
	switch {
	case args.Has("paths"):
		err = e.named(stringList(args, "paths"))
	case args.Has("linksOf"):
		err = e.linked(args.String("linksOf"))
	default:
		err = e.below(args.String("folder"))
	}
	if err != nil {
		return err
	}
	if len(e.scope.infos) > maxExported {
		return fault.New(fault.Precondition, "tools.export.many", fault.P{"n": strconv.Itoa(len(e.scope.infos)), "max": strconv.Itoa(maxExported)})
	}
	var kept []host.Info
	for _, i := range e.scope.infos {
		err := onlyNote(i.Path)
		if err == nil {
			_, err = e.load(i.Path)
		}
		if err == nil {
			kept = append(kept, i)
		} else if err := e.scope.leaveOut(i.Path, err); err != nil {
			return err
		}
	}
	e.scope.infos = kept
	if len(kept) == 0 {
		return fault.New(fault.NotFound, "tools.export.none", nil)
	}
	return nil
}

// named takes notes in the order that is given, each once.
func (e *exporter) named(paths []string) error {
	for _, p := range paths {
		info, err := named(e.ctx, e.env, p)
		if err != nil {
			if err := e.scope.leaveOut(p, err); err != nil {
				return err
			}
			continue
		}
		e.take(info)
	}
	return nil
}

// below takes the notes of a folder, those with numbers in their names as people
// count, without the file that is written.
func (e *exporter) below(folder string) error {
	folder, err := findFolder(e.ctx, e.env, folder)
	if err != nil {
		return err
	}
	infos, err := filesOf(e.ctx, e.env, folder, isNote)
	if err != nil {
		return err
	}
	sorting.StableFunc(infos, func(a, b host.Info) int { return outline.Natural(a.Path, b.Path) })
	for _, i := range infos {
		if i.Path != e.to {
			e.take(i)
		}
	}
	return nil
}

// linked takes the notes that a note links to, in the order of their links.
func (e *exporter) linked(path string) error {
	info, err := named(e.ctx, e.env, path)
	if err != nil {
		return err
	}
	text, err := e.load(info.Path)
	if err != nil {
		return err
	}
	d := note.Parse(text)
	for i := range d.Links {
		l := &d.Links[i]
		if l.Front || l.External || l.Path == "" || l.Kind == note.HTML {
			continue
		}
		target := note.Resolve(e.names, l.Path, info.Path)
		switch {
		case target == "":
			e.Left(l.Path, notepage.Missing)
		case isNote(target) && target != info.Path:
			to, err := e.env.Vault.Stat(e.ctx, target)
			if err != nil {
				if err := e.scope.leaveOut(target, err); err != nil {
					return err
				}
				continue
			}
			e.take(to)
		}
	}
	return nil
}

func (e *exporter) take(info host.Info) {
	if !e.seen[info.Path] {
		e.seen[info.Path] = true
		e.scope.infos = append(e.scope.infos, info)
	}
}
