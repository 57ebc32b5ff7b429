//go:build !js

package workcopy

import (
	"bytes"
	"maps"
	"path"
	"slices"

	"embedded-agent/wasm/internal/copychange"
)

// Outcome lists the changes that a command made in a copy.
type Outcome struct {
	Changes []copychange.Change // moves are not found yet: copychange.Moves
	Odd     []string            // links, pipes, sockets and devices
	Hidden  []string            // hidden files and folders
	Kept    []string            // folders that are gone here, and hold what was not copied
}

// MaxChanged is how many bytes of changed files one run can hold, before and after
// taken together: they are shown, and kept for an undo.
const MaxChanged = 512 << 20

// Compare tells what differs from the notes as they were copied. Rights are left
// alone. ErrTooLarge says that the copy is over its limit, ErrTooMuch that more was
// changed than a run can hold.
func (c *Copy) Compare() (*Outcome, error) {
	now, err := c.scan(true)
	if err != nil {
		return nil, err
	}
	d := &difference{c: c, now: now, room: MaxChanged}
	var looked []string // files that were copied, and may have changed
	for name, e := range c.index.Files {
		if e.seen != c.looks || !stamped || e.Copy.CTime >= c.index.Made-racy {
			looked = append(looked, name)
		}
	}
	slices.Sort(looked)
	for _, name := range looked {
		if err := d.known(name, c.index.Files[name]); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now.files)) {
		if c.index.Files[name] != nil {
			continue
		}
		data, err := d.read(name)
		if err != nil {
			return nil, err
		}
		d.out.Changes = append(d.out.Changes, copychange.Change{Kind: copychange.Create, Path: name, Data: data})
	}
	d.folders()
	d.out.Odd = slices.Sorted(maps.Keys(now.odd))
	d.out.Hidden = slices.Sorted(maps.Keys(now.hidden))
	return &d.out, nil
}

// difference compares a copy with its index.
type difference struct {
	c    *Copy
	now  *found
	room int64
	out  Outcome
}

// known compares a file that was copied, and may have changed.
func (d *difference) known(name string, e *entry) error {
	if e.seen != d.c.looks && !d.now.files[name] {
		if d.now.odd[name] || d.below(name) {
			return nil // a link in its place is told of, and the note stays
		}
		base, lost, err := d.base(name, e)
		if err == nil {
			d.out.Changes = append(d.out.Changes, copychange.Change{Kind: copychange.Delete, Path: name, Base: base, Lost: lost})
		}
		return err
	}
	data, err := d.read(name)
	if err != nil {
		return err
	}
	base, lost, err := d.base(name, e)
	if err != nil || !lost && bytes.Equal(base, data) {
		d.room += int64(len(base) + len(data))
		return err
	}
	d.out.Changes = append(d.out.Changes, copychange.Change{Kind: copychange.Modify, Path: name, Base: base, Data: data, Lost: lost})
	return nil
}

// read gives the bytes of a file, as long as there is room for them.
func (d *difference) read(name string) ([]byte, error) {
	data, err := d.c.read(name, d.room)
	d.room -= int64(len(data))
	return data, err
}

func (d *difference) base(name string, e *entry) (data []byte, lost bool, err error) {
	if e.Note.Size > d.room {
		return nil, false, ErrTooMuch
	}
	data, known, err := d.c.base(name, e)
	d.room -= int64(len(data))
	return data, !known, err
}

// folders compares the folders.
func (d *difference) folders() {
	for _, name := range slices.Sorted(maps.Keys(d.c.index.Folders)) {
		switch {
		case name == "", d.now.folders[name], d.now.odd[name], d.below(name): // it stays
		case d.c.index.Folders[name].Whole:
			d.out.Changes = append(d.out.Changes, copychange.Change{Kind: copychange.Rmdir, Path: name})
		default:
			d.out.Kept = append(d.out.Kept, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.now.folders)) {
		if d.c.index.Folders[name] == nil {
			d.out.Changes = append(d.out.Changes, copychange.Change{Kind: copychange.Mkdir, Path: name})
		}
	}
}

// below says whether a path lies in what is a link by now: nobody knows what became
// of it.
func (d *difference) below(name string) bool {
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		if d.now.odd[at] {
			return true
		}
	}
	return false
}
