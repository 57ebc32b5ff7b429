package regex

import "testing"

func TestAPatternIsCompiledOnceWhenItIsUsed(t *testing.T) {
	p := Lazy(`^a+$`)
	first := p()
	if !first.MatchString("aa") || first.MatchString("b") {
		t.Error("not the pattern")
	}
	if again := p(); again != first {
		t.Error("compiled again")
	}
	broken := Lazy(`(`) // nobody uses it yet
	defer func() {
		if recover() == nil {
			t.Error("a broken pattern was taken")
		}
	}()
	broken()
}
