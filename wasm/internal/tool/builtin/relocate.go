package builtin

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
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
	var here *note.Doc
	out := note.ReplaceLinks(data, func(l *note.Link) (string, bool) {
		if l.Path == "" {
			if here == nil {
				here = note.Parse(data)
			}
			if l.Subpath == "" || holdsPlace(here, l.Subpath) {
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

// holdsPlace says whether a text has the heading or the block that a subpath
// names.
func holdsPlace(d *note.Doc, sub string) bool {
	if id, ok := strings.CutPrefix(sub, "#^"); ok {
		_, there := d.BlockWithID(id)
		return there
	}
	_, err := headingIndex(d, "", sub)
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
