package transaction

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/vaultpath"
)

// checkDrift holds the vault against what was simulated, before a run begins:
// where it has changed, nothing is written, the review is made anew on the
// vault as it is, and the answer is CONFLICT with the paths. The host compares
// again at each write (docs/adr/0008); this is so that a run does not stop in
// its middle for what could be known at its start.
func (t *Transactions) checkDrift(ctx context.Context, se *Review) error {
	paths, err := t.drifted(ctx, se)
	if err != nil || len(paths) == 0 {
		return err
	}
	next := *se
	next.Base = nil
	told := map[string]string{"n": strconv.Itoa(len(paths)), "paths": Named(paths)}
	const key = "review.drifted"
	next.Warnings = append(slices.DeleteFunc(slices.Clone(se.Warnings), func(m protocol.Message) bool { return m.Key == key }), protocol.Message{Key: key, Params: told})
	if err := t.Simulate(ctx, &next); err != nil {
		return err
	}
	if err := t.replaceReview(se, &next); err != nil {
		return err
	}
	return fault.New(fault.Conflict, "error.review.drifted", told)
}

// replaceReview shows another review in the place of one, unless that is not
// open any more.
func (t *Transactions) replaceReview(se, next *Review) error {
	t.mu.Lock()
	if t.review != se {
		t.mu.Unlock()
		return fault.New(fault.Conflict, "error.review.gone", nil)
	}
	t.review = next
	t.mu.Unlock()
	t.deps.Out.Tell(protocol.Event{Type: protocol.EventReviewChanged, Review: next.View})
	return nil
}

// maxNamed bounds the paths in a sentence.
const maxNamed = 5

func Named(paths []string) string {
	if len(paths) > maxNamed {
		return strings.Join(paths[:maxNamed], ", ") + ", …"
	}
	return strings.Join(paths, ", ")
}

// drifted gives the paths of a changeset where the vault is not as the
// simulation found it, sorted.
func (t *Transactions) drifted(ctx context.Context, se *Review) ([]string, error) {
	d := drift{was: se.Base, now: overlay.NewBase(t.deps.Host.Vault, nil, se.Now)}
	made, moved := map[string]bool{}, map[string]bool{}
	for _, c := range se.Changes {
		made[c.Path] = made[c.Path] || c.Status == overlay.Mkdir
		moved[c.From] = c.From != ""
	}
	for _, c := range se.Changes {
		switch c.Status {
		case overlay.Modify, overlay.Trash:
			d.files = append(d.files, file{c.Path, c.Path, c.Before})
		case overlay.Rename:
			d.files = append(d.files, file{c.Path, c.From, c.Before})
			if !moved[c.Path] && vaultpath.Fold(c.Path) != vaultpath.Fold(c.From) {
				d.free = append(d.free, c.Path)
			}
		case overlay.Create, overlay.Mkdir:
			// What is in a folder that is not there yet is not there.
			if !moved[c.Path] && !made[vaultpath.Parent(c.Path)] {
				d.free = append(d.free, c.Path)
			}
		case overlay.Rmdir:
		}
	}
	var err error
	if d.open, err = t.OpenNotes(ctx); err != nil {
		return nil, err
	}
	return d.find(ctx)
}

// drift compares two looks at a vault.
type drift struct {
	was, now *overlay.Base
	files    []file
	free     []string // names that nothing must have
	open     []string // notes that may have text that is not in the file
}

// file is a file that is written, as the simulation found it; before is nil
// where only its place matters.
type file struct {
	path, from string
	before     []byte
}

// readAhead is from how many files of one folder on it is listed at once.
const readAhead = 8

func (d *drift) find(ctx context.Context) ([]string, error) {
	var out, read []string
	var unsure []file
	if err := d.list(ctx); err != nil {
		return nil, err
	}
	for _, f := range d.files {
		same, err := d.sameStat(ctx, f)
		if err != nil {
			return nil, err
		}
		if !same {
			read, unsure = append(read, f.from), append(unsure, f)
		}
	}
	if err := d.now.Prefetch(ctx, read, ReadWidth); err != nil {
		return nil, err
	}
	for _, f := range unsure {
		data, err := d.now.Read(ctx, f.from)
		switch {
		case fault.Is(err, fault.NotFound):
			out = append(out, f.from)
		case err != nil:
			return nil, err
		case f.before != nil && !bytes.Equal(data, f.before):
			out = append(out, f.from)
		}
	}
	for _, path := range d.free {
		taken, err := d.now.Taken(ctx, path)
		if err != nil {
			return nil, err
		}
		if !taken {
			continue
		}
		// What had the name then, the plan itself takes away.
		if then, err := d.was.Taken(ctx, path); err != nil {
			return nil, err
		} else if !then {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// list looks at the folders that many of the files are in.
func (d *drift) list(ctx context.Context) error {
	in := map[string]int{}
	for _, f := range d.files {
		in[vaultpath.Parent(f.from)]++
	}
	for folder, n := range in {
		if n < readAhead {
			continue
		}
		if _, err := d.now.List(ctx, folder); err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	return nil
}

// sameStat says whether a file need not be read: its size and times are those
// that it had before the simulation read it, and no editor holds it.
func (d *drift) sameStat(ctx context.Context, f file) (bool, error) {
	was, known := d.was.Seen(f.from)
	if slices.Contains(d.open, f.from) || !known && f.before != nil {
		return false, nil
	}
	now, err := d.now.Stat(ctx, f.from)
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

// OpenNotes lists the notes whose text may not be in their files.
func (t *Transactions) OpenNotes(ctx context.Context) ([]string, error) {
	if t.deps.Host.Workspace == nil {
		return nil, nil
	}
	w, err := t.deps.Host.Workspace.Context(ctx)
	return w.OpenPaths, err
}
