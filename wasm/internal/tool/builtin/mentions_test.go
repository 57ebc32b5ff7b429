package builtin_test

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/note"
	"pgregory.net/rapid"
)

// linkAll links every mention in a vault of these files, and gives the mentions
// that the call tells of.
func linkAll(t *testing.T, m *hosttest.Memory) []mentionTold {
	t.Helper()
	out := mustCall(t, envOf(m.Host()), "links.unlinkedMentions", map[string]any{"link": true, "every": true})
	var told []mentionTold
	for _, one := range out["mentions"].([]any) {
		o := one.(map[string]any)
		told = append(told, mentionTold{o["path"].(string), o["text"].(string), o["link"].(string)})
	}
	return told
}

// TestAMentionIsLinkedInProseOnly has for each mark the text that holds a title
// and must not change.
func TestAMentionIsLinkedInProseOnly(t *testing.T) {
	for name, text := range map[string]string{
		"address":               "see https://example.com/plan/plan?plan=plan#plan here",
		"address without space": "（https://example.com/a-plan）",
		"bare host":             "see www.plan.com",
		"mail":                  "write to plan@example.com and me@plan.org",
		"scheme":                "mailto:plan obsidian://open?vault=plan",
		"autolink":              "<https://plan.com>",
		"host name":             "plan.com has it",
		"block id":              "words ^plan",
		"block id of its own":   "words\n\n^plan-1",
		"block id with dashes":  "words ^a-plan-2",
		"power":                 "x^plan",
		"code":                  "`plan` and ``a plan``",
		"code block":            "```\nplan\n```",
		"indented code":         "a\n\n    plan\n",
		"math":                  "$plan$ and $$\nplan\n$$",
		"attribute":             `a <img alt="plan" src="plan.png"> b`,
		"attribute over lines":  "a <img\n  alt=\"the plan\"\n  src=x> b",
		"attribute [":           `a <img alt="[a plan]" src="x"> b`,
		"text of an anchor":     `<a href="x">the plan</a>`,
		"nested anchor":         `see <a href="x"><b>the plan</b></a>`,
		"code element":          "a <code>plan</code> and <kbd>plan</kbd>",
		"HTML block":            "<div>\nthe plan\n</div>",
		"script":                "<script>\nlet plan\n\nplan()\n</script>",
		"comment":               "<!-- plan --> %%plan%%",
		"wikilink":              "[[plan]] [[x|plan]] [[plan#plan]]",
		"embed":                 "![[plan]] ![[plan.png|plan]]",
		"Markdown link":         "[a plan](plan.md) ![plan](plan.png \"plan\")",
		"broken destination":    "![a](my plan.png)",
		"reference link":        "[the plan][1] and [plan][]\n\n[1]: https://example.com",
		"shortcut reference":    "the [plan] here\n\n[plan]: https://example.com",
		"definition":            "[plan]: plan.md \"plan\"",
		"footnote":              "text[^plan] more\n\n[^plan]: words",
		"tag":                   "#plan #a/plan (#plan)",
		"heading":               "# plan\n\nplan\n====",
		"front matter":          "---\nplan: plan\ntitle: the plan\n---\n",
		"inline field":          "plan:: x\n- plan:: y\n(plan:: x) [the plan:: y]",
		"callout":               "> [!plan] words",
		"template":              "{{plan}} <% tp.plan() %> <%* let plan = 1 %>",
		"entity":                "&plan;",
		"identifier":            "a_plan plan_b __plan__b \\plan $plan @plan",
		"file name":             "open plan.md or my.plan",
		"path":                  "in ./plan/x and /home/plan/x and C:\\plan\\x and a/plan/b.md",
		"number of a list":      "2026. words\n2026) words",
		"exclamation mark":      "Wow!plan",
		"brackets":              "[plan] plan[1] plan(1)",
	} {
		t.Run(name, func(t *testing.T) {
			m := hosttest.New(hosttest.Options{Files: map[string]string{"plan.md": "", "2026.md": "", "a.md": text}})
			linkAll(t, m)
			if got, _ := m.File("a.md"); string(got) != text {
				t.Errorf("%q became %q", text, got)
			}
		})
	}
}

