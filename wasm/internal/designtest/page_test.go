// Package designtest runs the worked examples of docs/design: each page's
// inputs go through the real program, and what the page shows must be what came
// out. So a page cannot describe a program that is no longer there.
package designtest

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the pages show anew")

// maxWords keeps a page short enough to be read before work.
const maxWords = 1500

// folder is docs/design, as the tests of this package see it.
const folder = "../../../docs/design"

// block is a fenced block with a name behind its language:
//
//	```json plan
var block = regexp.MustCompile("(?ms)^```[a-z]+ ([a-z-]+)\n(.*?)^```$")

// page is one page of docs/design while its example runs.
type page struct {
	t    *testing.T
	file string
	text string
	used map[string]bool
}

// open reads a page. When the test ends, every block with a name must have been
// used: one that no test looks at could say anything.
func open(t *testing.T, name string) *page {
	t.Helper()
	p := &page{t: t, file: filepath.Join(folder, name), used: map[string]bool{}}
	text, err := os.ReadFile(p.file)
	if err != nil {
		t.Fatal(err)
	}
	p.text = string(text)
	if n := len(strings.Fields(p.text)); n > maxWords {
		t.Errorf("%s has %d words, over the limit of %d: it is meant to be read in one sitting", name, n, maxWords)
	}
	t.Cleanup(func() {
		for _, m := range block.FindAllStringSubmatch(p.text, -1) {
			if !p.used[m[1]] {
				t.Errorf("%s shows %q, and no test looks at it", name, m[1])
			}
		}
	})
	return p
}

// given gives the text of a block that the example starts from.
func (p *page) given(name string) string {
	p.t.Helper()
	p.used[name] = true
	for _, m := range block.FindAllStringSubmatch(p.text, -1) {
		if m[1] == name {
			return m[2]
		}
	}
	p.t.Fatalf("%s has no block named %q", p.file, name)
	return ""
}

// shows compares a block with what the program gave, or writes it anew.
func (p *page) shows(name, got string) {
	p.t.Helper()
	if !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	want := p.given(name)
	if got == want {
		return
	}
	if !*update {
		p.t.Errorf("%s, block %q shows\n%s\nbut the program gives\n%s\n(make golden writes it anew)", p.file, name, want, got)
		return
	}
	at := block.FindAllStringSubmatchIndex(p.text, -1)
	for _, m := range at {
		if p.text[m[2]:m[3]] == name {
			p.text = p.text[:m[4]] + got + p.text[m[5]:]
			break
		}
	}
	if err := os.WriteFile(p.file, []byte(p.text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}
