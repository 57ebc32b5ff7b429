package server

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/chat"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/usage"
)

const euros = `{"currency":"EUR","updated":"2026-11-01","models":[{"model":"m","input":2,"output":10,"cacheRead":0.5,"window":64000}]}`

func usageOf(ui *panel) protocol.UsageReport {
	ui.t.Helper()
	return call[protocol.UsageReport](ui, "usage.get", protocol.Empty{})
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestWhatATurnUsedAndCostIsShownAndKept(t *testing.T) {
	mem := ideasVault()
	set := custom
	set.Prices = euros
	bad := strings.Replace(bulletsPlan, "util.joinLines", "util.joinAll", 1)
	ui, _ := endpoint(t, mem, set, calls(bad), calls(bulletsPlan))
	turn := ui.say("make notes")
	// Two requests, of 3,000 tokens in and 50 out each.
	if u := turn.Usage; u == nil || u.Input != 6000 || u.Output != 100 || !u.Priced || !near(u.Cost, 0.013) {
		t.Fatalf("want something, Input 6000, Output 100, Priced true and Cost near 0.013, got %+v", turn.Usage)
	}
	check := func(ui *panel) {
		t.Helper()
		r := usageOf(ui)
		if r.Currency != "EUR" || r.PricesOf != "2026-11-01" || len(r.Rows) != 1 {
			t.Fatalf("want Currency \"EUR\", PricesOf \"2026-11-01\" and 1 Rows, got %+v", r)
		}
		row := r.Rows[0]
		if row.Host != "model.test:1" || row.Model != "m" || row.Calls != 2 || row.Input != 6000 || row.Output != 100 || !near(row.Cost, 0.013) || row.Unpriced != 0 || len(row.Day) != 10 {
			t.Errorf("want Host \"model.test:1\", Model \"m\", Calls 2, Input 6000, Output 100, Cost near 0.013, Unpriced 0 and 10 Day, got %+v", row)
		}
	}
	check(ui)
	ui.s.Close()
	ui, _ = endpoint(t, mem, set)
	check(ui) // after another start

	text := call[protocol.Document](ui, "usage.export", protocol.UsageExport{Format: "csv"}).Text
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(records) != 2 || records[1][1] != "model.test:1" || records[1][4] != "6000" || records[0][9] != "cost_eur" || records[1][9] != "0.013" {
		t.Errorf("want no error, 2 records, records[1][1] \"model.test:1\", records[1][4] \"6000\", records[0][9] \"cost_eur\" and records[1][9] \"0.013\", got %v %q", err, records)
	}
	var back usage.Ledger
	lerr := json.Unmarshal([]byte(call[protocol.Document](ui, "usage.export", protocol.UsageExport{Format: "json"}).Text), &back)
	if lerr != nil || back.Total().Input != 6000 {
		t.Errorf("want no error and Total.Input 6000, got %v %+v", lerr, back)
	}
	if _, err := try[protocol.Document](ui, "usage.export", protocol.UsageExport{Format: "xls"}); !fault.Is(err, fault.Validation) {
		t.Error(err)
	}
}

func TestAnAgentAndAConnectionTestAreCountedToo(t *testing.T) {
	set := custom
	set.Prices = euros
	ui, _ := endpoint(t, ideasVault(), set, calls(`{"goal":"x"}`), inOnePiece(`"content":"Done."`))
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "look", Mode: protocol.ModeAgent, Conversation: "c"})
	if turn := ui.turnEnd(); turn.Usage == nil || turn.Usage.Input != 3100 || !turn.Usage.Priced {
		t.Errorf("want Usage set, Usage.Input 3100 and Usage.Priced true, got %+v", turn.Usage)
	}
	if r := usageOf(ui); len(r.Rows) != 1 || r.Rows[0].Calls != 2 {
		t.Errorf("want 1 Rows and Rows[0].Calls 2, got %+v", r)
	}
	mem := ideasVault()
	answers := probed(true, true)
	answers[1] = calls(`{"goal":"x"}`) // counts 3,000
	ui, _ = endpoint(t, mem, set, answers...)
	call[protocol.TestResult](ui, "connection.test", protocol.Empty{})
	if r := usageOf(ui); len(r.Rows) != 1 || r.Rows[0].Input != 3000 {
		t.Errorf("want 1 Rows and Rows[0].Input 3000, got %+v", r)
	}
}

