package note

import "testing"

func TestATemplateIsMergedInItsOrderAndLosesNothing(t *testing.T) {
	for _, c := range []struct{ note, template, want string }{
		{"---\nx: 1\ntype: call\n---\nMine\n", "---\ntype: note\nmade: 2026\n---\nText\n", "---\ntype: call\nmade: 2026\nx: 1\n---\nMine\nText\n"},
		{"---\ntags: [a]\nstatus:\n---\n", "---\nstatus: open\ntags: [b, a]\n---\n", "---\nstatus: open\ntags: [a, b]\n---\n"},
		{"Mine\n", "---\ntype: note\n---\n", "---\ntype: note\n---\nMine\n"},
		{"---\n# about x\nx: 1\ntype: call\n---\n", "---\ntype: note\n---\n", "---\n# about x\nx: 1\ntype: call\n---\n"},
		{"---\r\nx: 1\r\ny: 2\r\n---\r\nMine\r\n", "---\ny: 3\n---\nText\n", "---\r\ny: 2\r\nx: 1\r\n---\r\nMine\r\nText\r\n"},
	} {
		got, err := MergeTemplate([]byte(c.note), []byte(c.template))
		if err != nil || string(got) != c.want {
			t.Errorf("%q and %q: %q, %v, want %q", c.note, c.template, got, err, c.want)
		}
	}
	if _, err := MergeTemplate([]byte("---\na: [\n---\n"), []byte("---\nb: 1\n---\n")); err == nil {
		t.Error("a front matter that cannot be read was changed")
	}
}