// TestAMentionInProseIsLinked is the other side: marks beside a mention, and
// places that only look like the ones above.
func TestAMentionInProseIsLinked(t *testing.T) {
	for text, want := range map[string]string{
		"The plan.":                           "The [[plan]].",
		"(plan) \"plan\" plan: plan, plan!":   "([[plan]]) \"[[plan]]\" [[plan]]: [[plan]], [[plan]]!",
		"**plan** *plan* _plan_ ==plan==":     "**[[plan]]** *[[plan]]* _[[plan]]_ ==[[plan]]==",
		"~~plan~~ plan-based":                 "~~[[plan]]~~ [[plan]]-based",
		"- [ ] plan\n1. plan\n> plan":         "- [ ] [[plan]]\n1. [[plan]]\n> [[plan]]",
		"> [!note] The plan\n> plan":          "> [!note] The [[plan]]\n> [[plan]]",
		"| plan | b |\n|---|---|\n| 1 |plan|": "| [[plan]] | b |\n|---|---|\n| 1 |[[plan]]|",
		"words[^1]\n\n[^1]: the plan":         "words[^1]\n\n[^1]: the [[plan]]",
		"field:: the plan":                    "field:: the [[plan]]",
		"idea/plan 1 < plan, a & plan; b":     "idea/[[plan]] 1 < [[plan]], a & [[plan]]; b",
		"<b>plan</b> https://a.b plan":        "<b>[[plan]]</b> https://a.b [[plan]]",
		"[x] plan. Done\r\nplan\r\n":          "[x] [[plan]]. Done\r\n[[plan]]\r\n",
		"（plan）https://a.b，plan":              "（[[plan]]）https://a.b，[[plan]]",
		"<div>x</div>\n\nplan":                "<div>x</div>\n\n[[plan]]",
	} {
		m := hosttest.New(hosttest.Options{Files: map[string]string{"plan.md": "", "field.md": "", "a.md": text}})
		linkAll(t, m)
		if got, _ := m.File("a.md"); string(got) != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// TestANameOfTwoNotesIsNotLinked: which of them is meant, nobody knows. A title
// goes before an alias.
func TestANameOfTwoNotesIsNotLinked(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{
		"A/Plan.md": "", "B/Plan.md": "", "Tomato.md": "", "c.md": "---\naliases: [tomato, herb]\n---\n", "d.md": "---\naliases: herb\n---\n",
		"a.md": "plan tomato herb",
	}})
	linkAll(t, m)
	if got, _ := m.File("a.md"); string(got) != "plan [[Tomato|tomato]] herb" {
		t.Errorf("want \"plan [[Tomato|tomato]] herb\", got %q", got)
	}
	mustCall(t, envOf(m.Host()), "links.unlinkedMentions", map[string]any{"link": true, "to": "B/Plan.md"})
	if got, _ := m.File("a.md"); string(got) != "[[B/Plan|plan]] [[Tomato|tomato]] herb" {
		t.Errorf("want \"[[B/Plan|plan]] [[Tomato|tomato]] herb\", got %q", got)
	}
}

// signs hold a note's text together.
var signs = map[string]*regexp.Regexp{
	"addresses": regexp.MustCompile(`(?i)\b(?:[a-z][a-z0-9+.-]*://|www\.|mailto:)[^\s<>"，。、；：！？（）「」『』【】《》)\]]+`),
	"mails":     regexp.MustCompile(`[\w.+-]+@[\w-]+\.[\w.-]+`),
	"block ids": regexp.MustCompile(`(?m)\^[a-zA-Z0-9-]+[ \t\r]*$`),
	"footnotes": regexp.MustCompile(`\[\^[^\[\]\n]+\]`),
	"fences":    regexp.MustCompile("(?ms)^```.*?^```"),
	"front":     regexp.MustCompile(`(?s)\A---\r?\n.*?\n---\r?\n`),
	"callouts":  regexp.MustCompile(`\[![^\[\]\n]*\]`),
}

