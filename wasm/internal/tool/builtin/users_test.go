package builtin_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/host/hosttest"
)

// used is a vault in which each file is used in another way.
func used() map[string]string {
	return map[string]string{
		"Board.canvas": "{\n\t\"nodes\":[\n" +
			"\t\t{\"id\":\"1\",\"type\":\"file\",\"file\":\"Pics/shown.png\",\"x\":0},\n" +
			"\t\t{\"id\":\"2\",\"type\":\"group\",\"label\":\"file: Pics/unused.png\",\"background\":\"Pics/ground.png\"},\n" +
			"\t\t{\"id\":\"3\",\"type\":\"text\",\"text\":\"![[card.png]]\\n\\tand \\\"[[Old plan|the plan]]\\\" \\u00fc\"}\n" +
			"\t],\n\t\"edges\":[]\n}",
		"Books.base":      "filters:\n  and:\n    - categories.contains(link(\"Old plan\"))\n    - 'file.hasLink(\"Old plan\")'\n    - link(\"https://example.org/Old plan\")\nviews:\n  - image: '[[cover.png]]'\n",
		"html.md":         "<img width=\"3\"\n  src=\"Pics/img [1].png\"> <video src='Pics/film.mp4'></video> <img src=Pics/small%20one.png>\n<img src=\"https://x.org/unused.png\"> `<img src=\"Pics/unused.png\">`",
		"Old plan.md":     "",
		"Pics/shown.png":  "1",
		"Pics/ground.png": "1", "Pics/card.png": "1", "Pics/cover.png": "1", "Pics/img [1].png": "1", "Pics/film.mp4": "1",
		"Pics/small one.png": "1",
		"Pics/unused.png":    "1",
	}
}

// An image that a canvas shows once went to the trash as unused.
func TestWhatACanvasABaseOrHTMLShowsIsUsed(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: used()})
	out := mustCall(t, envOf(m.Host()), "vault.query", map[string]any{"kind": "attachment", "withoutBacklinks": true})
	if diff := cmp.Diff([]any{"Pics/unused.png"}, out["paths"]); diff != "" {
		t.Error("it differs from what was wanted (-want +got):", diff)
	}
}

func TestLinksInACanvasABaseAndHTMLAreFound(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: used()})
	for to, want := range map[string][][3]any{
		"Pics/shown.png":   {{"Board.canvas", 3.0, "Pics/shown.png"}},
		"Pics/ground.png":  {{"Board.canvas", 4.0, "Pics/ground.png"}},
		"Pics/card.png":    {{"Board.canvas", 5.0, "![[card.png]]"}},
		"Old plan":         {{"Board.canvas", 5.0, "[[Old plan|the plan]]"}, {"Books.base", 3.0, "Old plan"}, {"Books.base", 4.0, "Old plan"}},
		"Pics/cover.png":   {{"Books.base", 7.0, "cover.png"}},
		"Pics/film.mp4":    {{"html.md", 2.0, "<video src='Pics/film.mp4'>"}},
		"Pics/img [1].png": {{"html.md", 1.0, "<img width=\"3\"\n  src=\"Pics/img [1].png\">"}},
		"Pics/unused.png":  nil,
	} {
		out := mustCall(t, envOf(m.Host()), "links.find", map[string]any{"to": to})
		var got [][3]any
		for _, l := range out["links"].([]any) {
			one := l.(map[string]any)
			got = append(got, [3]any{one["path"], one["line"], one["link"]})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", to, diff)
		}
	}
}

