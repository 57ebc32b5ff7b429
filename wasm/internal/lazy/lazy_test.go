package lazy

import "testing"

func TestAPatternIsCompiledOnceWhenItIsUsed(t *testing.T) {
	p := Pattern(`^a+$`)
	if !p().MatchString("aa") || p() != p() {
		t.Error("not the pattern")
	}
	broken := Pattern(`(`) // nobody uses it yet
	defer func() {
		if recover() == nil {
			t.Error("a broken pattern was taken")
		}
	}()
	broken()
}
