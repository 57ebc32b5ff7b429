package llm_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/usage"
)

func TestTokenEstimatesAreNearWhatIsCounted(t *testing.T) {
	// Counted with the o200k vocabulary, rounded.
	for text, want := range map[string]int{
		"":      0,
		"Hello": 1,
		"The quick brown fox jumps over the lazy dog.":                                         10,
		"Every note in this folder should have a tag, a date and a link to its index page.":    18,
		"# Heading\n\n- [ ] Call Anna\n- [x] Write the report\n\n```go\nfunc main() {}\n```\n": 30,
		"Die Notizen der letzten Woche zusammenfassen und die offenen Aufgaben verschieben.":   18,
		"昨日の会議のメモを要約して、未完了のタスクを移動してください。":                                                      25,
		"把上周的会议记录整理成一个列表，并给每条笔记加上标签。":                                                          24,
		"Сделай список всех заметок с этим тегом и отсортируй их по дате.":                     16,
		"🙂🙂🙂": 3,
	} {
		got := llm.EstimateTokens(text)
		if float64(got) < 0.6*float64(want)-1 || float64(got) > 1.6*float64(want)+4 {
			t.Errorf("%q: %d, counted %d", text, got, want)
		}
	}
}

func TestTokenEstimatesGrowWithTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		both := llm.EstimateTokens(a + b)
		if both < llm.EstimateTokens(a) || both > llm.EstimateTokens(a)+llm.EstimateTokens(b)+2 {
			t.Fatalf("%d for both, %d and %d", both, llm.EstimateTokens(a), llm.EstimateTokens(b))
		}
	})
}

func TestTokenEstimatesAreNearWhatProvidersCounted(t *testing.T) {
	var ratios []float64
	for _, file := range llmtest.Recordings(t, "chat-nonstream", ".json") {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c struct {
			Choices []struct {
				Message struct {
					Content   string `json:"content"`
					Reasoning string `json:"reasoning_content"`
				} `json:"message"`
			} `json:"choices"`
			Usage struct {
				Completion int `json:"completion_tokens"`
				Details    struct {
					Reasoning int `json:"reasoning_tokens"`
				} `json:"completion_tokens_details"`
			} `json:"usage"`
		}
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatalf("%s: %v", filepath.Base(file), err)
		}
		counted := c.Usage.Completion - c.Usage.Details.Reasoning
		if text := c.Choices[0].Message.Content; counted >= 40 && c.Choices[0].Message.Reasoning == "" && len(text) > 150 {
			ratios = append(ratios, float64(llm.EstimateTokens(text))/float64(counted))
		}
	}
	sort.Float64s(ratios)
	if len(ratios) < 5 {
		t.Fatalf("only %d answers to compare with", len(ratios))
	}
	if median := ratios[len(ratios)/2]; median < 0.75 || median > 1.35 {
		t.Errorf("estimates are %.2f of what was counted (%.2f)", median, ratios)
	}
}

