package usage_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/usage"
)

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
		t.Errorf("want no error and equal to want, got %v\n%s", err, cmp.Diff(want, got))
	}
	data, err := l.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var back usage.Ledger
	err = json.Unmarshal(data, &back)
	if diff := cmp.Diff(l, back); err != nil || diff != "" {
		t.Errorf("it differs from what was wanted (-want +got): %v %s", err, diff)
	}
	if total := l.Total(); total.Calls != 4 || total.Input != 32 || total.Cost != 13 || total.Unpriced != 1 {
		t.Errorf("want Calls 4, Input 32, Cost 13 and Unpriced 1, got %+v", total)
	}
	if days := l.By(true, false, false); len(days.Rows) != 2 || days.Rows[1].Calls != 3 {
		t.Errorf("want 2 Rows and Rows[1].Calls 3, got %+v", days)
	}
	if late := l.Since("2026-11-20"); len(late.Rows) != 2 {
		t.Errorf("want 2 Rows, got %+v", late)
	}
	euro := usage.Ledger{Currency: "EUR"}.Merge(l)
	if total := euro.Total(); total.Cost != 0 || total.Unpriced != 4 || total.Input != 32 {
		t.Errorf("money of another currency was added: %+v", total)
	}
	if (usage.Ledger{}).Total() != (usage.LedgerRow{}) {
		t.Error("nothing amounts to something")
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
			t.Fatal("it differs from what was wanted (-want +got):", diff)
		}
		cut := rapid.IntRange(0, len(all)).Draw(t, "cut")
		merged := sum(all[:cut]).Merge(sum(all[cut:]))
		if len(all) > 0 && !cmp.Equal(whole, merged) {
			t.Fatal("want the merged rows to be the whole, got:", cmp.Diff(whole, merged))
		}
	})
}
