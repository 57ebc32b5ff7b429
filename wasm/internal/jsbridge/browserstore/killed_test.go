//go:build js && wasm && browser

package browserstore_test

import (
	"fmt"
	"strings"
	"syscall/js"
	"testing"
)

// These run in workers that bridge/test/browserstore.browser.test.ts ends: the
// first writes until it is ended, the second looks what it has left.

const killedID, killedFile = "killed", "runs/1/journal.jsonl"

func TestWriterUntilItIsEnded(t *testing.T) {
	if !endless() {
		return
	}
	stores := []records{kinds["opfs"](killedID), kinds["indexeddb"](killedID)}
	for n := 0; ; n++ {
		for _, s := range stores {
			line := fmt.Sprintf("%d %s\n", n, strings.Repeat("x", n%700))
			if err := s.Append(t.Context(), killedFile, []byte(line)); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Println("wrote", n)
	}
}

func TestWhatAWriterThatWasEndedHasLeft(t *testing.T) {
	for _, kind := range kinds {
		s := kind(killedID)
		if holds, err := s.Holds(t.Context()); err != nil || !holds {
			continue // nobody has written
		}
		t.Run(string(s.Kind()), func(t *testing.T) {
			data, err := s.Read(t.Context(), killedFile)
			if err != nil {
				t.Fatal(err)
			}
			whole, torn := lines(string(data))
			for n, line := range whole {
				if want := fmt.Sprintf("%d %s", n, strings.Repeat("x", n%700)); line != want {
					t.Fatalf("line %d is %q", n, line)
				}
			}
			if len(whole) == 0 || torn != "" && !strings.HasPrefix(fmt.Sprintf("%d %s\n", len(whole), strings.Repeat("x", len(whole)%700)), torn) {
				t.Fatalf("after %d lines there is %q", len(whole), torn)
			}
			fmt.Println("found", len(whole), "lines")
			if err := s.Append(t.Context(), killedFile, []byte("next")); err != nil {
				t.Fatal(err)
			}
			if err := s.Clear(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// endless says whether the worker will be ended from outside.
func endless() bool { return js.Global().Get("endless").Truthy() }

// lines gives the whole lines of a text, and what is behind them.
func lines(text string) (whole []string, torn string) {
	all := strings.Split(text, "\n")
	return all[:len(all)-1], all[len(all)-1]
}
