package history

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/seal"
	"embedded-agent/wasm/internal/storesize"
)

// The files of the index (docs/design/store.md#the-index-of-the-history). Each window
// appends to two of its own, so that none writes over what another has written.
const (
	indexFolder = "history"
	linesEnd    = ".lines.jsonl"
	marksEnd    = ".marks.jsonl"
)

// index keeps the lines of runs that have ended in one place, so that a history of
// a thousand runs is not read from a thousand folders. It is a copy and decides
// nothing: what cannot be believed is read from the runs again.
type index struct {
	store  host.Store
	writer func(context.Context) (string, error)
	sizes  *storesize.Store
	whose  *whose

	turn  sync.Mutex         // guards what follows; held while the files are read and appended to
	files map[string]int64   // the sizes of the files as they were taken in
	lines map[string]indexed // by run
	marks map[string]marks   // by run
	count int                // of the lines that the files hold, those that are out of date too
}

// indexed is a line as the index has it: how often its run was marked when the line
// was read.
type indexed struct {
	Line  protocol.RunSummary `json:"line"`
	Marks int                 `json:"marks,omitempty"`
}

// mark is written before the line of an ended run changes, and after.
type mark struct {
	Run  string `json:"run"`
	Done bool   `json:"done,omitempty"`
}

// marks counts the marks of a run.
type marks struct{ begun, done int }

func newIndex(store host.Store, sizes *storesize.Store, writer func(context.Context) (string, error), w *whose) *index {
	x := &index{store: store, writer: writer, sizes: sizes, whose: w}
	x.clear()
	return x
}

func (x *index) clear() {
	x.files, x.lines, x.marks, x.count = map[string]int64{}, map[string]indexed{}, map[string]marks{}, 0
}

// holds says whether a line's run has not changed since it was read, and is not
// changing. x.turn is held.
func (x *index) holds(l indexed) bool {
	m := x.marks[l.Line.Run]
	return m.begun == m.done && m.begun == l.Marks
}

// key seals the index; nil where the device has none. There is then no index: nobody
// could tell it from one that somebody else has put there.
func (x *index) key() *seal.Key { return seal.Of(x.store).For("history", "index") }

// fresh takes in what was appended since, here or by another window.
func (x *index) fresh(ctx context.Context) error {
	x.turn.Lock()
	defer x.turn.Unlock()
	return x.refresh(ctx)
}

func (x *index) refresh(ctx context.Context) error {
	entries, err := x.store.List(ctx, indexFolder)
	if err != nil {
		return err
	}
	there := map[string]int64{}
	same := x.key() != nil
	for _, e := range entries {
		there[e.Path] = e.Size
		same = same && x.files[e.Path] == e.Size
	}
	if same && len(there) == len(x.files) {
		return nil
	}
	x.clear()
	return x.load(ctx, there)
}

// load reads all files. Where a mark cannot be read, nobody knows which lines are out
// of date: the index is made anew.
func (x *index) load(ctx context.Context, files map[string]int64) error {
	if x.key() == nil {
		return nil
	}
	whole := true
	for path := range files {
		if strings.HasSuffix(path, marksEnd) {
			read, err := records(ctx, x, path, func(m mark) { x.marked(m) })
			if err != nil {
				return err
			}
			whole = whole && read
		}
	}
	if !whole {
		x.clear()
		return x.remove(ctx, files)
	}
	for path := range files {
		if strings.HasSuffix(path, linesEnd) {
			// What cannot be read of lines is read from the runs.
			if _, err := records(ctx, x, path, x.took); err != nil {
				return err
			}
		}
	}
	return nil
}

// remove removes the files, the lines before the marks: lines without the marks that
// say which of them are out of date are never left.
func (x *index) remove(ctx context.Context, files map[string]int64) error {
	for _, end := range []string{linesEnd, marksEnd} {
		for path := range files {
			if !strings.HasSuffix(path, end) {
				continue
			}
			if err := x.store.Remove(ctx, path); err != nil {
				return err
			}
		}
	}
	return nil
}

// took takes in a line. Of two, the one that was read after more marks holds.
func (x *index) took(l indexed) {
	x.count++
	if was, ok := x.lines[l.Line.Run]; ok && was.Marks > l.Marks {
		return
	}
	x.lines[l.Line.Run] = l
	if x.holds(l) {
		x.whose.learn(l.Line.Run)
		x.sizes.Learn(Dir(l.Line.Run), l.Line.Bytes)
	}
}

func (x *index) marked(m mark) {
	n := x.marks[m.Run]
	if m.Done {
		n.done++
	} else {
		n.begun++
	}
	x.marks[m.Run] = n
}

