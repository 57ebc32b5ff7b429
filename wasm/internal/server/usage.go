package server

import (
	"context"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
)

// priced reads a person's price table; "" is the one that comes with the
// plugin.
func priced(text string) (llm.PriceTable, error) {
	if text == "" {
		return llm.DefaultPrices(), nil
	}
	t, err := llm.ParsePrices([]byte(text))
	if err != nil {
		return t, planner.FromLLM(llm.AsError(err, ""))
	}
	return t, nil
}

// priceTable gives the prices in use.
func (s *Server) priceTable() llm.PriceTable {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.prices
}

// spent gives what an answer used, for the ledger.
func (s *Server) spent(m *model, u llm.Usage) spending {
	table := s.priceTable()
	s.mu.Lock()
	zone := s.offset
	s.mu.Unlock()
	p, known := table.Find(m.host(), m.name)
	out := spending{currency: table.Currency}
	out.Spent = llm.Spent{Day: timestamp.Day(s.now().In(zone)), Host: m.host(), Model: m.name, Usage: u, Known: known}
	if known {
		out.Cost = p.Cost(u)
	}
	return out
}

// usageOf gives what was used as the panel shows it; nil for nothing.
func (s *Server) usageOf(m *model, u llm.Usage) *protocol.Usage {
	if u == (llm.Usage{}) {
		return nil
	}
	spent := s.spent(m, u)
	return &protocol.Usage{
		Input: int(u.Input), Output: int(u.Output), Cached: int(u.CacheRead),
		Cost: amount(spent.Cost), Priced: spent.Known,
	}
}

// amount gives money in the currency's unit.
func amount(n llm.Nano) float64 { return float64(n) / 1e9 }

// usageGet gives the ledger, the newest day first.
func (s *Server) usageGet(ctx context.Context, _ protocol.Empty) (protocol.UsageReport, error) {
	table := s.priceTable()
	l, err := s.ledger.report(ctx, table.Currency)
	if err != nil {
		return protocol.UsageReport{}, err
	}
	out := protocol.UsageReport{Currency: l.Currency, PricesOf: table.Updated, Rows: []protocol.UsageRow{}}
	for i := len(l.Rows) - 1; i >= 0; i-- {
		r := l.Rows[i]
		out.Rows = append(out.Rows, protocol.UsageRow{
			Day: r.Day, Host: r.Host, Model: r.Model, Calls: int(r.Calls),
			Input: int(r.Input), Output: int(r.Output), Cached: int(r.CacheRead),
			Cost: amount(r.Cost), Unpriced: int(r.Unpriced),
		})
	}
	return out, nil
}

// usageExport gives the ledger as a document.
func (s *Server) usageExport(ctx context.Context, p protocol.UsageExport) (protocol.Document, error) {
	l, err := s.ledger.report(ctx, s.priceTable().Currency)
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

// pricesDefault gives the price table that comes with the plugin.
func (s *Server) pricesDefault(context.Context, protocol.Empty) (protocol.Document, error) {
	return protocol.Document{Text: llm.DefaultPricesText()}, nil
}

// listAge is how old a list of models may be before it is asked for anew.
const listAge = time.Hour

// modelsList gives the models that the endpoint offers. Where it cannot be
// asked, the last list is given with the problem.
func (s *Server) modelsList(ctx context.Context, _ protocol.Empty) (protocol.Models, error) {
	m, err := s.newModel(ctx, "", func(protocol.Message) {})
	if err != nil {
		return protocol.Models{Models: []string{}, Problem: s.problem(err)}, nil
	}
	l := s.endpoints.models(ctx, m.list())
	at, err := time.Parse(time.RFC3339, l.At)
	if err != nil || s.now().Sub(at) > listAge || s.now().Before(at) {
		fresh, err := s.fetchModels(ctx, m)
		if err != nil {
			return listed(l, s.problem(err)), nil
		}
		l = fresh
	}
	return listed(l, nil), nil
}

func listed(l modelList, p *protocol.Problem) protocol.Models {
	out := protocol.Models{Models: []string{}, FetchedAt: l.At, Problem: p}
	for _, m := range l.Models {
		out.Models = append(out.Models, m.ID)
	}
	return out
}

// fetchModels asks for the list and keeps it.
func (s *Server) fetchModels(ctx context.Context, m *model) (modelList, error) {
	models, err := llm.FetchModels(ctx, m.dialect, m.endpoint, m.transport(s))
	if err != nil {
		return modelList{}, planner.FromLLM(llm.AsError(err, m.host()))
	}
	l := modelList{At: timestamp.Second(s.now()), Models: models}
	s.endpoints.keepModels(ctx, m.list(), l)
	return l, nil
}

// window gives how many tokens the model takes, 0 where nobody says.
func (s *Server) window(ctx context.Context, m *model) int {
	for _, x := range s.endpoints.models(ctx, m.list()).Models {
		if x.ID == m.name && x.Context > 0 {
			return int(x.Context)
		}
	}
	p, _ := s.priceTable().Find(m.host(), m.name)
	return p.Window
}

// setPrices takes over a price table. Of one that is broken nothing is taken:
// the one before stays.
func (s *Server) setPrices(text string) error {
	table, err := priced(text)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prices = table
	return nil
}

// ledgerFailed tells that what is used cannot be written down.
func (s *Server) ledgerFailed(err error) {
	s.notice("warn", "usage.unkept", fault.P{"detail": err.Error()}, "")
}
