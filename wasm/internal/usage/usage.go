// Package usage keeps what models have used and cost: the prices that are in
// force, and the ledger of all answers (docs/guide). Nothing of it is sent.
package usage

import (
	"context"
	"sync"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
)

// Usage is the room: prices and ledger.
type Usage struct {
	ledger ledger
	life   context.Context
	now    func() time.Time

	mu     sync.Mutex // guards what follows
	prices func() price.Table
	zone   *time.Location // whose days are counted
}

// Deps are the parts of the core that the room uses, and the functions that server hands it.
type Deps struct {
	Store host.Store
	// Device names this device in the names of its files.
	Device func(context.Context) (string, error)
	Out    *outbox.Outbox
	Now    func() time.Time
	// Life ends with the core: an answer is written down whoever asked for it.
	Life context.Context
}

// New gives the room with the prices that come with the plugin, counting days in
// UTC.
func New(d Deps) *Usage {
	u := &Usage{life: d.Life, now: d.Now, prices: byDefault, zone: time.UTC}
	u.ledger = ledger{store: d.Store, device: d.Device, failed: func(err error) {
		d.Out.Notice("warn", "usage.unkept", fault.P{"detail": err.Error()}, "")
	}}
	return u
}

// SetZone says in which zone a day begins and ends.
func (u *Usage) SetZone(zone *time.Location) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.zone = zone
}

// SetPrices takes over a person's price table; "" is the one that comes with the
// plugin. Of a table that is broken nothing is taken: the one before stays, and
// the error is VALIDATION_ERROR.
func (u *Usage) SetPrices(text string) error {
	prices := byDefault
	if text != "" {
		table, err := price.Parse([]byte(text))
		if err != nil {
			return err
		}
		prices = func() price.Table { return table }
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.prices = prices
	return nil
}

// byDefault gives the prices that come with the plugin, which are read when somebody
// asks, and not at every start.
var byDefault = sync.OnceValue(price.Default)

// Prices gives the prices in force.
func (u *Usage) Prices() price.Table {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.prices()
}

// Add puts an answer of a model into the ledger; used is nil for one that counts
// no tokens, which is a call without a known price. It does not fail: an answer
// that came is shown, whether it could be counted or not.
func (u *Usage) Add(host, model string, used *price.Usage) {
	var tokens price.Usage
	if used != nil {
		tokens = *used
	}
	s := u.spent(host, model, tokens)
	s.Known = s.Known && used != nil
	u.ledger.add(u.life, s)
}

func (u *Usage) spent(host, model string, used price.Usage) spending {
	u.mu.Lock()
	table, zone := u.prices(), u.zone
	u.mu.Unlock()
	p, known := table.Find(host, model)
	out := spending{currency: table.Currency}
	out.Spent = Spent{Day: timestamp.Day(u.now().In(zone)), Host: host, Model: model, Usage: used, Known: known}
	if known {
		out.Cost = p.Cost(used)
	}
	return out
}

// View gives what was used as the panel shows it; nil for nothing.
func (u *Usage) View(host, model string, used price.Usage) *protocol.Usage {
	if used == (price.Usage{}) {
		return nil
	}
	spent := u.spent(host, model, used)
	return &protocol.Usage{
		Input: int(used.Input), Output: int(used.Output), Cached: int(used.CacheRead),
		Cost: Amount(spent.Cost), Priced: spent.Known,
	}
}

// Amount gives money in the currency's unit.
func Amount(n price.Nano) float64 { return float64(n) / 1e9 }

// Get gives the ledger, the newest day first: the method usage.get.
func (u *Usage) Get(ctx context.Context, _ protocol.Empty) (protocol.UsageReport, error) {
	table := u.Prices()
	l, err := u.ledger.report(ctx, table.Currency)
	if err != nil {
		return protocol.UsageReport{}, err
	}
	out := protocol.UsageReport{Currency: l.Currency, PricesOf: table.Updated, Rows: []protocol.UsageRow{}}
	for i := len(l.Rows) - 1; i >= 0; i-- {
		r := l.Rows[i]
		out.Rows = append(out.Rows, protocol.UsageRow{
			Day: r.Day, Host: r.Host, Model: r.Model, Calls: int(r.Calls),
			Input: int(r.Input), Output: int(r.Output), Cached: int(r.CacheRead),
			Cost: Amount(r.Cost), Unpriced: int(r.Unpriced),
		})
	}
	return out, nil
}

// Export gives the ledger as a document, csv or json: the method usage.export.
func (u *Usage) Export(ctx context.Context, p protocol.UsageExport) (protocol.Document, error) {
	l, err := u.ledger.report(ctx, u.Prices().Currency)
	if err != nil {
		return protocol.Document{}, err
	}
	switch p.Format {
	case "csv":
		text, err := l.CSV()
		return protocol.Document{Text: text}, err
	case "json":
		text, err := l.JSON()
		return protocol.Document{Text: string(text) + "\n"}, err
	}
	return protocol.Document{}, fault.New(fault.Validation, "error.usage.format", fault.P{"format": string(p.Format)})
}

// DefaultPrices gives the price table that comes with the plugin: the method
// prices.default.
func (u *Usage) DefaultPrices(context.Context, protocol.Empty) (protocol.Document, error) {
	return protocol.Document{Text: price.DefaultText()}, nil
}