// line gives the line of a run, unless it has changed since, or may be changing.
func (x *index) line(run string) (protocol.RunSummary, bool) {
	x.turn.Lock()
	defer x.turn.Unlock()
	l, ok := x.lines[run]
	return l.Line, ok && x.holds(l)
}

// begin gives what a line that is read from now on is to be added with; false where
// it cannot be added, since it may be changing.
func (x *index) begin(run string) (int, bool) {
	x.turn.Lock()
	defer x.turn.Unlock()
	m := x.marks[run]
	return m.begun, m.begun == m.done
}

// add takes in lines that were read, and appends them. The index is a copy: where it
// cannot be written, it is kept in memory, and the next start reads the runs again.
func (x *index) add(ctx context.Context, lines []indexed) {
	if len(lines) == 0 || x.key() == nil {
		return
	}
	x.turn.Lock()
	defer x.turn.Unlock()
	_ = appendRecords(ctx, x, linesEnd, lines)
	for _, l := range lines {
		x.took(l)
	}
}

// mark says that the line of a run is about to change, or has. It is on the disk
// when it returns: what is read of the run after a crash is not an older line.
func (x *index) mark(ctx context.Context, m mark) error {
	if x.key() == nil {
		return nil
	}
	x.turn.Lock()
	defer x.turn.Unlock()
	if err := x.refresh(ctx); err != nil {
		return err
	}
	if err := appendRecords(ctx, x, marksEnd, []mark{m}); err != nil {
		return err
	}
	x.marked(m)
	return host.Flush(ctx, x.store, slices.Collect(maps.Keys(x.files))...)
}

// keepOnly writes the index anew, with the lines of these runs alone.
func (x *index) keepOnly(ctx context.Context, runs map[string]bool) error {
	if x.key() == nil {
		return nil
	}
	x.turn.Lock()
	defer x.turn.Unlock()
	if err := x.refresh(ctx); err != nil {
		return err
	}
	kept := []indexed{}
	for run, l := range x.lines {
		if runs[run] && x.holds(l) {
			kept = append(kept, l)
		}
	}
	for path := range x.files {
		if !strings.HasSuffix(path, linesEnd) {
			continue
		}
		if err := x.store.Remove(ctx, path); err != nil {
			return err
		}
		delete(x.files, path)
	}
	x.lines, x.count = map[string]indexed{}, 0
	if len(kept) == 0 {
		return nil
	}
	if err := appendRecords(ctx, x, linesEnd, kept); err != nil {
		return err
	}
	for _, l := range kept {
		x.took(l)
	}
	return nil
}

// stale says whether a good part of the files is out of date.
func (x *index) stale(runs int) bool {
	x.turn.Lock()
	defer x.turn.Unlock()
	return x.count > 2*runs+64
}

// A line of a file is a seal, and the records that it is over with the file's name:
// {"h":"…","r":[…]}. It is taken apart by hand, since a long history is one line.
const (
	beforeSeal = `{"h":"`
	afterSeal  = `","r":`
)

// records reads a file, each line whose seal fits; false where something in it is not
// whole, or is not of this device. x.turn is held.
func records[T any](ctx context.Context, x *index, path string, each func(T)) (whole bool, _ error) {
	data, err := x.store.Read(ctx, path)
	if err != nil {
		return false, err
	}
	x.files[path] = int64(len(data))
	whole = true
	for line := range bytes.SplitSeq(data, []byte{'\n'}) {
		if len(line) == 0 {
			continue
		}
		tag, body, framed := bytes.Cut(line, []byte(afterSeal))
		body, closed := bytes.CutSuffix(body, []byte{'}'})
		tag, opened := bytes.CutPrefix(tag, []byte(beforeSeal))
		var of []T
		if !framed || !closed || !opened || !x.key().Fits(string(tag), []byte(path), []byte{0}, body) || json.Unmarshal(body, &of) != nil {
			whole = false
			continue
		}
		for _, r := range of {
			each(r)
		}
	}
	return whole, nil
}

// appendRecords appends to this window's file of a kind. A line begins by an end of
// line, so that it does not hang on what a crash has torn. x.turn is held.
func appendRecords[T any](ctx context.Context, x *index, end string, of []T) error {
	writer, err := x.writer(ctx)
	if err != nil {
		return err
	}
	path := indexFolder + "/" + writer + end
	body, err := json.Marshal(of)
	if err != nil {
		return err
	}
	tag := x.key().Tag([]byte(path), []byte{0}, body)
	line := append([]byte("\n"+beforeSeal+tag+afterSeal), body...)
	line = append(line, '}', '\n')
	if err := x.store.Append(ctx, path, line); err != nil {
		delete(x.files, path) // nobody knows how much of it is there
		return err
	}
	x.files[path] += int64(len(line))
	return nil
}
