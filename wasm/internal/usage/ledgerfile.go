package usage

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/record"
)

// usageFile is one file of the ledger as it was last read.
type usageFile struct {
	info   host.Info
	device string // who writes it; "" is an earlier version
	gen    int
	// whole says that the gathered rows are all there. One that a crash has left
	// beside the one that it was made of is not.
	whole   bool
	rows    map[string]Ledger // by currency
	answers int               // since the rows were gathered
	chain   *record.Chain     // nil where the end is torn: nothing can be added there
	size    int
}

func (f *usageFile) path() string {
	name := strconv.Itoa(f.gen)
	if f.device != "" {
		name = f.device + "-" + name
	}
	return usageFolder + "/" + name + ".jsonl"
}

// usageFileAt gives the file of a path, nothing read; nil where it is none.
func usageFileAt(path string) *usageFile {
	name := strings.TrimSuffix(strings.TrimPrefix(path, usageFolder+"/"), ".jsonl")
	device, gen, ok := strings.Cut(name, "-")
	if !ok {
		device, gen = "", name
	}
	n, err := strconv.Atoi(gen)
	f := &usageFile{device: device, gen: n, rows: map[string]Ledger{}}
	if err != nil || n <= 0 || f.path() != path {
		return nil
	}
	return f
}

// look reads what is new in the folder, or has changed since, also from outside.
// The lock is held.
func (l *ledger) look(ctx context.Context) error {
	own, err := l.device(ctx)
	if err != nil {
		return err
	}
	list, err := l.store.List(ctx, usageFolder)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	next := map[string]*usageFile{}
	for _, info := range list {
		f := usageFileAt(info.Path)
		if f == nil || info.Kind != host.File {
			continue
		}
		known := l.files[info.Path]
		if known != nil && (known.info == info || f.device == own && known.size == int(info.Size)) {
			known.info = info
			next[info.Path] = known
			continue
		}
		data, err := l.store.Read(ctx, info.Path)
		if fault.Is(err, fault.NotFound) {
			continue
		} else if err != nil {
			return err
		}
		f.info = info
		f.read(data)
		next[info.Path] = f
	}
	l.own, l.files = own, next
	return nil
}

// read takes in what is in a file.
func (f *usageFile) read(data []byte) {
	recs, chain, good, broken := record.Read(f.path(), data)
	f.size = good
	if broken == nil && good == len(data) {
		f.chain = chain
	}
	var head usageHead
	if len(recs) == 0 || json.Unmarshal(recs[0], &head) != nil || len(recs) < head.Rows+1 {
		return
	}
	f.whole, f.answers = true, len(recs)-1-head.Rows
	for _, rec := range recs[1:] {
		var row usageRow
		if json.Unmarshal(rec, &row) == nil {
			f.merge(row)
		}
	}
}

// merge adds a row; rows are added up when they are asked for.
func (f *usageFile) merge(r usageRow) {
	was := f.rows[r.Currency]
	was.Currency, was.Rows = r.Currency, append(was.Rows, r.LedgerRow)
	f.rows[r.Currency] = was
}

// counted gives the file of each device that counts. The lock is held.
func (l *ledger) counted() map[string]*usageFile {
	out := map[string]*usageFile{}
	for _, f := range l.files {
		if best := out[f.device]; f.whole && (best == nil || f.gen > best.gen) {
			out[f.device] = f
		}
	}
	return out
}

// newest gives the highest number of this device's files. The lock is held.
func (l *ledger) newest() int {
	n := 0
	for _, f := range l.files {
		if f.device == l.own {
			n = max(n, f.gen)
		}
	}
	return n
}

// bound adds the rows up, and leaves out the oldest days beyond the bound.
func (f *usageFile) bound() {
	var days []string
	for currency, of := range f.rows {
		of = Ledger{Currency: currency}.Merge(of)
		f.rows[currency] = of
		for _, r := range of.Rows {
			days = append(days, r.Day)
		}
	}
	if len(days) <= maxUsageRows {
		return
	}
	slices.Sort(days)
	from := days[len(days)-maxUsageRows]
	for currency, of := range f.rows {
		f.rows[currency] = of.Since(from)
	}
}
