//go:build !js && !linux && !darwin

package workcopy

import (
	"errors"
	"io/fs"
	"os"
)

// dir is an open folder. What is in it is named by it, so no path can lead elsewhere.
type dir struct{ root *os.Root }

func openDir(path string, _ bool) (*dir, error) {
	root, err := os.OpenRoot(path)
	return &dir{root}, err
}

// open opens a folder in a folder. fs.ErrNotExist says that it is none.
func (d *dir) open(name string, _ bool) (*dir, error) {
	st, err := d.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	is, err := root.Stat(".")
	if err == nil && !os.SameFile(st, is) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &dir{root}, nil
}

func (d *dir) close() { _ = d.root.Close() } // it was only read

// list describes the entries.
func (d *dir) list() ([]object, error) {
	entries, err := fs.ReadDir(d.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	out := make([]object, 0, len(entries))
	for _, e := range entries {
		st, err := d.root.Lstat(e.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		out = append(out, object{e.Name(), st.Mode().Type(), stampOf(st)})
	}
	return out, nil
}
