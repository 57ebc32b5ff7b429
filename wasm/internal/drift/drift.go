// Package drift finds where a vault is not as a simulation found it
// (docs/adr/0008): what a changeset writes, moves or removes, and the names that it
// takes. Files whose size and times are the same are not read.
package drift

import (
	"bytes"
	"context"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/vaultpath"
)

// Look is two looks at a vault: as the simulation found it, and as it is now.
type Look struct {
	Was, Now *overlay.Base
	Open     []string // notes that may have text that is not in the file
	Width    int      // how many files are read at once
}

// Find gives the paths of a changeset where the vault has changed, sorted.
func (l Look) Find(ctx context.Context, changes []overlay.Change) ([]string, error) {
	look := &look{Look: l}
	look.take(changes)
	return look.find(ctx)
}

// look is a Look on its way.
type look struct {
	Look
	files []file
	free  []string // names that nothing must have
}

// file is a file that is written, as the simulation found it; before is nil
// where only its place matters.
type file struct {
	path, from string
	before     []byte
}

// take notes what a changeset needs to find as it was.
func (l *look) take(changes []overlay.Change) {
	made, moved := map[string]bool{}, map[string]bool{}
	for _, c := range changes {
		made[c.Path] = made[c.Path] || c.Status == overlay.Mkdir
		moved[c.From] = c.From != ""
	}
	for _, c := range changes {
		switch c.Status {
		case overlay.Modify, overlay.Trash:
			l.files = append(l.files, file{c.Path, c.Path, c.Before})
		case overlay.Rename:
			l.files = append(l.files, file{c.Path, c.From, c.Before})
			if !moved[c.Path] && vaultpath.Fold(c.Path) != vaultpath.Fold(c.From) {
				l.free = append(l.free, c.Path)
			}
		case overlay.Create, overlay.Mkdir:
			// What is in a folder that is not there yet is not there.
			if !moved[c.Path] && !made[vaultpath.Parent(c.Path)] {
				l.free = append(l.free, c.Path)
			}
		case overlay.Rmdir:
		}
	}
}

// readAhead is from how many files of one folder on it is listed at once.
const readAhead = 8

func (l *look) find(ctx context.Context) ([]string, error) {
	var out, read []string
	var unsure []file
	if err := l.list(ctx); err != nil {
		return nil, err
	}
	for _, f := range l.files {
		same, err := l.sameStat(ctx, f)
		if err != nil {
			return nil, err
		}
		if !same {
			read, unsure = append(read, f.from), append(unsure, f)
		}
	}
	if err := l.Now.Prefetch(ctx, read, l.Width); err != nil {
		return nil, err
	}
	for _, f := range unsure {
		data, err := l.Now.Read(ctx, f.from)
		switch {
		case fault.Is(err, fault.NotFound):
			out = append(out, f.from)
		case err != nil:
			return nil, err
		case f.before != nil && !bytes.Equal(data, f.before):
			out = append(out, f.from)
		}
	}
	for _, path := range l.free {
		taken, err := l.Now.Taken(ctx, path)
		if err != nil {
			return nil, err
		}
		if !taken {
			continue
		}
		// What had the name then, the plan itself takes away.
		if then, err := l.Was.Taken(ctx, path); err != nil {
			return nil, err
		} else if !then {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// list looks at the folders that many of the files are in.
func (l *look) list(ctx context.Context) error {
	in := map[string]int{}
	for _, f := range l.files {
		in[vaultpath.Parent(f.from)]++
	}
	for folder, n := range in {
		if n < readAhead {
			continue
		}
		if _, err := l.Now.List(ctx, folder); err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	return nil
}

// sameStat says whether a file need not be read: its size and times are those
// that it had before the simulation read it, and no editor holds it.
func (l *look) sameStat(ctx context.Context, f file) (bool, error) {
	was, known := l.Was.Seen(f.from)
	if slices.Contains(l.Open, f.from) || !known && f.before != nil {
		return false, nil
	}
	now, err := l.Now.Stat(ctx, f.from)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	if f.before == nil && now.Kind == host.Folder {
		return true, nil
	}
	return known && now.Kind == host.File && was.MTime != 0 && now.MTime == was.MTime && now.Size == was.Size, nil
}
