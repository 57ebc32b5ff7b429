package price_test

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/price"
)

func TestPricesAreFound(t *testing.T) {
	table, err := price.Parse([]byte(`{"currency":"EUR","models":[
		{"model":"gpt-5*","input":1,"output":2},
		{"model":"gpt-5-mini*","input":3,"output":4,"cacheRead":0.5},
		{"model":"gpt-5-mini","host":"eu.example","input":5,"output":6},
		{"model":"vendor/only","input":7,"output":8}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		host, model string
		input       float64
		found       bool
	}{
		{"h", "gpt-5", 1, true},
		{"h", "gpt-5-mini-2026", 3, true},
		{"h", "openai/gpt-5-mini", 3, true},
		{"eu.example", "gpt-5-mini", 5, true},
		{"eu.example", "gpt-5-mini-2026", 3, true},
		{"h", "vendor/only", 7, true},
		{"h", "only", 0, false},
		{"h", "gpt-4", 0, false},
	} {
		if p, ok := table.Find(c.host, c.model); ok != c.found || p.Input != c.input {
			t.Errorf("%s at %s: want as in the case and Input as in the case, got %v %v", c.model, c.host, p, ok)
		}
	}
	mine := price.Table{Currency: "EUR", Models: []price.Entry{{Model: "gpt-5*", Price: price.Price{Input: 9}}}}
	if p, _ := mine.Over(table).Find("h", "gpt-5"); p.Input != 9 {
		t.Error("a person's own price does not count")
	}
	if p, ok := (price.Table{Currency: "USD"}).Over(table).Find("h", "gpt-5"); ok {
		t.Errorf("prices of another currency count: %v", p)
	}
}

func TestBadPriceTablesAreRefused(t *testing.T) {
	for _, bad := range []string{
		``, `[]`, `{"models":[]}`, `{"currency":"USD","models":[{"model":"*","input":1,"output":1}]}`,
		`{"currency":"USD","models":[{"model":"a*b","input":1,"output":1}]}`, `{"currency":"USD","models":[{"model":"a","input":-1}]}`,
		`{"currency":"USD","models":[{"model":"a","cacheRead":-1}]}`, `{"currency":"USD","modells":[]}`,
		`{"currency":"USD","models":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`,
	} {
		if _, err := price.Parse([]byte(bad)); err == nil || fault.From(err).Key != "error.usage.prices" {
			t.Errorf("%s: want an error and Key \"error.usage.prices\", got %v", bad, err)
		}
	}
}

func TestTheTableThatComesWithTheProgramIsGood(t *testing.T) {
	table := price.Default()
	for _, m := range table.Models {
		name := strings.TrimSuffix(m.Model, "*")
		if p, ok := table.Find("any.example", name); !ok || p.Input <= 0 || p.Output < p.Input {
			t.Errorf("%s: want it to be found, Input over 0 and Output at least p.Input, got %+v %v", m.Model, p, ok)
		}
	}
	mini, _ := table.Find("h", "gpt-4o-mini-2024-07-18")
	large, _ := table.Find("h", "gpt-4o-2024-11-20")
	if mini.Input >= large.Input {
		t.Error("the small model has the price of the large one")
	}
}

func TestCostIsCounted(t *testing.T) {
	half := 0.5
	p := price.Price{Input: 2, Output: 10, CacheRead: &half}
	u := price.Usage{Input: 1_000_000, CacheRead: 400_000, CacheWrite: 100_000, Output: 10_000, Reasoning: 5_000}
	// 500,000 fresh and 100,000 written at 2, 400,000 read at 0.5, 10,000 out at 10.
	if got := p.Cost(u); got != 1_500_000_000 || got.String() != "1.50" {
		t.Errorf("want 1_500_000_000 and String \"1.50\", got %d, %s", got, got)
	}
	if got := p.Cost(price.Usage{Input: 10, CacheRead: 20}); got != 10_000 {
		t.Errorf("more cached than there is costs %d", got)
	}
	if got := (price.Price{Input: 1e30}).Cost(u); got <= 0 {
		t.Errorf("an absurd price overflows to %d", got)
	}
	for n, want := range map[price.Nano]string{0: "0.00", 1: "0.000000001", 1_234_500_000: "1.2345", -1_500_000_000: "-1.50", 12_000_000_000: "12.00"} {
		if n.String() != want {
			t.Errorf("%d is %s, want %s", n, n, want)
		}
	}
}
