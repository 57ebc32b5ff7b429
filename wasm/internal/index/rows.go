package index

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/pace"
)

// Row is a note's metadata. The zero Row says that nothing is known of the note.
// Nobody changes one.
type Row struct {
	words *wordList
	cells []uint32
}

// The cells of a row: so many numbers, then those of the tags, of the names and
// values of the properties in turn, and of the links.
const (
	cellTags  = iota // how many
	cellProps        // how many, twice
	cellTasks        // task items
	cellOpen         // those that are not done
	cellFlags
	rowHead
)

const (
	flagRead  = 1 << iota // made of the text; otherwise cellOpen and flagEmpty are not known
	flagEmpty             // nothing but front matter
)

// Known says whether the metadata is known.
func (r Row) Known() bool { return r.cells != nil }

// HasTag says whether one of the tags passes. They are without "#".
func (r Row) HasTag(t *Test) bool {
	for _, word := range r.cells[rowHead:][:r.cells[cellTags]] {
		if t.of(r, word) {
			return true
		}
	}
	return false
}

func (r Row) props() []uint32 {
	return r.cells[rowHead+r.cells[cellTags]:][:r.cells[cellProps]]
}

// Links gives the link paths to notes and files, as written and each once, by
// the numbers that a Memo takes.
func (r Row) Links() []uint32 {
	return r.cells[rowHead+r.cells[cellTags]+r.cells[cellProps]:]
}

// Tasks gives how many task items there are.
func (r Row) Tasks() int { return int(r.cells[cellTasks]) }

// Read says whether the row was made of the text: then Open and Empty are known
// too.
func (r Row) Read() bool { return r.cells[cellFlags]&flagRead != 0 }

// Open gives how many tasks are not done.
func (r Row) Open() int { return int(r.cells[cellOpen]) }

// Empty says that there is nothing but front matter.
func (r Row) Empty() bool { return r.cells[cellFlags]&flagEmpty != 0 }

// facts are the parts of a row.
type facts struct {
	tags, links       []string
	props             map[string]any
	tasks, open, flag int
}

// row makes a row's cells.
func (t *table) row(f *facts) []uint32 {
	t.rows++
	t.begun++
	cells := append(t.cells[:0], make([]uint32, rowHead)...)
	cells[cellTags], cells[cellProps] = uint32(len(f.tags)), uint32(2*len(f.props))
	cells[cellTasks], cells[cellOpen], cells[cellFlags] = uint32(f.tasks), uint32(f.open), uint32(f.flag)
	for _, tag := range f.tags {
		cells = append(cells, t.text(tag))
	}
	for name, value := range f.props {
		cells = append(cells, t.text(name), t.value(value))
	}
	for _, link := range f.links {
		if word := t.text(link); !t.marked(word) {
			cells = append(cells, word)
		}
	}
	t.cells = cells
	return slices.Clone(cells)
}

// marked says whether a word has been asked for since a row was begun.
func (t *table) marked(word uint32) bool {
	for int(word) >= len(t.marks) {
		t.marks = append(t.marks, make([]uint32, len(t.words)-len(t.marks)+1024)...)
	}
	was := t.marks[word]
	t.marks[word] = t.begun
	return was == t.begun
}

// slackRows is how many rows may be dead whatever the number of the living.
const slackRows = 4096

// tidy writes the rows into a new table when most of those that were made are
// no more: what only they said goes with the old one. The lock is held.
func (v *Vault) tidy() {
	if v.mu.table.rows < 2*len(v.mu.files)+slackRows {
		return
	}
	old, fresh := v.mu.table, newTable()
	moved := make([]uint32, len(old.words)) // 0 or the new number and one
	for _, f := range v.mu.order {
		if f.row == nil {
			continue
		}
		fresh.rows++
		f.row = slices.Clone(f.row)
		for i, word := range f.row[rowHead:] {
			if moved[word] == 0 {
				moved[word] = fresh.value(old.words[word]) + 1
			}
			f.row[rowHead+i] = moved[word] - 1
		}
	}
	v.mu.table = fresh
}

// rowBatch is how many notes the host is asked about at most at once, rowBytes how many
// bytes of them are read: the app does not respond meanwhile.
const (
	rowBatch = 128
	rowBytes = 1 << 20
)