func TestEstimatesCountEverythingThatIsSent(t *testing.T) {
	r := hello()
	sum := llm.EstimateRequest(r)
	for name, grow := range map[string]func(*llm.Request){
		"a message": func(r *llm.Request) { r.Messages = append(r.Messages, llm.UserMessage("And more.")) },
		"a tool": func(r *llm.Request) {
			r.Tools = []llm.Tool{{Name: "vault.list", Description: "Lists notes.", Parameters: []byte(`{}`)}}
		},
		"an image": func(r *llm.Request) {
			r.Messages = append(r.Messages, llm.UserMessage("", llm.Image("image/png", "AAAA")))
		},
		"a schema": func(r *llm.Request) { r.Format = &llm.Format{Schema: []byte(`{"type":"object"}`)} },
		"a call": func(r *llm.Request) {
			r.Messages = append(r.Messages, llm.AssistantMessage(llm.Call("a", "t", []byte(`{"a":1}`))))
		},
		"thinking": func(r *llm.Request) {
			r.Messages = append(r.Messages, llm.AssistantMessage(llm.Block{Type: llm.BlockThinking, Thinking: "Hm, hm."}))
		},
		"an item": func(r *llm.Request) {
			r.Messages = append(r.Messages, llm.AssistantMessage(llm.Block{Type: llm.BlockOpaque, Raw: []byte(`{"a":1}`)}))
		},
	} {
		more := hello()
		grow(&more)
		if llm.EstimateRequest(more) <= sum {
			t.Errorf("%s costs nothing", name)
		}
	}
}

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
			t.Errorf("%s at %s: %v %v", c.model, c.host, p, ok)
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
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestTheTableThatComesWithTheProgramIsGood(t *testing.T) {
	table := price.Default()
	for _, m := range table.Models {
		name := strings.TrimSuffix(m.Model, "*")
		if p, ok := table.Find("any.example", name); !ok || p.Input <= 0 || p.Output < p.Input {
			t.Errorf("%s: %+v %v", m.Model, p, ok)
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
		t.Errorf("%d, %s", got, got)
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
	table := price.Table{Currency: "EUR", Models: []price.Entry{{Model: "m", Price: p}}}
	r := hello()
	low, ok := llm.EstimateCost(table, "h", r, 1000)
	r.MaxTokens = 2000
	high, _ := llm.EstimateCost(table, "h", r, 1000)
	if !ok || high-low != 10_000_000 {
		t.Errorf("%d and %d", low, high)
	}
	r.Model = "unknown"
	if _, ok := llm.EstimateCost(table, "h", r, 1000); ok {
		t.Error("a model without a price has a cost")
	}
}

func spent(day, model string, input int64, cost price.Nano, known bool) usage.Spent {
	return usage.Spent{Day: day, Host: "h", Model: model, Usage: price.Usage{Input: input, Output: 1}, Cost: cost, Known: known}
}

func TestTheLedgerAddsUp(t *testing.T) {
	l := usage.Ledger{Currency: "USD"}
	l = l.Add(spent("2026-11-20", "b", 10, 5, true)).Add(spent("2026-11-20", "b", 20, 0, false))
	l = l.Add(spent("2026-11-19", "a", 1, 7, true)).Add(spent("2026-11-20", "=cmd()", 1, 1, true))
	want := "day,host,model,calls,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,reasoning_tokens,cost_usd,calls_without_price\n" +
		"2026-11-19,h,a,1,1,1,0,0,0,0.000000007,0\n" +
		"2026-11-20,h,'=cmd(),1,1,1,0,0,0,0.000000001,0\n" +
		"2026-11-20,h,b,2,30,2,0,0,0,0.000000005,1\n"
	if got, err := l.CSV(); err != nil || got != want {
		t.Errorf("%v\n%s", err, cmp.Diff(want, got))
	}
	data, err := l.JSON()
	if err != nil {
		t.Fatal(err)
	}
	back, err := usage.ParseLedger(data)
	if diff := cmp.Diff(l, back); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if total := l.Total(); total.Calls != 4 || total.Input != 32 || total.Cost != 13 || total.Unpriced != 1 {
		t.Errorf("%+v", total)
	}
	if days := l.By(true, false, false); len(days.Rows) != 2 || days.Rows[1].Calls != 3 {
		t.Errorf("%+v", days)
	}
	if late := l.Since("2026-11-20"); len(late.Rows) != 2 {
		t.Errorf("%+v", late)
	}
	euro := usage.Ledger{Currency: "EUR"}.Merge(l)
	if total := euro.Total(); total.Cost != 0 || total.Unpriced != 4 || total.Input != 32 {
		t.Errorf("money of another currency was added: %+v", total)
	}
	if (usage.Ledger{}).Total() != (usage.LedgerRow{}) {
		t.Error("nothing amounts to something")
	}
	if _, err := usage.ParseLedger([]byte(`{"rows":3}`)); err == nil || fault.From(err).Key != "error.usage.ledger" {
		t.Error(err)
	}
}

func TestTheOrderOfAnswersDoesNotMatterToTheLedger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []usage.Spent
		for range rapid.IntRange(0, 12).Draw(t, "answers") {
			all = append(all, spent(rapid.SampledFrom([]string{"2026-01-01", "2026-01-02"}).Draw(t, "day"),
				rapid.SampledFrom([]string{"a", "b"}).Draw(t, "model"), rapid.Int64Range(0, 1e9).Draw(t, "input"),
				price.Nano(rapid.Int64Range(0, 1e12).Draw(t, "cost")), rapid.Bool().Draw(t, "known")))
		}
		sum := func(list []usage.Spent) usage.Ledger {
			l := usage.Ledger{Currency: "USD"}
			for _, s := range list {
				l = l.Add(s)
			}
			return l
		}
		whole := sum(all)
		if diff := cmp.Diff(whole, sum(rapid.Permutation(all).Draw(t, "order"))); diff != "" {
			t.Fatal(diff)
		}
		cut := rapid.IntRange(0, len(all)).Draw(t, "cut")
		merged := sum(all[:cut]).Merge(sum(all[cut:]))
		if len(all) > 0 && !cmp.Equal(whole, merged) {
			t.Fatal(cmp.Diff(whole, merged))
		}
	})
}

func TestADayBeginsWhereThePersonIs(t *testing.T) {
	const noonUTC = 1_795_176_000_000 // 2026-11-20T12:00:00Z
	for minutes, want := range map[int]string{0: "2026-11-20", 13 * 60: "2026-11-21", -13 * 60: "2026-11-19"} {
		if got := usage.Day(noonUTC, minutes); got != want {
			t.Errorf("%d minutes east: %s, want %s", minutes, got, want)
		}
	}
}
