package index

import (
	"context"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// Filter says which files a caller wants.
type Filter struct {
	// Folder and all below it; "" is the vault.
	Folder string
	// Notes: only Markdown notes.
	Notes bool
	// Pass tests what is known without reading; nil lets every file pass. It
	// must not ask the vault.
	Pass func(i *host.Info) bool
	// Need describes the text.
	Need Need
	// Rows: the caller wants the metadata of notes.
	Rows bool
	// Texts: the caller wants what is known of the texts.
	Texts bool
	// Keep tests what has passed by its row, which is not known where it was not
	// asked for. Nil keeps all.
	Keep func(i *host.Info, row Row) bool
	// Held reports the files that the caller has read at the tick AsOf or later, and
	// goes on with: newer entries for them are ignored. Nil holds none. It must not
	// ask the vault.
	Held func(path string) bool
	AsOf int64
	// Progress is told how many notes have been read; may be nil.
	Progress func(done, total int)
}

// Passes says whether a file passes by what is known without reading.
func (f *Filter) Passes(i *host.Info) bool {
	return i.Kind == host.File && (!f.Notes || isNote(i.Path)) && (f.Pass == nil || f.Pass(i))
}

// Found is a file that may be wanted; what it points to nobody changes. Where
// its row is not known, the file is to be read.
type Found struct {
	*host.Info
	Row  Row
	Text Text
}

// Text tells of a text without reading it. The zero Text knows nothing. Nobody
// changes one.
type Text struct{ sig []byte }

// Known says whether anything is known.
func (t Text) Known() bool { return t.sig != nil }

// MayHold says whether the text may hold what is needed. It is wrong in one way only:
// a text that does not may pass.
func (t Text) MayHold(n *Need) bool { return n.mayHold(t.sig) }

// Select gives the files below a folder that may be wanted, sorted by path.
func (v *Vault) Select(ctx context.Context, f Filter) ([]Found, error) {
	if err := v.sync(ctx); err != nil {
		return nil, err
	}
	if !f.Need.Nothing() || f.Texts {
		v.load(ctx)
	}
	v.mu.Lock()
	found := v.candidates(&f)
	v.mu.Unlock()
	if f.Rows {
		if err := v.fillRows(ctx, found, f.Progress); err != nil {
			return nil, err
		}
	}
	return v.kept(ctx, &f, found)
}

// atOnce is how many files are looked at together.
const atOnce = 256

// kept gives the files that pass by their rows.
func (v *Vault) kept(ctx context.Context, f *Filter, files []*file) ([]Found, error) {
	out := make([]Found, 0, min(len(files), 64))
	var rows [atOnce]Row
	var texts [atOnce]Text
	for len(files) > 0 {
		if err := ended(ctx); err != nil {
			return nil, err
		}
		some := files[:min(len(files), atOnce)]
		files = files[len(some):]
		v.rowsOf(f, some, rows[:])
		v.textsOf(f, some, texts[:])
		for i, c := range some {
			if f.Keep == nil || f.Keep(&c.Info, rows[i]) {
				if len(out) == cap(out) {
					out = slices.Grow(out, len(out)+1) // append alone copies many more times
				}
				out = append(out, Found{&c.Info, rows[i], texts[i]})
			}
		}
	}
	return out, nil
}

// rowsOf gives the rows of files as far as they hold for the caller.
func (v *Vault) rowsOf(f *Filter, files []*file, rows []Row) {
	if !f.Rows {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	words := v.mu.table.now()
	for i, c := range files {
		rows[i] = Row{}
		if c.row != nil && !f.unknown(c) {
			rows[i] = Row{words, c.row}
		}
	}
}

// textsOf gives what is known of texts as far as it holds for the caller.
func (v *Vault) textsOf(f *Filter, files []*file, texts []Text) {
	if !f.Texts {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, c := range files {
		texts[i] = Text{}
		if c.sig != nil && !f.unknown(c) {
			texts[i] = Text{c.sig}
		}
	}
}

// candidates gives the files that pass by what is known of them. The lock is
// held.
func (v *Vault) candidates(f *Filter) []*file {
	all := f.Need.Nothing()
	below := v.below(f.Folder)
	var out []*file
	if all {
		out = make([]*file, 0, len(below))
	}
	for _, c := range below {
		if !c.file || f.Notes && !c.note {
			continue
		}
		if !all && c.sig != nil && !f.Need.mayHold(c.sig) && !f.unknown(c) {
			continue
		}
		if f.Pass == nil || f.Pass(&c.Info) {
			out = append(out, c)
		}
	}
	return out
}

// unknown says whether what is known of a file may not hold for the caller. The
// lock is held.
func (f *Filter) unknown(c *file) bool {
	return c.open || f.Held != nil && c.seen > f.AsOf && f.Held(c.Path)
}

func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	return nil
}
