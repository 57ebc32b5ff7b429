package pace

import (
	"testing"
	"time"
)

// A disk that takes so long for each file: how many files are asked for at last,
// and how long the longest answer took.
func TestASlowDiskIsAskedForLessAndAQuickOneForMore(t *testing.T) {
	for _, c := range []struct {
		each    time.Duration
		last    int
		longest time.Duration
	}{
		{0, 64, 0},
		{6 * time.Millisecond, 64, 400 * time.Millisecond},
		{100 * time.Millisecond, 64, 6400 * time.Millisecond},
		{time.Second, 8, 8 * time.Second},
		{3 * time.Second, 4, 24 * time.Second},
		{7 * time.Second, 2, 56 * time.Second},
	} {
		p, longest := New(64), time.Duration(0)
		for range 20 {
			took := time.Duration(p.Next()) * c.each
			longest = max(longest, took)
			p.Took(took)
			if p.Quick() != (took < quick) {
				t.Errorf("%v: quick is %v", took, p.Quick())
			}
		}
		if p.Next() != c.last || longest > c.longest {
			t.Errorf("%v each: %d at last, %v the longest; want %d, %v", c.each, p.Next(), longest, c.last, c.longest)
		}
	}
}

func TestADiskThatBecomesQuickIsAskedForMoreAgain(t *testing.T) {
	p := New(64)
	for range 5 {
		p.Took(time.Minute)
	}
	if p.Next() != 1 {
		t.Fatalf("%d after a slow time", p.Next())
	}
	for range 6 {
		p.Took(0)
	}
	if p.Next() != 64 {
		t.Errorf("%d after a quick time", p.Next())
	}
}
