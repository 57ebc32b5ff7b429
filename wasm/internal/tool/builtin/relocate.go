package builtin

import (
	"context"
	"maps"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/carrier"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

// relocation is text that goes from one note into another.
type relocation struct {
	before, after note.Names // without the other note, and with it
	format        note.Format
	from, to      string
	// moves are notes that the other one takes the place of.
	moves note.Moves
}

// relocate describes text on its way between notes; to need not be there yet.
func relocate(env *tool.Env, names *names, from, to string) *relocation {
	r := &relocation{before: names, after: names, format: note.Format(env.Platform.LinkFormat), from: from, to: to}
	if !slices.Contains(names.Named(strings.ToLower(vaultpath.Base(to))), to) {
		r.after = note.After(names, note.Moves{"": to})
	}
	return r
}

// text gives the text as it has to stand in the other note: its links lead where
// they led. One to a place of its own note leads there, unless the place goes
// along.
func (r *relocation) text(data []byte) []byte {
	if r.from == r.to {
		return data
	}
	var here *anchors
	out := note.ReplaceLinks(data, func(l *note.Link) (string, bool) {
		if l.Path == "" {
			if here == nil {
				here = anchorsOf(data)
			}
			if l.Subpath == "" || here.hold(l.Subpath) {
				return "", false
			}
		}
		target := note.Resolve(r.before, l.Path, r.from)
		if target == "" {
			return "", false
		}
		if moved, ok := r.moves[target]; ok {
			target = moved
		}
		if note.Resolve(r.after, l.Path, r.to) == target {
			return "", false
		}
		return note.LinkpathFor(l, r.after, target, r.to, r.format), true
	})
	if out == nil {
		return data
	}
	return out
}

// anchors are the headings and blocks of a text, by which links are asked about
// without looking through the text for each.
type anchors struct {
	doc      *note.Doc
	headings map[string]bool // note.HeadingKey
	blocks   map[string]bool // in small letters
}

func anchorsOf(data []byte) *anchors {
	p := &anchors{doc: note.Parse(data), headings: map[string]bool{}, blocks: map[string]bool{}}
	for i := range p.doc.Headings {
		p.headings[note.HeadingKey(p.doc.Headings[i].Text)] = true
	}
	for _, b := range p.doc.Blocks {
		p.blocks[strings.ToLower(b.ID)] = true
	}
	return p
}

// hold says whether the text has the heading or the block that a subpath names.
func (p *anchors) hold(sub string) bool {
	if id, ok := strings.CutPrefix(sub, "#^"); ok {
		return p.blocks[strings.ToLower(id)]
	}
	plain := strings.TrimLeft(strings.TrimSpace(sub), "#")
	if p.headings[note.HeadingKey(plain)] {
		return true
	}
	if !strings.Contains(plain, "#") {
		return false
	}
	_, err := headingIndex(p.doc, "", sub)
	return err == nil
}

// followMerge lets the links of other notes that led to notes which are merged
// lead to the note that holds their text now. The sources are still there.
func followMerge(ctx context.Context, env *tool.Env, names *names, sources []host.Info, to string) error {
	moves := note.Moves{}
	for _, s := range sources {
		moves[s.Path] = to
	}
	plan := note.NewRename(names, moves, note.Format(env.Platform.LinkFormat))
	changes, err := linkChanges(ctx, env, plan)
	if err == nil {
		err = names.err
	}
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.path == to {
			continue // the merged notes themselves, which go
		}
		op := host.Op{Kind: host.OpModify, Path: c.path, Before: c.before, Data: c.after, Follows: true}
		if err := apply(ctx, env, op); err != nil {
			return err
		}
	}
	return nil
}

// renameTarget gives the new path: a trailing slash keeps the name, and a file
// keeps its extension where the new name has none.
func renameTarget(info host.Info, newPath string) (string, error) {
	into := strings.HasSuffix(strings.TrimSpace(newPath), "/")
	to, err := vaultpath.CleanFolder(newPath)
	switch {
	case err != nil:
		return "", err
	case into || to == "":
		to = vaultpath.Join(to, vaultpath.Base(info.Path))
	case info.Kind == host.File && vaultpath.Ext(to) == "":
		to += vaultpath.Ext(info.Path)
	}
	if info.Kind == host.Folder && vaultpath.Under(to, info.Path) && to != info.Path {
		return "", fault.New(fault.Validation, "tools.path.intoItself", fault.P{"path": info.Path})
	}
	return to, nil
}

// linkChanges finds the notes whose links change, sorted by path.
func linkChanges(ctx context.Context, env *tool.Env, plan *note.Rename) ([]linkChange, error) {
	infos, err := linkCarriers(ctx, env, plan)
	if err != nil {
		return nil, err
	}
	var out []linkChange
	err = readAll(ctx, env, infos, func(i host.Info, data []byte) error {
		if !mayChange(plan, i.Path, data) {
			return nil
		}
		changed := carrier.Rewrite(plan, i.Path, data)
		if changed == nil {
			return nil
		}
		path := i.Path
		if moved, ok := plan.Moves[path]; ok {
			path = moved
		}
		out = append(out, linkChange{path, data, changed})
		return nil
	})
	sorting.Func(out, func(a, b linkChange) int { return strings.Compare(a.path, b.path) })
	return out, err
}

// linkChange is a note whose links follow: its path after the rename.
type linkChange struct {
	path          string
	before, after []byte
}

// mayChange spares reading a note for its links when it holds none of the names
// that a small rename is about.
func mayChange(plan *note.Rename, path string, data []byte) bool {
	if _, moves := plan.Moves[path]; moves || len(plan.Moves) > 4 || carrier.IsBase(path) {
		return true
	}
	for from, to := range plan.Moves {
		if note.MayLink(data, from) || note.MayLink(data, to) {
			return true
		}
	}
	return false
}

// linkCarriers gives the files that may hold a link which changes: those that
// link to a moved file or to a file that shares its new name, and the moved
// notes themselves.
func linkCarriers(ctx context.Context, env *tool.Env, plan *note.Rename) ([]host.Info, error) {
	if len(plan.Moves) > manyMoves {
		return carriers(ctx, env, "")
	}
	users := map[string]bool{}
	for from, to := range plan.Moves {
		users[from] = true
		for _, target := range append([]string{from}, plan.After.Named(strings.ToLower(vaultpath.Base(to)))...) {
			if target == to {
				continue
			}
			found, err := env.Vault.Backlinks(ctx, target)
			if err != nil {
				return nil, err
			}
			maps.Copy(users, toSet(found))
		}
	}
	if len(plan.Folders) > 0 { // a base may name a folder, and none of the files in it
		bases, err := filesOf(ctx, env, "", carrier.IsBase)
		if err != nil {
			return nil, err
		}
		for _, i := range bases {
			users[i.Path] = true
		}
	}
	var infos []host.Info
	for _, p := range slices.Sorted(maps.Keys(users)) {
		if !carrier.Carries(p) {
			continue
		}
		info, err := env.Vault.Stat(ctx, p)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	return infos, nil
}

// manyMoves is from how many moved files on it costs less to read all notes
// than to ask for the backlinks of each.
const manyMoves = 32
