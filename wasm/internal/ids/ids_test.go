package ids_test

import (
	"testing"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/ids"
)

func TestIdsSortByTimeAndSayWhenTheyWereMade(t *testing.T) {
	before := time.Now().Truncate(time.Millisecond)
	a, b := ids.New(), ids.New()
	if a >= b {
		t.Errorf("the second id %s does not sort after the first %s", b, a)
	}
	if at := ids.Time(a, time.Time{}); at.Before(before) || at.After(time.Now()) {
		t.Errorf("the id %s says that it was made at %s, not between %s and now", a, at, before)
	}
	def := time.Unix(7, 0)
	for _, other := range []string{"", "x", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"} {
		if at := ids.Time(other, def); !at.Equal(def) {
			t.Errorf("%q says a time: %s", other, at)
		}
	}
}

func TestAnIdThatLeadsElsewhereIsNoRun(t *testing.T) {
	for _, id := range []string{"", "..", "a/b", `a\b`, "a.b", "/"} {
		if err := ids.CheckRun(id); !fault.Is(err, fault.NotFound) {
			t.Errorf("CheckRun(%q) = %v, expected NOT_FOUND", id, err)
		}
	}
	if err := ids.CheckRun(ids.New()); err != nil {
		t.Errorf("a new id is refused: %v", err)
	}
}
