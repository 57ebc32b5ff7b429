package usage

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/protocol"
)

const euros = `{"currency":"EUR","updated":"2026-11-01","models":[{"model":"m","input":2,"output":10,"cacheRead":0.5,"window":64000}]}`

func newUsage(t *testing.T, mem *hosttest.Memory, now func() time.Time) *Usage {
	t.Helper()
	return New(Deps{
		Store: mem.Host().Store, Device: deviceNamed("a"), Now: now, Life: t.Context(),
		Out: outbox.New(t.Context(), func(e protocol.Event) { t.Errorf("it told of %+v", e) }, now),
	})
}

func report(t *testing.T, u *Usage) protocol.UsageReport {
	t.Helper()
	r, err := u.Get(t.Context(), protocol.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestABrokenPriceTableIsAClearErrorAndTheOldOneStays(t *testing.T) {
	u := newUsage(t, hosttest.New(hosttest.Options{}), time.Now)
	if err := u.SetPrices(euros); err != nil {
		t.Fatal(err)
	}
	for _, broken := range []string{"{", `{"currency":"EUR","models":[{"model":"m","input":-1,"output":1}]}`, `{"models":[]}`, `{"currency":"EUR","price":1}`} {
		if err := u.SetPrices(broken); !fault.Is(err, fault.Validation) || fault.From(err).Key != "error.usage.prices" {
			t.Errorf("%s: want the error fault.Validation and Key \"error.usage.prices\", got %v", broken, err)
		}
		if r := report(t, u); r.Currency != "EUR" || r.PricesOf != "2026-11-01" {
			t.Errorf("%s: the old table is gone: %+v", broken, r)
		}
	}
	if err := u.SetPrices(""); err != nil {
		t.Fatal(err)
	}
	if r := report(t, u); r.Currency != "USD" || r.PricesOf == "" {
		t.Errorf("want Currency \"USD\" and PricesOf set, got %+v", r)
	}
}

func TestTheDefaultPricesCanBeGivenBackAsTheyAre(t *testing.T) {
	u := newUsage(t, hosttest.New(hosttest.Options{}), time.Now)
	doc, err := u.DefaultPrices(t.Context(), protocol.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	var table struct{ Updated string }
	if err := json.Unmarshal([]byte(doc.Text), &table); err != nil || len(table.Updated) != 10 {
		t.Errorf("%v: the table's day is %q", err, table.Updated)
	}
	if err := u.SetPrices(doc.Text); err != nil {
		t.Error(err)
	}
}

// TestADayIsOneOfThePersonsZone counts an answer that was given shortly before
// midnight in Greenwich, which is the next day for whoever lives east of it.
func TestADayIsOneOfThePersonsZone(t *testing.T) {
	at := time.Date(2026, 11, 20, 23, 30, 0, 0, time.UTC)
	mem := hosttest.New(hosttest.Options{})
	u := newUsage(t, mem, func() time.Time { return at })
	if err := u.SetPrices(euros); err != nil {
		t.Fatal(err)
	}
	u.Add("h", "m", &price.Usage{Input: 1000, Output: 50})
	u.SetZone(time.FixedZone("", 3600))
	u.Add("h", "m", &price.Usage{Input: 1000, Output: 50})
	u.Add("h", "m", nil) // counted no tokens: a call without a price
	later := newUsage(t, mem, time.Now)
	if err := later.SetPrices(euros); err != nil {
		t.Fatal(err)
	}
	rows := report(t, later).Rows
	if len(rows) != 2 || rows[0].Day == rows[1].Day {
		t.Fatalf("want 2 rows and rows[0].Day other than rows[1].Day, got %+v", rows)
	}
	for _, row := range rows {
		want := map[string]int{"2026-11-20": 1, "2026-11-21": 2}[row.Day]
		if row.Calls != want || row.Unpriced != want-1 || math.Abs(row.Cost-0.0025) > 1e-9 || row.Input != 1000 {
			t.Errorf("%+v, want %d calls", row, want)
		}
	}
}
