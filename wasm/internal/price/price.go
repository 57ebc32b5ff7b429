// Package price knows what tokens cost: a table of prices that a person may edit,
// and sums of money that are exact.
package price

import (
	_ "embed"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/jsontree"
)

// Price is the cost of a million tokens, in the currency of the table. Cached input has its own prices; where one is not
// given, Input counts.
type Price struct {
	Input      float64  `json:"input"`
	Output     float64  `json:"output"`
	CacheRead  *float64 `json:"cacheRead,omitempty"`
	CacheWrite *float64 `json:"cacheWrite,omitempty"`
	// Window is how many tokens the model takes, 0 where it is not known.
	Window int `json:"window,omitempty"`
}

// Entry is the price of the models that a pattern names.
type Entry struct {
	// Model is a model's name; a star at its end stands for any text. A vendor in front of a name (openai/gpt-5) is
	// ignored unless the pattern has one too.
	Model string `json:"model"`
	// Host limits the price to one host; empty means any.
	Host string `json:"host,omitempty"`
	Price
}

// Table is a list of prices, as a person may edit it.
type Table struct {
	Currency string `json:"currency"`
	// Updated is the day on which somebody last looked at the prices, YYYY-MM-DD.
	Updated string  `json:"updated,omitempty"`
	Models  []Entry `json:"models"`
}

//go:embed prices.json
var defaultPrices []byte

// Default is the table that comes with the program. Prices change: it is a start to be edited.
func Default() Table {
	t, err := Parse(defaultPrices)
	if err != nil {
		panic("price: the built-in price table is broken: " + err.Error())
	}
	return t
}

// DefaultText is Default as a person may begin to edit it.
func DefaultText() string { return string(defaultPrices) }

// Parse reads a table. What makes no sense (unknown fields, names without text, negative prices) is
// VALIDATION_ERROR.
func Parse(data []byte) (Table, error) {
	if err := jsontree.Check(data); err != nil {
		return Table{}, unusable(err.Error())
	}
	var t Table
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&t); err != nil {
		return Table{}, unusable(err.Error())
	}
	if t.Currency == "" {
		return Table{}, unusable("the currency is missing")
	}
	for i, m := range t.Models {
		if strings.Trim(m.Model, "*") == "" || strings.Contains(strings.TrimSuffix(m.Model, "*"), "*") {
			return Table{}, unusable("model " + strconv.Itoa(i+1) + " has no usable name")
		}
		for _, p := range []*float64{&m.Input, &m.Output, m.CacheRead, m.CacheWrite} {
			if p != nil && *p < 0 {
				return Table{}, unusable("a price of " + m.Model + " is negative")
			}
		}
		if m.Window < 0 {
			return Table{}, unusable("the window of " + m.Model + " is negative")
		}
	}
	return t, nil
}

func unusable(detail string) error {
	return fault.New(fault.Validation, "error.usage.prices", fault.P{"detail": detail})
}

// Over gives a table in which the prices of t come before those of base.
func (t Table) Over(base Table) Table {
	if t.Currency != base.Currency {
		return t
	}
	t.Models = append(append([]Entry(nil), t.Models...), base.Models...)
	return t
}

// Find gives the price of a model at a host: the longest pattern that fits, one for the host before one for any, and the
// first of equals.
func (t Table) Find(host, model string) (Price, bool) {
	best, found := -1, Price{}
	for _, m := range t.Models {
		if (m.Host != "" && m.Host != host) || !fitsPattern(m.Model, model) {
			continue
		}
		rank := 2 * len(m.Model)
		if m.Host != "" {
			rank += 1 << 20
		}
		if !strings.HasSuffix(m.Model, "*") {
			rank++
		}
		if rank > best {
			best, found = rank, m.Price
		}
	}
	return found, best >= 0
}

func fitsPattern(pattern, model string) bool {
	if slash := strings.LastIndexByte(model, '/'); slash >= 0 && !strings.Contains(pattern, "/") {
		model = model[slash+1:]
	}
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(model, prefix)
	}
	return pattern == model
}

// Nano is an amount of money in billionths of the unit of a currency, so that sums are exact.
type Nano int64

// String is the amount with as many decimals as it needs, at least two.
func (n Nano) String() string {
	sign := ""
	u := uint64(n)
	if n < 0 {
		sign, u = "-", -u
	}
	whole, rest := u/1e9, strconv.FormatUint(u%1e9, 10)
	rest = strings.TrimRight(strings.Repeat("0", 9-len(rest))+rest, "0")
	for len(rest) < 2 {
		rest += "0"
	}
	return sign + strconv.FormatUint(whole, 10) + "." + rest
}

// Cost gives the cost of tokens at a price.
func (p Price) Cost(u Usage) Nano {
	read, write := p.Input, p.Input
	if p.CacheRead != nil {
		read = *p.CacheRead
	}
	if p.CacheWrite != nil {
		write = *p.CacheWrite
	}
	fresh := max(u.Input-u.CacheRead-u.CacheWrite, 0)
	perMillion := float64(fresh)*p.Input + float64(u.CacheRead)*read + float64(u.CacheWrite)*write + float64(u.Output)*p.Output
	nano := math.Round(perMillion * 1000)
	if !(nano < math.MaxInt64) {
		return math.MaxInt64
	}
	return Nano(nano)
}
