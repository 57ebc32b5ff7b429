//go:build !js

package terminal

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/text"
)

// hostile has texts that somebody may put into a note, a path or a title to have
// a terminal show something else.
var hostile = []string{
	"a\x1b[2Kb", "a\x1b[1A\x1b[2Kb", "\x1b]0;title\x07", "\x1b]8;;http://evil\x1b\\here\x1b]8;;\x1b\\", "\x1b[8mhidden\x1b[0m",
	"\x1bP+q544e\x1b\\", "\x1bc", "\x1b[?1049h", "\x1b[6n", "\x1b]52;c;cm0=\x07", "a\rb", "a\r\nb", "a\nEVIL LINE", "a\bb", "a\x00b",
	"a\x07", "a\x0eb\x0f", "a\x7f", "\u009b2Jb", "\u0090q\u009c", "\u0085next", "\u202egpj.exe", "\u2066a\u2069", "\u200eb", "\u061cb",
	"pass\u200bword", "a\u2028b", "\ufeffa", "\U000e0041", "\xff\xfe", "\xc2\x9b2J", "\xe2\x80\xae", strings.Repeat(" ", 300) + "far", "a\tb",
	"%s%n%d", "⟨ESC⟩",
}

// obeyed finds what a terminal would obey in bytes that reach it: everything but
// line feeds and, where it may have laid out columns, tabs.
func obeyed(b []byte) string {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 || r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 ||
			r == 0x061c || r == 0x200b || r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff || r >= 0xe0000 && r <= 0xe0fff {
			return string(b[:n])
		}
		b = b[n:]
	}
	return ""
}

func TestNothingThatATerminalObeysIsPrinted(t *testing.T) {
	for _, s := range hostile {
		var b bytes.Buffer
		p := To(&b)
		for _, arg := range []any{s, errors.New(s), &s, []string{s}, map[string]string{"k": s}, struct{ A string }{s}, []byte(s)} {
			b.Reset()
			p.Printf("  %v|%s\n", arg, arg)
			if bad := obeyed(b.Bytes()); bad != "" || strings.Count(b.String(), "\n") != 1 || strings.Contains(b.String(), "\t") {
				t.Errorf("%q as %T: %q is left in %q", s, arg, bad, b.String())
			}
		}
		for cut := range len(s) {
			b.Reset()
			if _, err := p.Write([]byte(s[:cut])); err != nil {
				t.Fatal(err)
			}
			if _, err := p.Write([]byte(s[cut:] + ".\n")); err != nil {
				t.Fatal(err)
			}
			if bad := obeyed(b.Bytes()); bad != "" {
				t.Errorf("%q written in two pieces: %q is left in %q", s, bad, b.String())
			}
			if want := text.Visible(s + "."); utf8.ValidString(s) && !strings.ContainsAny(s, "\r") && !strings.Contains(s, "   ") && b.String() != want+"\n" {
				t.Errorf("%q in two pieces: %q, want %q", s, b.String(), want)
			}
		}
	}
}

func TestWhatThePrinterPrintsIsWholeAndItsOwnNumbersAndLayoutStay(t *testing.T) {
	var b bytes.Buffer
	To(To(&b)).Printf("%-4s|%3d|%t|%q|%.1f\n\tx %v\n", "a", 7, true, "b", 1.5, nil)
	if want := "a   |  7|true|\"b\"|1.5\n\tx <nil>\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestAnOutputThatFailsIsKnown(t *testing.T) {
	p := To(failing{})
	p.Printf("a")
	if p.Err() == nil || p.JSON(1) == nil {
		t.Error("the error was lost")
	}
}

func TestAPrintedLineOfJSONIsTheSameJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.SampledFrom(hostile)).Draw(t, "s")
		s = strings.ToValidUTF8(s, "\ufffd")
		var b bytes.Buffer
		if err := To(&b).JSON(map[string]string{s: s}); err != nil {
			t.Fatal(err)
		}
		if bad := obeyed(b.Bytes()); bad != "" || strings.Count(b.String(), "\n") != 1 {
			t.Fatalf("%q is left in %q", bad, b.String())
		}
		var back map[string]string
		if err := json.Unmarshal(b.Bytes(), &back); err != nil || back[s] != s {
			t.Fatalf("%q became %q: %v", s, back, err)
		}
	})
}

func TestAPrintedCommandIsReadBackByAShellAsItsArguments(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no POSIX shell here")
	}
	args := append([]string{
		"", "plain", "two words", "it's", `back\slash`, `"double"`, "$(touch /tmp/x)", "`id`", "a;b", "a&b|c>d<e", "*?[a]", "~", "-n", "--", "#c", "!x", "a=b", "{a,b}",
		"notes\n; rm -rf /", "100%", "tab\there", "ü–東京", "\x01'\\%d",
	}, hostile...)
	for _, a := range args {
		line, ok := Command("x", a)
		if !ok {
			if !strings.ContainsRune(a, 0) && !strings.HasSuffix(a, "\n") {
				t.Errorf("%q cannot be written", a)
			}
			continue
		}
		if bad := obeyed([]byte(line)); bad != "" || strings.ContainsAny(line, "\n\t") {
			t.Errorf("%q is written as %q", a, line)
		}
		out, err := exec.Command(sh, "-c", "f() { printf '%s|' \"$@\"; }; f "+line).Output()
		if err != nil || string(out) != "x|"+a+"|" {
			t.Errorf("%q is written %s and read as %q (%v)", a, line, out, err)
		}
	}
}