// checkMentions proves of one note that mentions became links and nothing else
// changed: what Parse finds beside links is the same, each new link is one and
// shows what stood there, and without the links the text is what it was.
func checkMentions(t errorer, name string, before, after []byte, told []mentionTold) {
	was, is := note.Parse(before), note.Parse(after)
	same := func(what string, a, b any) {
		if x, y := fmt.Sprintf("%q", a), fmt.Sprintf("%q", b); x != y {
			t.Errorf("%s: %s\nwere %.600s\nare  %.600s", name, what, x, y)
		}
	}
	texts := func(d *note.Doc, spans []note.Span) (out []string) {
		for _, s := range spans {
			out = append(out, string(s.Of(d.Data)))
		}
		return out
	}
	same("front matter", was.Front.Of(before), is.Front.Of(after))
	same("opaque", texts(was, was.Opaque), texts(is, is.Opaque))
	for _, k := range slices.Sorted(maps.Keys(signs)) {
		same(k, signs[k].FindAll(before, -1), signs[k].FindAll(after, -1))
	}
	of := func(d *note.Doc) (headings, tags, blocks, fields []string) {
		for _, h := range d.Headings {
			headings = append(headings, h.Text)
		}
		for _, g := range d.Tags {
			tags = append(tags, g.Name)
		}
		for _, b := range d.Blocks {
			blocks = append(blocks, b.ID)
		}
		for _, f := range d.Fields() {
			fields = append(fields, f.Key)
		}
		return headings, tags, blocks, fields
	}
	h, g, b, f := of(was)
	h2, g2, b2, f2 := of(is)
	same("headings", h, h2)
	same("tags", g, g2)
	same("blocks", b, b2)
	same("fields", f, f2)
	if len(is.Links) != len(was.Links)+len(told) {
		t.Errorf("%s: %d links and %d mentions became %d links", name, len(was.Links), len(told), len(is.Links))
	}
	if where := unlinked(is, before, after, told); where != "" {
		t.Errorf("%s: something else changed: %s", name, where)
	}
}

type errorer interface{ Errorf(string, ...any) }

// unlinked takes the links that a call tells of out of a text, one after the
// other: where the texts differ, the note has such a link in place of its words.
// It gives where they differ otherwise, or "".
func unlinked(is *note.Doc, before, after []byte, told []mentionTold) string {
	links := map[int]int{}
	for i := range is.Links {
		links[is.Links[i].Start] = is.Links[i].End
	}
	i, j := 0, 0
	for _, m := range told {
		for i < len(before) && j < len(after) && before[i] == after[j] {
			i, j = i+1, j+1
		}
		if !bytes.HasPrefix(before[i:], []byte(m.Text)) || !bytes.HasPrefix(after[j:], []byte(m.Link)) || links[j] != j+len(m.Link) {
			return fmt.Sprintf("%q: %.80q became %.80q", m.Text, before[i:], after[j:])
		}
		i, j = i+len(m.Text), j+len(m.Link)
	}
	if !bytes.Equal(before[i:], after[j:]) {
		return fmt.Sprintf("%.80q became %.80q", before[i:], after[j:])
	}
	return ""
}

// mentionTold is one of the mentions that a call tells of.
type mentionTold struct{ Path, Text, Link string }

