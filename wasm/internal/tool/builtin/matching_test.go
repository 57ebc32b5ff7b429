package builtin_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/tool"
)

// tired is a context that ends when it was asked so often whether it has; no
// timer and no message says so, as in the app while the core computes.
type tired struct {
	context.Context
	asked, most int
}

func (c *tired) Err() error {
	if c.asked++; c.asked > c.most {
		return context.Canceled
	}
	return nil
}

func (*tired) Deadline() (time.Time, bool) { return time.Time{}, false }

// TestAnExpressionThatTakesTheSquareOfALineIsStoppedBetweenItsMatches counts how
// often a call asks whether it is to go on: for each match, and no more once it
// has been told to end.
func TestAnExpressionThatTakesTheSquareOfALineIsStoppedBetweenItsMatches(t *testing.T) {
	const n = 2_000
	for name, c := range map[string]struct {
		unit string
		args tool.Args
	}{
		"vault.replaceText": {"a", tool.Args{"path": "B.md", "find": `a(.*b)?`, "replace": "x", "regex": true}},
		"vault.searchText":  {"a\n", tool.Args{"query": `a(?s:.*b)?`, "regex": true}},
	} {
		t.Run(name, func(t *testing.T) {
			call := func(most int) (int, error) {
				h := hosttest.New(hosttest.Options{Files: files{"B.md": strings.Repeat(c.unit, n)}}).Host()
				env := viewEnv(h, overlay.New(overlay.NewBase(h.Vault, h.Editor, now)).For("call"))
				ctx := &tired{t.Context(), 0, most}
				e, err := registry(t).Get(name, "")
				if err != nil {
					t.Fatal(err)
				}
				_, err = e.Run(ctx, env, c.args)
				return ctx.asked, err
			}
			if asked, err := call(1 << 30); err != nil || asked < n {
				t.Fatalf("asked %d times for %d matches: %v", asked, n, err)
			}
			asked, err := call(n / 2)
			if !fault.Is(err, fault.Cancelled) && !errors.Is(err, context.Canceled) {
				t.Errorf("it has not ended: %v", err)
			}
			if asked > n/2+20 {
				t.Errorf("asked %d times after it was told to end", asked-n/2)
			}
		})
	}
}
