//go:build !js

package child_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/sandbox"
	"embedded-agent/wasm/internal/sandbox/child"
)

// TestMain is the child, where this test was started as one.
func TestMain(m *testing.M) {
	child.Main()
	os.Exit(m.Run())
}

func newRunner(t *testing.T) *child.Runner {
	t.Helper()
	r := child.New()
	t.Cleanup(r.Close)
	return r
}

func script(body string) host.Script {
	return host.Script{
		Source: body, Input: []byte(`{"text":"x"}`), Now: time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC),
		Limits: host.ScriptLimits{Time: 1500 * time.Millisecond, MB: 96},
	}
}

const honest = "def main(x):\n  return x['text'] * 3"

// escapes are attempts to get out of the sandbox or to take all there is, by
// class. All must end as SANDBOX_ERROR, within the limits.
var escapes = map[string][]string{
	"imports": {
		"load('os', 'system')\ndef main(x): return system('id')",
		"import os\ndef main(x): return os.environ",
		"def main(x): return __import__('os').getcwd()",
		"load('//:main.js', 'x')\ndef main(y): return x",
		"def main(x): return exec('1')",
	},
	"recursion": {
		"def main(x): return main(x)",
		"def a(x): return b(x)\ndef b(x): return a(x)\ndef main(x): return a(x)",
		"def main(x): return sorted([1, 2], key=lambda v: main(v))",
		"f = [None]\ndef main(x): return f[0](x)\nf[0] = main",
		"def main(x): return re.sub('x', lambda m: main(x), x['text'])",
		"y = lambda f: (lambda x: x(x))(lambda x: f(lambda v: x(x)(v)))\ndef main(x): return y(lambda s: lambda n: s(n + 1))(0)",
	},
	"giant integers": {
		"def main(x):\n  n = 3\n  while True: n = n * n\n  return n",
		"def main(x):\n  n = 1 << 511\n  for i in range(64): n = n * n\n  return n",
		"def main(x): return 1 << 100000000",
		"def main(x):\n  n = 7\n  for i in range(40): n = n * n * n\n  return str(n)",
		"def main(x): return int('9' * 50000000)",
	},
	"text that doubles": {
		"def main(x):\n  s = 'a'\n  while True: s = s + s\n  return s",
		"def main(x): return 'abc' * 1000000000",
		"def main(x):\n  s = ['a' * 1000000]\n  for i in range(30): s = s + s\n  return ''.join(s)",
		"def main(x):\n  s = 'a' * 1000\n  for i in range(20): s = s.replace('a', s)\n  return len(s)",
		"def main(x):\n  s = 'aaaa'\n  for i in range(40): s = re.sub('a', 'aaaa', s)\n  return len(s)",
		"def main(x): return len('%s' * 1000000 % tuple(['a' * 100000] * 1000000))",
	},
	"deep nesting": {
		"def main(x):\n  l = []\n  for i in range(2000000): l = [l]\n  return l",
		"def main(x):\n  l = []\n  for i in range(2000000): l = [l]\n  return str(l)",
		"def main(x): return json.decode('[' * 5000000)",
		"def main(x):\n  l = []\n  for i in range(2000000): l = (l,)\n  return json.encode(l)",
		"def main(x): return " + strings.Repeat("(", 30000) + "1" + strings.Repeat(")", 30000),
		"def main(x): return " + strings.Repeat("-", 60000) + "1",
		"def main(x): return " + strings.Repeat("not ", 15000) + "1",
		"def main(x): return 1" + strings.Repeat(" if 1 else 1", 5000) + " .x",
		nestedBlocks(200),
	},
	"endless loops": {
		"def main(x):\n  while True: pass",
		"while True: pass",
		"def main(x):\n  for a in range(1 << 30):\n    for b in range(1 << 30): pass",
		"def main(x): return [0 for a in range(1 << 30) for b in range(1 << 30)]",
		"def main(x):\n  l = [1]\n  for i in l: l.append(i)",
		"def main(x): return max(range(1 << 40), key=lambda v: v)",
		"def main(x): return (1 << 40) in [i for i in range(1 << 40)]",
	},
	"huge output": {
		"def main(x): return 'a' * 100000000",
		"def main(x): return list(range(3000000))",
		"def main(x):\n  l = ['a' * 1000] * 1000\n  return [l] * 1000",
		"def main(x):\n  l = [1]\n  for i in range(40): l = [l, l]\n  return l",
		"def main(x): fail('x' * 100000000 + '!')",
		"def main(x): return {str(i): 'b' * 100000 for i in range(100000)}",
	},
	"the host's objects": {
		"def main(x): return globals()",
		"def main(x): return getattr(x, '__class__')",
		"def main(x): return app.vault",
		"def main(x): return open('/etc/passwd')",
		"def main(x): return json.__dict__",
		"def main(x): return main.__globals__",
		"def main(x): return window.fetch('http://example.com')",
		"def main(x): return print",
	},
}