// TestLinkingEveryMentionOfARealVaultChangesNothingElse counts the addresses and
// the block ids as well.
func TestLinkingEveryMentionOfARealVaultChangesNothingElse(t *testing.T) {
	for _, vault := range []string{"help-en", "kepano", "oldwinter"} {
		t.Run(vault, func(t *testing.T) {
			m := realVault(t, vault)
			before := m.Snapshot()
			told := map[string][]mentionTold{}
			all := linkAll(t, m)
			for _, one := range all {
				told[one.Path] = append(told[one.Path], one)
			}
			after := m.Snapshot()
			counts := map[string][2]int{}
			for path, data := range before {
				if !strings.HasSuffix(path, ".md") {
					continue
				}
				for _, k := range []string{"addresses", "block ids"} {
					c := counts[k]
					counts[k] = [2]int{c[0] + len(signs[k].FindAll(data, -1)), c[1] + len(signs[k].FindAll(after[path], -1))}
				}
				if len(told[path]) > 0 || string(data) != string(after[path]) {
					checkMentions(t, path, data, after[path], told[path])
				}
			}
			t.Logf("%d mentions linked; before and after: %v", len(all), counts)
		})
	}
}

// TestLinkingMentionsInAnyMarkdownChangesNothingElse is the same over Markdown
// that is put together at random.
func TestLinkingMentionsInAnyMarkdownChangesNothingElse(t *testing.T) {
	words := []string{"plan", "rain barrel", "Plan", "the", "a", "C++", "雨水桶", "on", "2026", "1"}
	marks := []string{
		" ", " ", " ", " ", "\n", "\n\n", "\n- ", "\n> ", "\n# ", "\n    ", "\n| ", " | ", "\n|---|---|\n", "`", "``", "\n```\n", "$", "$$", "%%", "==", "**", "_", "*",
		"[[", "]]", "[", "]", "](", ")", "(", "![[", "|", "#", "^", " ^", "https://", "www.", ".com", "@", "/", "\\", "<", ">", "</", "<a href=\"", "\">", "</a>", "<!-- ", " -->",
		"[^", "]: ", "\n[", ":: ", "{{", "}}", "<% ", " %>", "&", ";", "!", "\n> [!", "] ", "\n<div>\n", "\n</div>\n", "\n---\n", "'", "\"", ".", ",", "：", "，", "\r\n", "-", "=", "~~",
	}
	piece := rapid.OneOf(rapid.SampledFrom(words), rapid.SampledFrom(marks))
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 1, 40).Draw(r, "text"), "")
		m := hosttest.New(hosttest.Options{Files: map[string]string{
			"plan.md": "", "rain barrel.md": "", "C++.md": "", "雨水桶.md": "", "2026.md": "", "a.md": text,
		}})
		found := linkAll(t, m)
		got, _ := m.File("a.md")
		checkMentions(r, "a.md", []byte(text), got, found)
	})
}

// TestReplacingAWordOfARealVaultLeavesItsLinksAlone replaces a letter everywhere
// but in code, links and front matter, as the built-in action does.
func TestReplacingAWordOfARealVaultLeavesItsLinksAlone(t *testing.T) {
	for _, vault := range []string{"help-en", "oldwinter"} {
		m := realVault(t, vault)
		before := m.Snapshot()
		out := mustCall(t, envOf(m.Host()), "vault.replaceText", map[string]any{"find": "e", "replace": "ee", "skip": []any{"code", "links", "frontMatter"}})
		if len(out["changed"].([]any)) < 50 {
			t.Errorf("%s: %d notes changed", vault, len(out["changed"].([]any)))
		}
		for path, data := range before {
			if !strings.HasSuffix(path, ".md") {
				continue
			}
			after, _ := m.File(path)
			for _, k := range []string{"addresses", "block ids", "footnotes", "front"} {
				if was, is := fmt.Sprintf("%q", signs[k].FindAll(data, -1)), fmt.Sprintf("%q", signs[k].FindAll(after, -1)); was != is {
					t.Errorf("%s: %s\nwere %.600s\nare  %.600s", path, k, was, is)
				}
			}
		}
	}
}
