package index

import (
	"context"
	"encoding/json"
	"strings"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
)

// Row is a note's metadata. Nobody changes one.
type Row struct {
	Tags  []string // without "#", each once; those of the front matter first
	Props []Prop
	Links []string // link paths to notes and files, as written
	Tasks int      // task items
	// Read: made of the text. Then Open and Done, which sum to Tasks, and Empty
	// (nothing but front matter) are known too.
	Read       bool
	Open, Done int
	Empty      bool
}

// Prop is one property of the front matter.
type Prop struct {
	Name  string
	Value any // as encoding/json decodes it
}

// Value gives a property, nil where there is none.
func (r *Row) Value(name string) any {
	for i := range r.Props {
		if r.Props[i].Name == name {
			return r.Props[i].Value
		}
	}
	return nil
}

// Values gives all properties.
func (r *Row) Values() map[string]any {
	out := make(map[string]any, len(r.Props))
	for _, p := range r.Props {
		out[p.Name] = p.Value
	}
	return out
}

// rowBatch is how many notes the host is asked about at once, rowBytes how many
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
	for _, f := range all {
		if f.row == nil && f.note && !f.open && f.Size <= maxRowText {
			missing = append(missing, f)
		}
	}
	v.mu.Unlock()
	for done := 0; done < len(missing); {
		if err := ended(ctx); err != nil {
			return err
		}
		n := batchLen(missing[done:])
		if err := v.fillBatch(ctx, missing[done:done+n]); err != nil {
			return err
		}
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

func batchLen(files []*file) int {
	size := int64(0)
	for i, f := range files[:min(rowBatch, len(files))] {
		if size += f.Size; size > rowBytes && i > 0 {
			return i
		}
	}
	return min(rowBatch, len(files))
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
		if row := v.rowOfMeta(&metas[i]); row != nil {
			f.row = row
		} else {
			rest = append(rest, f)
		}
	}
	return rest, nil
}

func (v *Vault) rowOfMeta(m *host.Meta) *Row {
	values := map[string]any{}
	if m.Properties != "" && json.Unmarshal([]byte(m.Properties), &values) != nil {
		return nil
	}
	r := &Row{Tasks: m.Tasks, Links: v.sharedAll(m.Links)}
	seen := map[string]bool{}
	for _, t := range append(note.FrontTags(values), m.Tags...) {
		t = strings.TrimPrefix(strings.TrimSpace(t), "#")
		if key := strings.ToLower(t); t != "" && !seen[key] {
			seen[key] = true
			r.Tags = append(r.Tags, v.shared(t))
		}
	}
	r.Props = v.propsOf(values)
	return r
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
		row := v.rowOfText(r.Data)
		v.mu.Lock()
		f.row = row
		v.mu.Unlock()
	}
	return nil
}

func (v *Vault) rowOfText(data []byte) *Row {
	d := note.Parse(data)
	values, err := d.Values()
	if err != nil {
		values = map[string]any{} // its properties cannot be read: it has none
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	r := &Row{
		Read: true, Tags: v.sharedAll(d.AllTags(values)), Props: v.propsOf(values),
		Empty: len(strings.TrimSpace(string(d.Body.Of(d.Data)))) == 0,
	}
	for _, l := range d.Links {
		if !l.External && l.Path != "" {
			r.Links = append(r.Links, v.shared(l.Path))
		}
	}
	for i := range d.Items {
		switch it := &d.Items[i]; {
		case !it.Task():
		case note.Done(string(it.State.Of(d.Data))):
			r.Done++
		default:
			r.Open++
		}
	}
	r.Tasks = r.Open + r.Done
	return r
}

func (v *Vault) propsOf(values map[string]any) []Prop {
	if len(values) == 0 {
		return nil
	}
	out := make([]Prop, 0, len(values))
	for name, value := range values {
		out = append(out, Prop{v.shared(name), v.sharedValue(value)})
	}
	return out
}

func (v *Vault) sharedValue(value any) any {
	switch t := value.(type) {
	case string:
		return v.shared(t)
	case []any:
		for i := range t {
			t[i] = v.sharedValue(t[i])
		}
	}
	return value
}

// Names, tags and short values come again and again: each is kept once. So that
// a vault of ever new ones costs no more, there is an end to it.
const (
	maxShared  = 48
	maxStrings = 200_000
)

// shared gives the one copy of a string. The lock is held.
func (v *Vault) shared(s string) string {
	if len(s) > maxShared {
		return strings.Clone(s)
	}
	if one, ok := v.words[s]; ok {
		return one
	}
	s = strings.Clone(s)
	if len(v.words) < maxStrings {
		v.words[s] = s
	}
	return s
}

func (v *Vault) sharedAll(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = v.shared(s)
	}
	return out
}

func pathsOf(files []*file) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = f.Path
	}
	return out
}
