// Package takeover moves the undo records of this device out of the folder that
// travels with the notes, where earlier versions kept them, into the store of the
// device. It moves each run once, whole, and checked:
//
//	copy     all files of the run, run.json last: without it there is no run
//	compare  each file byte for byte, and what Verify says of the two
//	marker   hot/RUN, where the run did not end
//	flush    so that a power cut does not take the copy
//	taken    taken/RUN in the new store: from here on the copy is the run
//	remove   the old marker, the old folder, and last taken/RUN
//
// Interrupted anywhere, the next start goes on there. Until taken/RUN is written the
// old folder is whole, and from then on the copy is. What another device has made,
// or another window has in hand, stays where it is (docs/design/store.md).
package takeover

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/lease"
	"embedded-agent/wasm/internal/protocol"
)

// takenFolder holds, in the new store, a file for each run whose copy is complete
// and whose old folder is not removed yet.
const takenFolder = "taken"

// Deps holds the two stores of a takeover, and whose records it moves.
type Deps struct {
	// Old is the folder that travels with the notes, New the store of this device.
	// Both know the key of the device (package seal).
	Old, New host.Store
	Owners   host.Owners
	Now      func() time.Time
	// Device names this device (host.DeviceName).
	Device func(context.Context) (string, error)
}

// Report says how many runs were moved.
type Report struct {
	Taken int // runs that are in the new store now, and were not
	Left  int // runs of this device that stay where they are: in use, or different in both
}

// mover does it.
type mover struct {
	Deps
	was, is *history.History // over the old store, and over the new one
	report  Report
}

// Take takes over what is there. A run that fails stays where it is, and the others
// are taken all the same: the error is that of all that failed. Nothing else may
// use the new store meanwhile.
func Take(ctx context.Context, d Deps) (Report, error) {
	over := func(s host.Store) *history.History {
		return history.New(history.Deps{Store: s, Now: d.Now, Device: d.Device})
	}
	m := &mover{Deps: d, was: over(d.Old), is: over(d.New)}
	runs, err := m.runs(ctx)
	if err != nil {
		return m.report, err
	}
	var failed []error
	for _, id := range runs {
		if err := m.run(ctx, id); err != nil {
			failed = append(failed, err)
		}
		if ctx.Err() != nil {
			return m.report, fault.From(ctx.Err())
		}
	}
	failed = append(failed, m.caches(ctx))
	return m.report, errors.Join(failed...)
}

