package shorten_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/shorten"
	"embedded-agent/wasm/internal/tool"
)

func TestACutOutputIsValidJSONOfTheSameFormWithinTheCap(t *testing.T) {
	value := rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return strings.Repeat(rapid.SampledFrom([]string{"a", "é", "\"", "\n", "😀", "\u2028"}).Draw(t, "char"), rapid.IntRange(0, 3000).Draw(t, "len"))
		case 1:
			return slices.Repeat([]string{"word"}, rapid.IntRange(0, 400).Draw(t, "len"))
		case 2:
			return slices.Repeat([]any{map[string]any{"a": "b"}}, rapid.IntRange(0, 400).Draw(t, "len"))
		}
		return rapid.Float64().Draw(t, "number")
	})
	rapid.Check(t, func(t *rapid.T) {
		data := tool.Data(rapid.MapOfN(rapid.StringN(1, 9, 20), value, 1, 8).Draw(t, "data"))
		limit := rapid.IntRange(200, 4000).Draw(t, "limit")
		before, err := canon.Encode(data)
		if err != nil {
			t.Fatal(err)
		}
		r := &tool.Result{OK: true, Data: data}
		shorten.Cap(nil, limit)(context.Background(), &tool.Call{}, r)
		after, err := canon.Encode(r.Data)
		if err != nil || len(after) > limit || r.Truncated != (len(before) > limit) ||
			strings.Contains(string(after), "\ufffd") && !strings.Contains(string(before), "\ufffd") {
			t.Fatalf("%d bytes of %d with limit %d, truncated %v, %v", len(after), len(before), limit, r.Truncated, err)
		}
		if !r.Truncated && string(before) != string(after) {
			t.Fatal("what fits was changed")
		}
	})
}
