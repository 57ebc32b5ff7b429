// Package momenttest has the golden file of languages, for tests: locales.json,
// the tables that the bridge reads from Moment, and the texts that Moment writes.
// A test of the plugin makes it with the Moment package
// (plugin/host/locale.test.ts).
package momenttest

import (
	_ "embed"
	"encoding/json"
	"testing"

	"embedded-agent/wasm/internal/protocol"
)

//go:embed locales.json
var locales []byte

// Golden is the golden file.
type Golden struct {
	Formats   []string
	Times     []string   // without a zone: 2006-01-02T15:04:05
	Languages []Language // English first
}

// Language is one language with what Moment writes in it.
type Language struct {
	Locale  protocol.Locale
	Written [][]string // by time, by format
}

// Read gives the golden file. A test that reads one which has lost most of its
// languages, formats or times fails.
func Read(t testing.TB) Golden {
	t.Helper()
	var g Golden
	if err := json.Unmarshal(locales, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Languages) < 20 || len(g.Formats) < 20 || len(g.Times) < 10 {
		t.Fatalf("the golden file has %d languages, %d formats, %d times", len(g.Languages), len(g.Formats), len(g.Times))
	}
	return g
}

// Locale gives the tables of a language by its code, such as "de". A test fails
// that asks for a language which the golden file does not have.
func Locale(t testing.TB, language string) protocol.Locale {
	t.Helper()
	for _, l := range Read(t).Languages {
		if l.Locale.Language == language {
			return l.Locale
		}
	}
	t.Fatalf("the golden file has no %s", language)
	return protocol.Locale{}
}
