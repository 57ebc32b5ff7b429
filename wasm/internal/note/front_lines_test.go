package note

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const template = "---\ncreated: {{date}}\ntitle: {{title}} # of the note\ntags:\n  - a\nup: \"[[Index]]\"\r\n---\nBody {{date}}\n"

func TestFrontMatterThatIsNoYAMLIsEditedLineByLine(t *testing.T) {
	set := func(key string, value any) func([]byte) ([]byte, error) {
		return func(d []byte) ([]byte, error) { return SetProperty(d, key, value) }
	}
	for name, c := range map[string]struct {
		edit func([]byte) ([]byte, error)
		want string
	}{
		"a value that can be read": {set("up", "[[Home]]"), "---\ncreated: {{date}}\ntitle: {{title}} # of the note\ntags:\n  - a\nup: \"[[Home]]\"\r\n---\nBody {{date}}\n"},
		"a list":                   {set("tags", []any{"a", "b"}), "---\ncreated: {{date}}\ntitle: {{title}} # of the note\ntags:\n  - a\n  - b\nup: \"[[Index]]\"\r\n---\nBody {{date}}\n"},
		"one that cannot":          {set("created", "2026-11-20"), "---\ncreated: 2026-11-20\ntitle: {{title}} # of the note\ntags:\n  - a\nup: \"[[Index]]\"\r\n---\nBody {{date}}\n"},
		"a new one":                {set("type", "note"), "---\ncreated: {{date}}\ntitle: {{title}} # of the note\ntags:\n  - a\nup: \"[[Index]]\"\r\ntype: note\n---\nBody {{date}}\n"},
		"one is taken out":         {func(d []byte) ([]byte, error) { return RemoveProperty(d, "tags") }, "---\ncreated: {{date}}\ntitle: {{title}} # of the note\nup: \"[[Index]]\"\r\n---\nBody {{date}}\n"},
		"one gets another name":    {func(d []byte) ([]byte, error) { return RenameProperty(d, "created", "made: on") }, "---\n\"made: on\": {{date}}\ntitle: {{title}} # of the note\ntags:\n  - a\nup: \"[[Index]]\"\r\n---\nBody {{date}}\n"},
		"a tag":                    {func(d []byte) ([]byte, error) { return AddTags(d, []string{"b"}) }, "---\ncreated: {{date}}\ntitle: {{title}} # of the note\ntags:\n  - a\n  - b\nup: \"[[Index]]\"\r\n---\nBody {{date}}\n"},
		"one that is not there":    {func(d []byte) ([]byte, error) { return RemoveProperty(d, "none") }, template},
	} {
		if _, err := ParseFront([]byte(template)).Values(); err == nil {
			t.Fatal("it is YAML after all")
		}
		got, err := c.edit([]byte(template))
		if err != nil {
			t.Errorf("%s: want no error, got %v", name, err)
		} else if diff := cmp.Diff(c.want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	values, err := ParseFront([]byte(template)).Loose()
	want := map[string]any{"created": "{{date}}", "title": "{{title}}", "tags": []any{"a"}, "up": "[[Index]]"}
	if diff := cmp.Diff(want, values); diff != "" || err != nil {
		t.Error("it differs from what was wanted (-want +got):", diff, err)
	}
}

func TestFrontMatterWhoseLinesDoNotStandAloneIsLeftAlone(t *testing.T) {
	for _, front := range []string{
		"a: {{x}}\na: 1\n", "a: {{x}}\nb: [\nc: 1\n", "a: {{x}}\nb: \"open\nc: 1\n", "a: {{x}}\nb: &n 1\nc: *n\n", "a: {{x}}\n- b\n", "  a: {{x}}\nb: 1\n", "<% x %>\nb: 1\n",
	} {
		data := []byte("---\n" + front + "---\nBody")
		for _, edit := range []func() ([]byte, error){
			func() ([]byte, error) { return SetProperty(data, "new", "x") },
			func() ([]byte, error) { return SetProperty(data, "b", "x") },
			func() ([]byte, error) { return RemoveProperty(data, "b") },
			func() ([]byte, error) { return RenameProperty(data, "b", "d") },
		} {
			if out, err := edit(); !errors.Is(err, ErrFront) {
				t.Errorf("%q became %q, %v", data, out, err)
			}
		}
	}
}
