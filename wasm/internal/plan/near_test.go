package plan_test

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/plan"
)

// inLoop is a plan whose last step writes a text in a loop over n.
func inLoop(text string) string {
	return steps(`{"id":"q","tool":"vault.listFiles"},{"id":"tk","tool":"util.parseMarkdownBullets","args":{"text":""}},` +
		`{"id":"a","tool":"any.value","args":{"x":` + quoted(text) + `},"foreach":{"from":"$steps.q.files","itemName":"n"}}`)
}

func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

func TestTextThatLooksLikeAReferenceIsRefusedWithTheRightForm(t *testing.T) {
	for text, near := range map[string]string{
		"{{n.title}}":                        "{n.title}",
		"{{ n.title }}":                      "{n.title}",
		"{{n}}":                              "{n}",
		"{{index}}. x":                       "{index}",
		"{index + 1}":                        "{index}",
		"No. {index+1}":                      "{index}",
		"{index-1}":                          "{index}",
		"${index + 1}":                       "{index}",
		"{n.title | lower}":                  "{n.title}",
		"{n.title|upper}":                    "{n.title}",
		"{n.title|'none'}":                   "{n.title}",
		"{n.title || \"none\"}":              "{n.title}",
		"{n.size:05d}":                       "{n.size}",
		"{n.title.upper()}":                  "{n.title.upper}",
		"{n[index]}":                         "{n}",
		"{n.}":                               "{n}",
		"a {n ? 1 : 2} b":                    "{n}",
		"{steps.q.files.length + 1}":         "${steps.q.files.length}",
		"{{steps.q}}":                        "${steps.q}",
		"$steps.tk.items[{index}]":           "${steps.tk.items}",
		"$steps.tk.items[index].title":       "${steps.tk.items}",
		"$steps.tk.items[n.size]":            "${steps.tk.items}",
		`x $steps.q.truncated|"none"`:        "${steps.q.truncated}",
		"{steps.q.truncated}":                "${steps.q.truncated}",
		"Found $q.truncated.":                "${steps.q.truncated}",
		"$q":                                 "${steps.q}",
		"${q.truncated}":                     "${steps.q.truncated}",
		"{q.truncated}":                      "${steps.q.truncated}",
		"{ n.title }":                        "{n.title}",
		"$n.title":                           "{n.title}",
		"{item.title}":                       "{n.title}",
		`\\{index + 1}`:                      "{index}",
		"{n.title} and {{n.title}}":          "{n.title}",
		"$steps.q.truncated {n.title|lower}": "{n.title}",
	} {
		g, got := errorsOf(inLoop(text), plan.Rules{})
		all := strings.Join(got, "\n")
		if g != nil || !strings.Contains(all, "Step “a”, args.x: ") || !strings.Contains(all, "form is "+near+".") && !strings.Contains(all, "index is "+near+".") {
			t.Errorf("%s: %v, want the form %s", text, got, near)
		}
		if g, _ := errorsOf(inLoop(text), plan.Rules{Bound: true}); g == nil && strings.Contains(text, "{{") {
			t.Errorf("%s is refused where a person's words may have brought it", text)
		}
	}
}

func TestWhatIsNoLookalikeIsLeftAlone(t *testing.T) {
	for _, text := range []string{
		"{{date}}", "{{title}}", `\frac{q}{tk}`, "$x$", "$5 and $q$", "{q}", "{tk} {date}", "const {n: a} = b", "{n, m}", "{n: 1}",
		`\{n \in N\}`, `\{ n | n > 2 \}`, "{note.title}", "{index", "function f(n) {\n n }", "{numbers}", "$question.text", "{steps}",
		"| $steps.q.truncated | $steps.q.truncated |", "$steps.q.truncated [see below]", `\{index + 1}`, `\{{n.title}}`, `\{n.title|lower}`,
	} {
		if g, got := errorsOf(inLoop(text), plan.Rules{}); g == nil {
			t.Errorf("%s: want something, got %v", text, got)
		}
	}
}

func TestABackslashKeepsALookalikeAsItIsWritten(t *testing.T) {
	for in, want := range map[string]string{
		`\{index + 1}`:        `{index + 1}`,
		`\{{item.title}}`:     `{{item.title}}`,
		`a \{item|x} b`:       `a {item|x} b`,
		`\\\{index + 1}`:      `\{index + 1}`,
		`\{item.title|lower}`: `{item.title|lower}`,
		`\{x + 1}`:            `\{x + 1}`,
	} {
		if got, err := bindOne(t, in); err != nil || got != want {
			t.Errorf("%q became %q, %v; want %q", in, got, err, want)
		}
	}
}