func TestLinksInACanvasABaseAndHTMLFollowARename(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: used()})
	for from, to := range map[string]string{
		"Old plan.md": "New/new 'plan'.md", "Pics/shown.png": "Shown here.png", "Pics/ground.png": "ground.png", "Pics/card.png": "Pics/a card.png",
		"Pics/img [1].png": "New/img (2).png", "Pics/film.mp4": "it's & more.mp4", "Pics/cover.png": "Pics/front.png",
	} {
		mustCall(t, envOf(m.Host()), "vault.rename", map[string]any{"path": from, "newPath": to})
	}
	for path, want := range map[string]string{
		"Board.canvas": "{\n\t\"nodes\":[\n" +
			"\t\t{\"id\":\"1\",\"type\":\"file\",\"file\":\"Shown here.png\",\"x\":0},\n" +
			"\t\t{\"id\":\"2\",\"type\":\"group\",\"label\":\"file: Pics/unused.png\",\"background\":\"ground.png\"},\n" +
			"\t\t{\"id\":\"3\",\"type\":\"text\",\"text\":\"![[a card.png]]\\n\\tand \\\"[[new 'plan'|the plan]]\\\" ü\"}\n" +
			"\t],\n\t\"edges\":[]\n}",
		"Books.base": "filters:\n  and:\n    - categories.contains(link(\"Old plan\"))\n    - 'file.hasLink(\"Old plan\")'\n    - link(\"https://example.org/Old plan\")\nviews:\n  - image: '[[front.png]]'\n",
		"html.md":    "<img width=\"3\"\n  src=\"New/img%20(2).png\"> <video src='it%27s%20&amp;%20more.mp4'></video> <img src=Pics/small%20one.png>\n<img src=\"https://x.org/unused.png\"> `<img src=\"Pics/unused.png\">`",
	} {
		got, _ := m.File(path)
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	mustCall(t, envOf(m.Host()), "vault.rename", map[string]any{"path": "New/img (2).png", "newPath": "img.png"})
	out := mustCall(t, envOf(m.Host()), "vault.query", map[string]any{"kind": "attachment", "withoutBacklinks": true})
	if diff := cmp.Diff([]any{"Pics/unused.png"}, out["paths"]); diff != "" {
		t.Error("it differs from what was wanted (-want +got):", diff)
	}
}

func TestLinksOfABaseFollowARename(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: used()})
	mustCall(t, envOf(m.Host()), "vault.rename", map[string]any{"path": "Old plan.md", "newPath": "Plans/New plan.md"})
	want := "filters:\n  and:\n    - categories.contains(link(\"New plan\"))\n    - 'file.hasLink(\"New plan\")'\n    - link(\"https://example.org/Old plan\")\nviews:\n  - image: '[[cover.png]]'\n"
	if got, _ := m.File("Books.base"); string(got) != want {
		t.Error("it differs from what was wanted (-want +got):", cmp.Diff(want, string(got)))
	}
}

func TestLinksAndMentionsInTheCardsOfACanvasAreChanged(t *testing.T) {
	card := func(text string) string {
		return `{"nodes":[{"id":"text","type":"text","text":"` + text + `"},{"file":"Old plan.md","type":"file"}]}`
	}
	for _, c := range []struct {
		tool         string
		args         map[string]any
		before, want string
	}{
		{"links.unlinkedMentions", map[string]any{"link": true}, `An old plan:\n\n- https://old plan.org`, `An [[Old plan|old plan]]:\n\n- https://old plan.org`},
		{"vault.replaceText", map[string]any{"path": "a.canvas", "find": "text", "replace": `"Text"`}, `the text\n[[text]]`, `the \"Text\"\n[[\"Text\"]]`},
		{"links.rewrite", map[string]any{"mode": "case"}, `[[old plan]] \u00e9`, `[[Old plan]] é`},
		{"links.rewrite", map[string]any{"mode": "retarget", "target": "Old plan", "to": "Pics.md", "path": "a.canvas"}, `[[old plan|x]]`, `[[Pics|x]]`},
	} {
		m := hosttest.New(hosttest.Options{Files: map[string]string{"a.canvas": card(c.before), "Old plan.md": "", "Pics.md": ""}})
		mustCall(t, envOf(m.Host()), c.tool, c.args)
		if got, _ := m.File("a.canvas"); string(got) != card(c.want) {
			t.Errorf("%s: want equal to card(c.want), got %s", c.tool, cmp.Diff(card(c.want), string(got)))
		}
	}
}

// TestTheCanvasesAndBasesOfRealVaultsLeadWhereTheyLedAfterARename moves every note
// of a vault, and counts the links of canvases and bases that lead somewhere.
func TestTheCanvasesAndBasesOfRealVaultsLeadWhereTheyLedAfterARename(t *testing.T) {
	for vault, folders := range map[string][]string{"oldwinter": {"Cards", "Spaces"}, "kepano": {"Categories", "Templates"}} {
		env := envOf(realVault(t, vault).Host())
		lead := func() (n int) {
			for _, l := range mustCall(t, env, "links.find", map[string]any{"limit": 100_000.0})["links"].([]any) {
				one := l.(map[string]any)
				if path := one["path"].(string); !strings.HasSuffix(path, ".md") && one["resolved"] != "" {
					n++
				}
			}
			return n
		}
		before := lead()
		for _, f := range folders {
			mustCall(t, env, "vault.rename", map[string]any{"path": f, "newPath": "Moved/" + f + " (2)"})
		}
		t.Logf("%s: %d links", vault, before)
		if after := lead(); after != before || before < 10 {
			t.Errorf("%s: %d links lead somewhere, %d did", vault, after, before)
		}
	}
}