// fillRows makes the rows that are missing. What cannot be known (a note that
// is open, or gone) stays without.
func (v *Vault) fillRows(ctx context.Context, all []*file, progress func(done, total int)) error {
	var missing []*file
	v.mu.Lock()
	v.tidy()
	for _, f := range all {
		if f.row == nil && f.note && !f.open && f.Size <= maxRowText {
			missing = append(missing, f)
		}
	}
	v.mu.Unlock()
	pace := pace.New(rowBatch)
	for done := 0; done < len(missing); {
		if err := ended(ctx); err != nil {
			return err
		}
		n := batchLen(missing[done:], pace.Next())
		began := time.Now()
		if err := v.fillBatch(ctx, missing[done:done+n]); err != nil {
			return err
		}
		pace.Took(time.Since(began))
		done += n
		if progress != nil {
			progress(done, len(missing))
		}
	}
	return nil
}

// maxRowText is the largest note that has a row: larger ones are no text to the
// tools.
const maxRowText = 10 << 20

func batchLen(files []*file, most int) int {
	size := int64(0)
	for i, f := range files[:min(most, len(files))] {
		if size += f.Size; size > rowBytes && i > 0 {
			return i
		}
	}
	return min(most, len(files))
}

func (v *Vault) fillBatch(ctx context.Context, files []*file) error {
	if v.metadata != nil {
		rest, err := v.askRows(ctx, files)
		if err != nil {
			return err
		}
		files = rest
	}
	return v.readRows(ctx, files)
}

// askRows makes rows of what the host's cache knows, and gives the notes that
// must be read.
func (v *Vault) askRows(ctx context.Context, files []*file) ([]*file, error) {
	metas, err := v.metadata.Of(ctx, pathsOf(files))
	if err != nil {
		return nil, err
	}
	var rest []*file
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, f := range files {
		if i >= len(metas) || metas[i].Stale || metas[i].Size != f.Size || metas[i].MTime != f.MTime {
			rest = append(rest, f)
			continue
		}
		if known, ok := factsOfMeta(&metas[i]); ok {
			f.row = v.mu.table.row(&known)
		} else {
			rest = append(rest, f)
		}
	}
	return rest, nil
}

func factsOfMeta(m *host.Meta) (facts, bool) {
	r := facts{tasks: m.Tasks, links: m.Links}
	if m.Properties != "" && json.Unmarshal([]byte(m.Properties), &r.props) != nil {
		return r, false
	}
	seen := map[string]bool{}
	for _, t := range append(note.FrontTags(r.props), m.Tags...) {
		t = strings.TrimPrefix(strings.TrimSpace(t), "#")
		if key := strings.ToLower(t); t != "" && !seen[key] {
			seen[key] = true
			r.tags = append(r.tags, t)
		}
	}
	return r, true
}

// readRows makes rows of the texts.
func (v *Vault) readRows(ctx context.Context, files []*file) error {
	if len(files) == 0 {
		return nil
	}
	read, err := v.ReadMany(ctx, pathsOf(files))
	if err != nil {
		return err
	}
	for i, f := range files {
		r := &read[i]
		if r.Missing || r.Unsaved || v.editors || int64(len(r.Data)) != f.Size || !readable(r.Data) {
			continue
		}
		known := factsOfText(r.Data)
		v.mu.Lock()
		f.row = v.mu.table.row(&known)
		v.mu.Unlock()
	}
	return nil
}

func factsOfText(data []byte) facts {
	d := note.Parse(data)
	values, err := d.Values()
	if err != nil {
		values = nil // its properties cannot be read: it has none
	}
	r := facts{flag: flagRead, tags: d.AllTags(values), props: values}
	if len(strings.TrimSpace(string(d.Body.Of(d.Data)))) == 0 {
		r.flag |= flagEmpty
	}
	for _, l := range d.Links {
		if !l.External && l.Path != "" && l.Kind != note.HTML { // the app's rows have none of HTML
			r.links = append(r.links, l.Path)
		}
	}
	for i := range d.Items {
		if it := &d.Items[i]; it.Task() {
			r.tasks++
			if !note.Done(string(it.State.Of(d.Data))) {
				r.open++
			}
		}
	}
	return r
}

func pathsOf(files []*file) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = f.Path
	}
	return out
}