func nestedBlocks(n int) string {
	var b strings.Builder
	b.WriteString("def main(x):\n")
	for i := range n {
		b.WriteString(strings.Repeat(" ", i+1) + "if x:\n")
	}
	b.WriteString(strings.Repeat(" ", n+1) + "return y\n")
	return b.String()
}

// TestNoScriptEscapes makes every attempt while another sandbox works beside:
// it must answer all the time, and the one under attack right afterwards.
func TestNoScriptEscapes(t *testing.T) {
	beside, stop := newRunner(t), make(chan struct{})
	worked := make(chan error, 1)
	go func() {
		n := 0
		for {
			select {
			case <-stop:
				if n == 0 {
					worked <- fmt.Errorf("nothing ran beside")
				}
				worked <- nil
				return
			default:
			}
			s := script(honest)
			s.Limits.Time = time.Minute
			if out, err := beside.Run(context.Background(), s); err != nil || string(out) != `"xxx"` {
				worked <- fmt.Errorf("beside: %s, %v", out, err)
				return
			}
			n++
		}
	}()
	total := 0
	for class, attempts := range escapes {
		if len(attempts) < 3 {
			t.Errorf("%s: %d attempts, want at least 3", class, len(attempts))
		}
		total += len(attempts)
		r := newRunner(t)
		for i, body := range attempts {
			if testing.Short() && i > 0 {
				break // all of them at make test-all
			}
			t.Run(fmt.Sprintf("%s %d", class, i+1), func(t *testing.T) {
				out, err := r.Run(t.Context(), script(body))
				if !fault.Is(err, fault.Sandbox) {
					t.Fatalf("%.60s: gave %.80q, %v", body, out, err)
				}
				t.Log(fault.From(err).Key, err)
				s := script(honest)
				s.Limits.Time = time.Minute
				if out, err := r.Run(t.Context(), s); err != nil || string(out) != `"xxx"` {
					t.Errorf("afterwards: %s, %v", out, err)
				}
			})
		}
	}
	if total < 30 {
		t.Errorf("%d attempts", total)
	}
	close(stop)
	if err := <-worked; err != nil {
		t.Error(err)
	}
}

func TestACancelEndsAScriptAtOnce(t *testing.T) {
	r := newRunner(t)
	ctx, cancel := context.WithCancel(t.Context())
	s := script("def main(x):\n  n = 3\n  for i in range(100): n = n * n\n  return 1")
	s.Limits.Time = time.Minute
	done := make(chan error, 1)
	go func() {
		_, err := r.Run(ctx, s)
		done <- err
	}()
	cancel()
	if err := <-done; !fault.Is(err, fault.Cancelled) {
		t.Fatal(err)
	}
}

func TestAChildWithoutAParentEndsItself(t *testing.T) {
	cmd := exec.Command(os.Args[0], "sandbox", "96")
	cmd.Stdin = strings.NewReader(`{"script":"def main(x):\n  while True: pass","input":4,"maxMs":50,"maxSteps":9000000000000000}` + "\nnull")
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 4 {
		t.Fatal(err)
	}
}

func TestTheChildHasNoEnvironment(t *testing.T) {
	t.Setenv("SECRET_OF_THE_PARENT", "s")
	r := newRunner(t)
	if _, err := r.Run(t.Context(), script(honest)); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", child.Pid(r)))
	if err != nil {
		t.Skip("no /proc here")
	}
	if len(raw) != 0 {
		t.Errorf("want no raw, got %q", raw)
	}
}

func TestWhereNoChildStartsAScriptIsASandboxError(t *testing.T) {
	r := newRunner(t)
	child.SetCommand(r, func(mb string) *exec.Cmd { return exec.Command("/nowhere/at/all", mb) })
	if _, err := r.Run(t.Context(), script(honest)); !fault.Is(err, fault.Sandbox) {
		t.Fatal(err)
	}
}

