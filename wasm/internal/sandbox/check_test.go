package sandbox_test

import (
	"runtime"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/sandbox"
)

func TestAScriptIsReadBeforeItRuns(t *testing.T) {
	for script, want := range map[string]string{
		"def main(x):\n  return x":                                            "",
		"def main(*args):\n  return 1":                                        "",
		"def main(x, y=1):\n  return x":                                       "",
		"def main(x=None, **kw):\n  return x":                                 "",
		"main = lambda x: x":                                                  "",
		"def other(x): return x\nmain = other":                                "",
		"def main(x):\n  return [json.encode(x), re.escape('a'), time.now()]": "",
		"def main(x):\n  while True: pass":                                    "", // nothing is executed
		"fail('now')\ndef main(x): return 1":                                  "",

		"x = 1":                                  "no function main(input)",
		"def man(x): return 1":                   "no function main(input)",
		"def main(): return 1":                   "line 1: main has to take one value",
		"x = 1\ndef main(a, b): return 1":        "line 2: main has to take one value",
		"def main(a, *, b): return 1":            "main has to take one value",
		"def main(x):\n  return y":               "line 2:10: undefined: y",
		"def main(x):\n  return sum(x)":          "undefined: sum",
		"def main(x):\n  return f\"{x}\"":        "line 2:",
		"import re\ndef main(x): return 1":       "line 1:",
		"def main(x):\n  try:\n    return 1":     "line 2:",
		"def main(x):\n  return x is None":       "line 2:",
		"def main(x):\n  return x ** 2":          "line 2:",
		"class A:\n  pass":                       "line 1:",
		"load('os', 'a')\ndef main(x): return a": "cannot be loaded",
		"def main(x):\n  return '" + strings.Repeat("x", sandbox.MaxScript) + "'": "more than 65536 bytes",
	} {
		err := sandbox.Check(script)
		if said := problemOf(err); (said == "") != (want == "") || !strings.Contains(said, want) {
			t.Errorf("%.60s: %q, want %q", script, said, want)
		}
	}
}

func problemOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestAScriptThatIsNestedWithoutEndIsReadInLittleMemory has scripts that a reader
// would follow as deep as they are long: the core reads them, so it must not die.
func TestAScriptThatIsNestedWithoutEndIsReadInLittleMemory(t *testing.T) {
	const most = 48 << 20
	for deep, want := range map[string]string{
		strings.Repeat("(", 60_000): "excessive nesting", strings.Repeat("[", 60_000): "excessive nesting", strings.Repeat("{1:", 20_000): "excessive nesting",
		strings.Repeat("-", 60_000): "excessive nesting", strings.Repeat("not ", 15_000): "excessive nesting", strings.Repeat("lambda:", 9_000): "excessive nesting",
		strings.Repeat("1 if 1 else ", 5_000): "excessive nesting", strings.Repeat("f(", 30_000): "excessive nesting",
		strings.Repeat("1+", 32_000) + "1": "no function main", strings.Repeat("1 and ", 10_000) + "1": "no function main",
		"re" + strings.Repeat(".a", 32_000): "no function main", "re" + strings.Repeat("()", 32_000): "no function main", "re" + strings.Repeat("[1]", 21_000): "no function main",
		"[1" + strings.Repeat(" for x in re", 5_400) + "]": "no function main", "1\nif x: pass\n" + strings.Repeat("elif x: pass\n", 5_000): "no function main",
	} {
		err := sandbox.Check("x = " + deep)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %v, want %s", deep, err, want)
		}
		var m runtime.MemStats
		if runtime.ReadMemStats(&m); m.StackInuse > most {
			t.Errorf("%.20s took %d MB of stack", deep, m.StackInuse>>20)
		}
	}
}

func TestALargeInputHasMemoryOfItsOwnByItsLengthAlone(t *testing.T) {
	for _, c := range []struct{ mb, input, want int }{
		{128, 0, 128}, {128, 1 << 20, 128}, {128, 1<<20 + 1, 192}, {128, 8 << 20, 256}, {64, 8 << 20, 192}, {128, sandbox.MaxInput, 128 + 832},
	} {
		if got := sandbox.Memory(c.mb, c.input); got != c.want {
			t.Errorf("%d bytes beside %d MB: %d, want %d", c.input, c.mb, got, c.want)
		}
	}
	if err := sandbox.Fits(make([]byte, sandbox.MaxInput)); err != nil {
		t.Error(err)
	}
	if err := sandbox.Fits(make([]byte, sandbox.MaxInput+1)); !fault.Is(err, fault.Sandbox) {
		t.Error(err)
	}
}
