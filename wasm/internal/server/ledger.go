package server

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/record"
	"embedded-agent/wasm/internal/sorting"
)

// usageFolder holds the ledger: files 1.jsonl, 2.jsonl … of framed records
// (package record), of which the newest whole one counts. Its first record is
// the number of rows that were gathered into it, which follow; then comes one
// record for each answer. When there are many, or a crash has torn the end, the
// next file is written with the rows gathered, and only then is the old one
// removed: whenever the program ends, one of the two is whole.
const usageFolder = "usage"

// Bounds of the ledger: records before they are gathered, and rows kept, the
// oldest days going first.
const (
	maxAnswers   = 500
	maxUsageRows = 4000
)

// ledger is what was used, on disk and in memory. Nothing of it is sent.
type ledger struct {
	store host.Store
	// failed is told once that the ledger cannot be kept.
	failed func(error)

	mu     sync.Mutex
	loaded bool
	told   bool
	chain  *record.Chain
	gen    int // of the file that is appended to; 0: there is none yet
	rows   map[string]llm.Ledger
	// unkept are the answers of this session that could not be written yet.
	unkept []usageRow
}

// usageHead begins a file.
type usageHead struct {
	Rows int `json:"rows"`
}

// usageRow is one row, or one answer, with its currency.
type usageRow struct {
	llm.LedgerRow
	Currency string `json:"currency"`
}

// spending is one answer for the ledger.
type spending struct {
	llm.Spent
	currency string
}

func usageFile(gen int) string { return usageFolder + "/" + strconv.Itoa(gen) + ".jsonl" }

// add puts an answer into the ledger. It does not fail: an answer that came is
// shown, whether it could be counted or not.
func (l *ledger) add(ctx context.Context, s spending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unkept = append(l.unkept, usageRow{llm.Ledger{Currency: s.currency}.Add(s.Spent).Rows[0], s.currency})
	err := l.load(ctx)
	for err == nil && len(l.unkept) > 0 {
		if err = l.append(ctx, l.unkept[0]); err == nil {
			l.merge(l.unkept[0])
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
func (l *ledger) report(ctx context.Context, currency string) (llm.Ledger, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.load(ctx); err != nil {
		return llm.Ledger{}, err
	}
	out := llm.Ledger{Currency: currency, Rows: []llm.LedgerRow{}}.Merge(l.rows[currency])
	for other, rows := range l.rows {
		if other != currency {
			out = out.Merge(rows)
		}
	}
	for _, r := range l.unkept {
		out = out.Merge(llm.Ledger{Currency: r.Currency, Rows: []llm.LedgerRow{r.LedgerRow}})
	}
	return out, nil
}

// merge adds a row; rows are added up when they are asked for. The lock is held.
func (l *ledger) merge(r usageRow) {
	was := l.rows[r.Currency]
	was.Currency, was.Rows = r.Currency, append(was.Rows, r.LedgerRow)
	l.rows[r.Currency] = was
}

// load reads the newest whole file, once. The lock is held.
func (l *ledger) load(ctx context.Context) error {
	if l.loaded {
		return nil
	}
	l.rows, l.chain, l.gen = map[string]llm.Ledger{}, nil, 0
	gens, err := l.generations(ctx)
	if err != nil {
		return err
	}
	for _, gen := range slices.Backward(gens) {
		whole, err := l.read(ctx, gen)
		if err != nil {
			return err
		}
		if whole {
			break
		}
	}
	if len(gens) > 0 {
		newest := gens[len(gens)-1]
		if l.chain == nil || l.gen != newest || l.chain.Len() > maxAnswers {
			if err := l.gather(ctx, newest+1); err != nil {
				return err
			}
		}
	}
	l.loaded = true
	return nil
}

func (l *ledger) generations(ctx context.Context) ([]int, error) {
	entries, err := l.store.List(ctx, usageFolder)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	var gens []int
	for _, e := range entries {
		name := e.Path[strings.LastIndexByte(e.Path, '/')+1:]
		if n, err := strconv.Atoi(strings.TrimSuffix(name, ".jsonl")); err == nil && n > 0 {
			gens = append(gens, n)
		}
	}
	slices.Sort(gens)
	return gens, nil
}

// read takes a file in; false for one whose gathered rows are not all there,
// which a crash has left beside the one that it was made of. A torn end leaves
// chain nil: nothing can be appended there.
func (l *ledger) read(ctx context.Context, gen int) (whole bool, err error) {
	data, err := l.store.Read(ctx, usageFile(gen))
	if err != nil {
		return false, err
	}
	recs, chain, good, broken := record.Read(usageFile(gen), data)
	var head usageHead
	if len(recs) == 0 || json.Unmarshal(recs[0], &head) != nil || len(recs) < head.Rows+1 {
		return false, nil
	}
	for _, rec := range recs[1:] {
		var row usageRow
		if json.Unmarshal(rec, &row) == nil {
			l.merge(row)
		}
	}
	if broken == nil && good == len(data) {
		l.chain, l.gen = chain, gen
	}
	return true, nil
}

// append writes one answer. The lock is held.
func (l *ledger) append(ctx context.Context, row usageRow) error {
	if l.gen == 0 || l.chain.Len() > maxAnswers+maxUsageRows {
		if err := l.gather(ctx, l.gen+1); err != nil {
			return err
		}
	}
	rec, err := jsonOf(row)
	if err != nil {
		return err
	}
	line := l.chain.Append(nil, rec)
	if err := l.store.Append(ctx, usageFile(l.gen), line); err != nil {
		l.loaded = false // what is there now has to be read
		return fmt.Errorf("the usage ledger: %w", err)
	}
	return nil
}

// gather writes a new file with the rows as they are, and then removes the old
// ones. The lock is held.
func (l *ledger) gather(ctx context.Context, gen int) error {
	l.bound()
	var rows []usageRow
	for currency, of := range l.rows {
		for _, r := range of.Rows {
			rows = append(rows, usageRow{r, currency})
		}
	}
	sorting.Func(rows, func(a, b usageRow) int { return strings.Compare(a.Day, b.Day) })
	head, err := jsonOf(usageHead{len(rows)})
	if err != nil {
		return err
	}
	chain := record.New(usageFile(gen))
	data := chain.Append(nil, head)
	for _, r := range rows {
		rec, err := jsonOf(r)
		if err != nil {
			return err
		}
		data = chain.Append(data, rec)
	}
	if err := l.store.Write(ctx, usageFile(gen), data); err != nil {
		return fmt.Errorf("the usage ledger: %w", err)
	}
	l.chain, l.gen = chain, gen
	gens, err := l.generations(ctx)
	if err != nil {
		return err
	}
	for _, old := range gens {
		if old < gen {
			if err := l.store.Remove(ctx, usageFile(old)); err != nil {
				return err
			}
		}
	}
	return nil
}

// bound adds the rows up, and leaves out the oldest days beyond the bound. The
// lock is held.
func (l *ledger) bound() {
	var days []string
	for currency, of := range l.rows {
		of = llm.Ledger{Currency: currency}.Merge(of)
		l.rows[currency] = of
		for _, r := range of.Rows {
			days = append(days, r.Day)
		}
	}
	if len(days) <= maxUsageRows {
		return
	}
	slices.Sort(days)
	from := days[len(days)-maxUsageRows]
	for currency, of := range l.rows {
		l.rows[currency] = of.Since(from)
	}
}