func TestAChildThatDiesSaysHow(t *testing.T) {
	r := newRunner(t)
	s := script("def main(x):\n  l = []\n  while True: l.append('a' * 100000)")
	s.Limits.Time = time.Minute // on a busy machine, too, its memory ends it first
	_, err := r.Run(t.Context(), s)
	if !fault.Is(err, fault.Sandbox) {
		t.Fatal(err)
	}
	// By its own look at its memory, or by the system's limit.
	if detail := errors.Unwrap(fault.From(err)); detail == nil || !strings.Contains(detail.Error(), "exit status") {
		t.Errorf("it died of %v", detail)
	}
	s.Source = "def main(x): return 1"
	if out, err := r.Run(t.Context(), s); err != nil || string(out) != "1" {
		t.Errorf("the next script gave %s, %v", out, err)
	}
}

// links gives the links of a large vault as JSON.
func links(n int) []byte {
	var b strings.Builder
	for i := range n {
		sep := ","
		if i == 0 {
			sep = "["
		}
		fmt.Fprintf(&b, `%s{"path":"Notes/Folder %d/Note %d.md","target":"Notes/Folder %d/Other note %d.md","line":%d,"text":"a line with a link to [[Other note %d]] in it","resolved":%t}`,
			sep, i%90, i%6591, i%70, i, i%200, i, i%3 == 0)
	}
	return []byte(b.String() + "]")
}

// TestAListAsLargeAsAVaultComesOutTheSameEachTime has the smallest memory that the
// settings allow, and scripts that keep the list, and that make another of it.
func TestAListAsLargeAsAVaultComesOutTheSameEachTime(t *testing.T) {
	times := 8
	if testing.Short() {
		times = 2
	}
	r := newRunner(t)
	for body, want := range map[string]string{
		"def main(x): return len(x)": "47000",
		"def main(x):\n  return len([{'a': l['path'], 'b': l['target'].split('/')} for l in x])":                 "47000",
		"def main(x):\n  for i in range(9): y = sorted(x, key=lambda l: l['target'])\n  return y[0]['resolved']": "true",
	} {
		for i := range times {
			s := script(body)
			s.Input, s.Limits.Time, s.Limits.MB = links(47_000), time.Minute, 64
			if out, err := r.Run(t.Context(), s); err != nil || string(out) != want {
				t.Fatalf("%s, time %d: %.80s, %v: %v", body, i+1, out, err, errors.Unwrap(fault.From(err)))
			}
		}
	}
	s := script("def main(x): return x")
	s.Input, s.Limits.Time = links(47_000), time.Minute
	if out, err := r.Run(t.Context(), s); err != nil || len(out) < 7_000_000 {
		t.Errorf("%d bytes, %v", len(out), err)
	}
	s.Input = make([]byte, sandbox.MaxInput+1)
	if _, err := r.Run(t.Context(), s); !fault.Is(err, fault.Sandbox) || fault.From(err).Key != "tools.code.input" {
		t.Errorf("want the error fault.Sandbox and Key \"tools.code.input\", got %v", err)
	}
}

// TestAScriptThatUsesMoreThanItMayIsStoppedEachTime lets a script keep twice its
// memory, bit by bit.
func TestAScriptThatUsesMoreThanItMayIsStoppedEachTime(t *testing.T) {
	r := newRunner(t)
	for i := range 4 {
		s := script("def main(x):\n  l = []\n  for i in range(4000): l.append((str(i) + '-') * 12000)\n  return len(l)")
		s.Limits.Time = time.Minute
		if out, err := r.Run(t.Context(), s); !fault.Is(err, fault.Sandbox) || fault.From(err).Key != "tools.code.died" {
			t.Fatalf("time %d: %.80s, %v", i+1, out, err)
		}
	}
}

// TestAScriptHasItsMemoryBesideWhatTheProgramHasMapped gives a script less than a
// Go program has mapped before it does anything, and more than the script needs.
func TestAScriptHasItsMemoryBesideWhatTheProgramHasMapped(t *testing.T) {
	r := newRunner(t)
	s := script("def main(x):\n  l = []\n  for i in range(200): l.append('a' * 50000 + str(i))\n  return len(l)")
	s.Limits.Time, s.Limits.MB = time.Minute, 40
	for range 3 {
		if out, err := r.Run(t.Context(), s); err != nil || string(out) != "200" {
			t.Fatalf("a script of 10 MB with leave for 40 gave %s, %v", out, err)
		}
	}
}
