package ahead

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/tool"
)

// aheadBox is a sandbox whose scripts end when the test says so.
type aheadBox struct {
	begun chan string
	end   map[string]chan error
}

func (b *aheadBox) Run(ctx context.Context, s host.Script) ([]byte, error) {
	in := string(s.Input)
	b.begun <- in
	select {
	case err := <-b.end[in]:
		return []byte("out of " + in), err
	case <-ctx.Done():
		return nil, fault.From(ctx.Err())
	}
}

// aheadOf makes a step of n scripts; those that broken names have none.
func aheadOf(t *testing.T, n int, broken ...int) (*Sandbox, *aheadBox) {
	box := &aheadBox{begun: make(chan string, 2*n), end: map[string]chan error{}}
	var args []func() (tool.Args, error)
	for i := range n {
		box.end[fmt.Sprint(i)] = make(chan error, 2)
		args = append(args, func() (tool.Args, error) {
			if slices.Contains(broken, i) {
				return nil, fault.New(fault.Validation, "x", nil)
			}
			return tool.Args{"i": fmt.Sprint(i)}, nil
		})
	}
	a := New(t.Context(), box, args, func(args tool.Args) (host.Script, error) { return scriptNamed(args.String("i")), nil })
	t.Cleanup(a.Stop)
	return a, box
}

func scriptNamed(in string) host.Script { return host.Script{Source: "s", Input: []byte(in)} }

// begun gives the scripts that have begun by now, sorted.
func (b *aheadBox) sorted() string {
	synctest.Wait()
	var all []string
	for len(b.begun) > 0 {
		all = append(all, <-b.begun)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func TestTheScriptsOfTheNextCallsAreComputedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, box := aheadOf(t, 20, 4)
		if got := box.sorted(); got != "" {
			t.Fatalf("before any is needed: %s", got)
		}
		for _, step := range []struct{ run, begun string }{
			{"0", "0 1 2 3 5 6 7 8 9"}, // one, and eight beyond it
			{"1", "10"},
			{"2", "11"},
			{"7", "12 13 14 15"}, // 3, 5 and 6 were known
			{"17", "17 18 19"},   // and many more
		} {
			box.end[step.run] <- nil
			out, err := a.Run(t.Context(), scriptNamed(step.run))
			if err != nil || string(out) != "out of "+step.run {
				t.Fatalf("%s gave %q, %v", step.run, out, err)
			}
			if got := box.sorted(); got != step.begun {
				t.Errorf("with %s began %q, want %q", step.run, got, step.begun)
			}
		}
	})
}

func TestAScriptThatFailsIsTriedAgainByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, box := aheadOf(t, 3)
		broken := fault.New(fault.Sandbox, "tools.code.died", nil)
		box.end["0"] <- broken
		if _, err := a.Run(t.Context(), scriptNamed("0")); !fault.Is(err, fault.Sandbox) {
			t.Fatal(err)
		}
		box.sorted()
		box.end["0"] <- nil
		if out, err := a.Run(t.Context(), scriptNamed("0")); err != nil || string(out) != "out of 0" {
			t.Fatalf("want no error and out \"out of 0\", got %q, %v", out, err)
		}
		if got := box.sorted(); got != "0" {
			t.Errorf("began %q", got)
		}
		box.end["1"] <- nil
		if out, err := a.Run(t.Context(), scriptNamed("1")); err != nil || string(out) != "out of 1" {
			t.Fatalf("want no error and out \"out of 1\", got %q, %v", out, err)
		}
	})
}

func TestAScriptThatNobodyExpectedRunsToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, box := aheadOf(t, 3)
		box.end["other"] = make(chan error, 1)
		box.end["other"] <- nil
		if out, err := a.Run(t.Context(), scriptNamed("other")); err != nil || string(out) != "out of other" {
			t.Fatalf("want no error and out \"out of other\", got %q, %v", out, err)
		}
	})
}

func TestScriptsThatAreNotNeededAnyMoreAreStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, box := aheadOf(t, 20)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := a.Run(ctx, scriptNamed("0"))
			done <- err
		}()
		box.sorted()
		cancel()
		if err := <-done; !fault.Is(err, fault.Cancelled) {
			t.Fatal(err)
		}
		a.Stop()
		synctest.Wait() // the bubble ends only when every script has
	})
}