// runs lists by time the runs that the old store still has a part of, taken ones
// that are not yet removed among them.
func (m *mover) runs(ctx context.Context) ([]string, error) {
	ids, err := m.was.IDs(ctx)
	if err != nil {
		return nil, err
	}
	for _, in := range []struct {
		store  host.Store
		folder string
	}{{m.Old, history.HotFolder}, {m.New, takenFolder}} {
		entries, err := in.store.List(ctx, in.folder)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			ids = append(ids, e.Path[strings.LastIndexByte(e.Path, '/')+1:])
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// run takes one run over, or goes on with it.
func (m *mover) run(ctx context.Context, id string) error {
	taken, err := has(ctx, m.New, takenPath(id))
	if err != nil {
		return err
	}
	if taken {
		return m.remove(ctx, id)
	}
	mine, err := m.mine(ctx, id)
	if err != nil || !mine {
		return err
	}
	there, err := hasRun(ctx, m.New, id)
	if err != nil {
		return err
	}
	if !there {
		if err := m.copy(ctx, id); err != nil {
			return err
		}
	}
	fits, err := m.fits(ctx, id)
	switch {
	case err != nil:
		return err
	case !fits && there: // both were written since: a person can still look at both
		m.report.Left++
		return nil
	case !fits:
		return fault.New(fault.Internal, "error.store.io", nil)
	}
	if err := m.secure(ctx, id); err != nil {
		return err
	}
	m.report.Taken++
	return m.remove(ctx, id)
}

// mine says whether a run is this device's, is there, and nobody has it in hand.
func (m *mover) mine(ctx context.Context, id string) (bool, error) {
	there, err := m.was.Elsewhere(ctx, id)
	if err != nil || there {
		return false, err
	}
	l, err := lease.Read(ctx, m.Old, history.MarkerPath(id))
	if fault.Is(err, fault.NotFound) {
		return hasRun(ctx, m.Old, id) // what has neither is a part of a run: more of it may come
	} else if err != nil {
		return false, err
	}
	now := m.Now()
	state, err := lease.Judge(ctx, m.Owners, l, now, now)
	if err == nil && state != lease.Free {
		m.report.Left++
	}
	return state == lease.Free, err
}

// hasRun says whether a store has a run. Of a copy, run.json came last.
func hasRun(ctx context.Context, s host.Store, id string) (bool, error) {
	b, err := s.Read(ctx, history.Dir(id)+"/"+audit.RunFile)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return json.Valid(b), err
}

// copy copies a run's files, over what an earlier attempt has left of it.
func (m *mover) copy(ctx context.Context, id string) error {
	if err := m.New.Remove(ctx, history.Dir(id)); err != nil {
		return err
	}
	files, err := filesIn(ctx, m.Old, history.Dir(id))
	if err != nil {
		return err
	}
	last := history.Dir(id) + "/" + audit.RunFile
	slices.SortStableFunc(files, func(a, b string) int {
		switch {
		case a == last:
			return 1
		case b == last:
			return -1
		}
		return 0
	})
	for _, path := range files {
		data, err := m.Old.Read(ctx, path)
		if err != nil {
			return err
		}
		if err := m.New.Write(ctx, path, data); err != nil {
			return err
		}
	}
	return nil
}

// fits says whether the copy may take the place of the old run: it is the same, or
// it has gone on since and verifies.
func (m *mover) fits(ctx context.Context, id string) (bool, error) {
	same, err := m.same(ctx, id)
	if err != nil {
		return false, err
	}
	is, err := verify(ctx, m.is, id)
	if err != nil {
		return false, err
	}
	if !same {
		return is.OK && is.Origin == "", nil
	}
	was, err := verify(ctx, m.was, id)
	return reflect.DeepEqual(is, was), err
}

// verify is History.Verify, which of a run without a document says nothing.
func verify(ctx context.Context, h *history.History, id string) (protocol.Verified, error) {
	v, err := h.Verify(ctx, protocol.RunRef{Run: id})
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
		return protocol.Verified{}, nil
	}
	return v, err
}

// same compares the two folders of a run.
func (m *mover) same(ctx context.Context, id string) (bool, error) {
	old, err := filesIn(ctx, m.Old, history.Dir(id))
	if err != nil {
		return false, err
	}
	now, err := filesIn(ctx, m.New, history.Dir(id))
	if err != nil || !slices.Equal(old, now) {
		return false, err
	}
	for _, path := range old {
		a, err := m.Old.Read(ctx, path)
		if err != nil {
			return false, err
		}
		b, err := m.New.Read(ctx, path)
		if err != nil || !bytes.Equal(a, b) {
			return false, err
		}
	}
	return true, nil
}

// secure brings the copy to the disk, with the marker of a run that did not end, and
// says that the run is taken.
func (m *mover) secure(ctx context.Context, id string) error {
	files, err := filesIn(ctx, m.New, history.Dir(id))
	if err != nil {
		return err
	}
	marker, err := m.marker(ctx, id)
	if err != nil {
		return err
	}
	if marker {
		files = append(files, history.MarkerPath(id))
	}
	if err := host.Flush(ctx, m.New, files...); err != nil {
		return err
	}
	if err := m.New.Write(ctx, takenPath(id), []byte(id)); err != nil {
		return err
	}
	return host.Flush(ctx, m.New, takenPath(id))
}

// marker copies the marker of a run that did not end, and says whether there is one.
// A marker of a run that had not begun is of no use to anybody.
func (m *mover) marker(ctx context.Context, id string) (bool, error) {
	data, err := m.Old.Read(ctx, history.MarkerPath(id))
	if fault.Is(err, fault.NotFound) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	files, err := filesIn(ctx, m.New, history.Dir(id))
	if err != nil || len(files) == 0 {
		return false, err
	}
	end, err := journal.ReadEnd(ctx, m.New, history.Dir(id))
	if err != nil || end != nil {
		return false, err
	}
	return true, m.New.Write(ctx, history.MarkerPath(id), data)
}

// remove removes what is left of a run that was taken, and then the word that it is.
func (m *mover) remove(ctx context.Context, id string) error {
	if err := m.Old.Remove(ctx, history.MarkerPath(id)); err != nil {
		return err
	}
	if err := m.Old.Remove(ctx, history.Dir(id)); err != nil {
		return err
	}
	return m.New.Remove(ctx, takenPath(id))
}

func takenPath(id string) string { return takenFolder + "/" + id }

func has(ctx context.Context, s host.Store, path string) (bool, error) {
	_, err := s.Read(ctx, path)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// filesIn lists all files in a folder and below it, sorted.
func filesIn(ctx context.Context, s host.Store, folder string) ([]string, error) {
	entries, err := s.List(ctx, folder)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if e.Kind != host.Folder {
			out = append(out, e.Path)
			continue
		}
		below, err := filesIn(ctx, s, e.Path)
		if err != nil {
			return nil, err
		}
		out = append(out, below...)
	}
	slices.Sort(out)
	return out, nil
}
