package usage

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/record"
	"embedded-agent/wasm/internal/sorting"
)

// usageFolder holds the ledger. Each device writes files of its own, DEVICE-1.jsonl,
// DEVICE-2.jsonl … of framed records (package record). The newest whole one
// counts, and the sums are those of all devices. A file's first record is the
// number of rows that were gathered into it, which follow; then comes one record
// for each answer. When there are many, or a crash has torn the end, the next file
// is written with the rows gathered, and only then is the old one removed:
// whenever the program ends, one of the two is whole. The files 1.jsonl, 2.jsonl …
// of earlier versions are read the same, and stay as they are.
const usageFolder = "usage"

// Bounds of the ledger: records before they are gathered, and rows kept, the
// oldest days going first.
const (
	maxAnswers   = 500
	maxUsageRows = 4000
)

// ledger keeps all that was used, on disk and in memory. Nothing of it is sent.
type ledger struct {
	store  host.Store
	device func(context.Context) (string, error)
	// failed is told once that the ledger cannot be kept.
	failed func(error)

	mu    sync.Mutex // guards what follows
	told  bool
	own   string                // the name of this device
	files map[string]*usageFile // by path, as they were last read
	// unkept are the answers that could not be written yet.
	unkept []usageRow
}

// usageHead begins a file.
type usageHead struct {
	Rows int `json:"rows"`
}

// usageRow is one row, or one answer, with its currency.
type usageRow struct {
	LedgerRow
	Currency string `json:"currency"`
}

// spending is one answer for the ledger.
type spending struct {
	Spent
	currency string
}

// add puts an answer into the ledger. It does not fail: an answer that came is
// shown, whether it could be counted or not.
func (l *ledger) add(ctx context.Context, s spending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unkept = append(l.unkept, usageRow{Ledger{Currency: s.currency}.Add(s.Spent).Rows[0], s.currency})
	err := l.look(ctx)
	for err == nil && len(l.unkept) > 0 {
		if err = l.append(ctx, l.unkept[0]); err == nil {
			l.unkept = l.unkept[1:]
		}
	}
	if err != nil && !l.told && ctx.Err() == nil {
		l.told = true
		l.failed(err)
	}
}

// report gives all that was used, in one currency: what was paid in another
// counts as calls without a price.
func (l *ledger) report(ctx context.Context, currency string) (Ledger, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.look(ctx); err != nil {
		return Ledger{}, err
	}
	out := Ledger{Currency: currency, Rows: []LedgerRow{}}
	for _, f := range l.counted() {
		for _, rows := range f.rows {
			out = out.Merge(rows)
		}
	}
	for _, r := range l.unkept {
		out = out.Merge(Ledger{Currency: r.Currency, Rows: []LedgerRow{r.LedgerRow}})
	}
	return out, nil
}

// append writes one answer. The lock is held.
func (l *ledger) append(ctx context.Context, row usageRow) error {
	f := l.counted()[l.own]
	if f == nil || f.chain == nil || f.gen != l.newest() || f.answers > maxAnswers {
		var err error
		if f, err = l.gather(ctx); err != nil {
			return err
		}
	}
	rec, err := canon.Encode(row)
	if err != nil {
		return err
	}
	line := f.chain.Append(nil, rec)
	if err := l.store.Append(ctx, f.path(), line); err != nil {
		delete(l.files, f.path()) // what is there now has to be read
		return fmt.Errorf("the usage ledger: %w", err)
	}
	f.size += len(line)
	f.answers++
	f.merge(row)
	return nil
}

// gather writes a new file with the rows of this device as they are, and then
// removes its old ones. The lock is held.
func (l *ledger) gather(ctx context.Context) (*usageFile, error) {
	next := &usageFile{device: l.own, gen: l.newest() + 1, rows: map[string]Ledger{}}
	if f := l.counted()[l.own]; f != nil {
		next.rows = f.rows
	}
	next.bound()
	var rows []usageRow
	for currency, of := range next.rows {
		for _, r := range of.Rows {
			rows = append(rows, usageRow{r, currency})
		}
	}
	sorting.Func(rows, func(a, b usageRow) int { return strings.Compare(a.Day, b.Day) })
	head, err := canon.Encode(usageHead{len(rows)})
	if err != nil {
		return nil, err
	}
	next.chain = record.New(next.path())
	data := next.chain.Append(nil, head)
	for _, r := range rows {
		rec, err := canon.Encode(r)
		if err != nil {
			return nil, err
		}
		data = next.chain.Append(data, rec)
	}
	if err := l.store.Write(ctx, next.path(), data); err != nil {
		return nil, fmt.Errorf("the usage ledger: %w", err)
	}
	next.size, next.whole = len(data), true
	for path, old := range l.files {
		if old.device != l.own {
			continue
		}
		if err := l.store.Remove(ctx, path); err != nil {
			return nil, err
		}
		delete(l.files, path)
	}
	l.files[next.path()] = next
	return next, nil
}
