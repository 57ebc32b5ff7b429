package usage

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"sort"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/price"
)

// Spent is one answer for the ledger.
type Spent struct {
	// Day is YYYY-MM-DD where the person is.
	Day   string
	Host  string
	Model string
	Usage price.Usage
	// Cost counts only if Known.
	Cost  price.Nano
	Known bool
}

// LedgerRow is the sum of one day, host and model.
type LedgerRow struct {
	Day   string `json:"day"`
	Host  string `json:"host"`
	Model string `json:"model"`
	Calls int64  `json:"calls"`
	price.Usage
	// Cost is in billionths of the currency's unit; Unpriced is the number of calls that it does not include.
	Cost     price.Nano `json:"costNano"`
	Unpriced int64      `json:"unpriced,omitempty"`
}

// Ledger has all that was used, by day, host and model. It is a value: its functions give a new one. Nothing of it is sent.
type Ledger struct {
	Currency string      `json:"currency"`
	Rows     []LedgerRow `json:"rows"`
}

// Add gives the ledger with one more answer.
func (l Ledger) Add(s Spent) Ledger {
	row := LedgerRow{Day: s.Day, Host: s.Host, Model: s.Model, Calls: 1, Usage: s.Usage}
	if s.Known {
		row.Cost = s.Cost
	} else {
		row.Unpriced = 1
	}
	return l.Merge(Ledger{Currency: l.Currency, Rows: []LedgerRow{row}})
}

// Merge adds up two ledgers of one currency; the other's rows of another currency count as unpriced.
func (l Ledger) Merge(other Ledger) Ledger {
	sum := make(map[[3]string]LedgerRow)
	add := func(row LedgerRow) {
		key := [3]string{row.Day, row.Host, row.Model}
		old := sum[key]
		row.Calls += old.Calls
		row.Usage = row.Usage.Add(old.Usage)
		row.Cost += old.Cost
		row.Unpriced += old.Unpriced
		sum[key] = row
	}
	for _, row := range l.Rows {
		add(row)
	}
	for _, row := range other.Rows {
		if other.Currency != l.Currency {
			row.Cost, row.Unpriced = 0, row.Calls
		}
		add(row)
	}
	return fromRows(l.Currency, sum)
}

// By adds up the rows to one per group: keep says which of day, host and model stay apart.
func (l Ledger) By(day, host, model bool) Ledger {
	grouped := Ledger{Currency: l.Currency, Rows: slices.Clone(l.Rows)}
	for i := range grouped.Rows {
		row := &grouped.Rows[i]
		if !day {
			row.Day = ""
		}
		if !host {
			row.Host = ""
		}
		if !model {
			row.Model = ""
		}
	}
	return Ledger{Currency: l.Currency}.Merge(grouped)
}

// Total is the sum of all rows.
func (l Ledger) Total() LedgerRow {
	if rows := l.By(false, false, false).Rows; len(rows) == 1 {
		return rows[0]
	}
	return LedgerRow{}
}

// Since leaves out the days before day.
func (l Ledger) Since(day string) Ledger {
	kept := Ledger{Currency: l.Currency}
	for _, row := range l.Rows {
		if row.Day >= day {
			kept.Rows = append(kept.Rows, row)
		}
	}
	return kept
}

func fromRows(currency string, sum map[[3]string]LedgerRow) Ledger {
	l := Ledger{Currency: currency, Rows: make([]LedgerRow, 0, len(sum))}
	for _, row := range sum {
		l.Rows = append(l.Rows, row)
	}
	sort.Slice(l.Rows, func(i, j int) bool {
		a, b := l.Rows[i], l.Rows[j]
		if a.Day != b.Day {
			return a.Day < b.Day
		}
		if a.Host != b.Host {
			return a.Host < b.Host
		}
		return a.Model < b.Model
	})
	return l
}

// JSON is the ledger as text, indented by tabs.
func (l Ledger) JSON() ([]byte, error) { return json.MarshalIndent(l, "", "\t") }

// CSV is the ledger for a spreadsheet (RFC 4180), with a line of names. A name that a spreadsheet would take for a
// formula gets an apostrophe in front.
func (l Ledger) CSV() (string, error) {
	var out strings.Builder
	w := csv.NewWriter(&out)
	records := [][]string{{
		"day", "host", "model", "calls", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens",
		"reasoning_tokens", "cost_" + strings.ToLower(l.Currency), "calls_without_price",
	}}
	for _, r := range l.Rows {
		n := func(v int64) string { return strconv.FormatInt(v, 10) }
		records = append(records, []string{
			r.Day, plainCell(r.Host), plainCell(r.Model), n(r.Calls), n(r.Input), n(r.Output), n(r.CacheRead),
			n(r.CacheWrite), n(r.Reasoning), r.Cost.String(), n(r.Unpriced),
		})
	}
	err := w.WriteAll(records)
	return out.String(), err
}

func plainCell(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}