func TestAnAnswerThatCountsNoTokensIsACallWithoutAPrice(t *testing.T) {
	set := custom
	set.Prices = euros
	ui, _ := endpoint(t, ideasVault(), set, streamed("Hello."), llmtest.Answer{Status: 401, Body: []byte(`{}`)})
	if turn := ui.say("hello"); turn.Usage != nil {
		t.Errorf("want no Usage, got %+v", turn.Usage)
	}
	ui.say("again") // refused: no call
	if r := usageOf(ui); len(r.Rows) != 1 || r.Rows[0].Calls != 1 || r.Rows[0].Unpriced != 1 || r.Rows[0].Cost != 0 {
		t.Errorf("want 1 Rows, Rows[0].Calls 1, Rows[0].Unpriced 1 and Rows[0].Cost 0, got %+v", r)
	}
}

func TestABrokenPriceTableIsRefusedAndAllOtherSettingsHold(t *testing.T) {
	set := custom
	set.Prices = euros
	ui, _ := endpoint(t, ideasVault(), set)
	next := set
	next.Prices, next.AllowDeletes = "{", true
	if _, err := try[protocol.State](ui, "configure", next); !fault.Is(err, fault.Validation) || fault.From(err).Key != "error.usage.prices" {
		t.Error(err)
	}
	if r := usageOf(ui); r.Currency != "EUR" {
		t.Errorf("the old table is gone: %+v", r)
	}
	if !ui.s.guard.Policy().AllowDeletes {
		t.Error("the other settings do not hold")
	}
	next.Prices = ""
	call[protocol.State](ui, "configure", next)
	if r := usageOf(ui); r.Currency != "USD" || r.PricesOf == "" {
		t.Errorf("want Currency \"USD\" and PricesOf set, got %+v", r)
	}
}

func TestABrokenPriceTableDoesNotKeepTheCoreFromStarting(t *testing.T) {
	set := custom
	set.Prices = "{"
	ui, _ := endpoint(t, ideasVault(), set)
	e := ui.await("notice", func(e protocol.Event) bool { return e.Type == protocol.EventNotice })
	if e.Notice.Text.Key != "usage.prices" || e.Notice.Text.Params["detail"] == "" {
		t.Errorf("want Notice.Text.Key \"usage.prices\" and Notice.Text.Params[\"detail\"] set, got %+v", e.Notice)
	}
	if r := usageOf(ui); r.Currency != "USD" {
		t.Errorf("want Currency \"USD\", got %+v", r)
	}
}

func TestModelsAreKeptWithTheirDateAndGivenWhenTheEndpointIsSilent(t *testing.T) {
	mem := ideasVault()
	list := llmtest.Answer{Body: []byte(`{"data":[{"id":"b"},{"id":"a","context_length":32000}]}`)}
	ui, tr := endpoint(t, mem, custom, list)
	first := call[protocol.Models](ui, "models.list", protocol.Empty{})
	if strings.Join(first.Models, " ") != "a b" || first.FetchedAt == "" || first.Problem != nil {
		t.Fatalf("want \"a b\", FetchedAt set and no Problem, got %+v", first)
	}
	if again := call[protocol.Models](ui, "models.list", protocol.Empty{}); len(tr.Requests()) != 1 || again.FetchedAt != first.FetchedAt {
		t.Errorf("asked again: %+v", again)
	}
	// Too old, and nobody answers.
	book := strings.Replace(string(mem.StoreFiles()[chat.EndpointsFile]), first.FetchedAt, "2020-01-01T00:00:00Z", 1)
	if err := mem.Host().Store.Write(t.Context(), chat.EndpointsFile, []byte(book)); err != nil {
		t.Fatal(err)
	}
	ui, tr = endpoint(t, mem, custom, llmtest.Answer{Status: 500, Body: []byte(`{}`)})
	old := call[protocol.Models](ui, "models.list", protocol.Empty{})
	if strings.Join(old.Models, " ") != "a b" || old.FetchedAt != "2020-01-01T00:00:00Z" || old.Problem == nil || len(tr.Requests()) != 1 {
		t.Errorf("want \"a b\", FetchedAt \"2020-01-01T00:00:00Z\", Problem set and 1 Requests, got %+v", old)
	}
}
