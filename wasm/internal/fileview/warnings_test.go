package fileview

import (
	"strings"
	"testing"
)

func TestWhatANoteWouldRunOrLoadIsSaidBeforeItIsInserted(t *testing.T) {
	for _, c := range []struct{ text, key, names string }{
		{"<% tp.file.title %>", "alert.code", "Templater"},
		{"<%* await x %>", "alert.code", "Templater"},
		{"`$= dv.pages()`", "alert.code", "Dataview"},
		{"`= this.file.name`", "alert.query", "Dataview"},
		{"```dataviewjs\nx\n```", "alert.code", "Dataview"},
		{"~~~ DataviewJS\nx\n~~~", "alert.code", "Dataview"},
		{"`````dataview\nx\n`````", "alert.query", "Dataview"},
		{"> - ```js-engine\n> x\n> ```", "alert.code", "JS Engine"},
		{"   ```run-python\nx\n```", "alert.button", "Execute Code"},
		{"```{dataviewjs}\r\nx\r\n```\r\n", "alert.code", "Dataview"},
		{"<script>x</script>", "alert.page", "script"},
		{"<IFRAME src=x>", "alert.page", "iframe"},
		{"<b style=\"background:url(https://b.example/x)\">", "alert.load", "b.example"},
		{"<a onclick=x>", "alert.page", "onclick"},
		{"![a](https://b.example/c.png)", "alert.load", "b.example"},
		{"![a](http://127.0.0.1/c.png)", "alert.load", "127.0.0.1"},
		{"![a](//b.example/c.png)", "alert.load", "b.example"},
		{"![a](https://ünï.example/c.png)", "alert.load", "ünï.example"},
		{"| a |\n|---|\n| ![a](https://b.example/c.png) |", "alert.load", "b.example"},
	} {
		found := false
		for _, w := range Warnings(c.text) {
			found = found || w.Key == c.key && strings.Contains(w.Params["what"], c.names)
		}
		if !found {
			t.Errorf("%q gives %v, want %s of %s", c.text, Warnings(c.text), c.key, c.names)
		}
	}
}

func TestAnOrdinaryAnswerIsInsertedWithoutAQuestion(t *testing.T) {
	for _, text := range []string{
		"", "# Compost\n\n- [ ] one **two**\n\n```js\nlet a = 1;\n```\n\n| a |\n|---|\n| b |\n", "5 < 6 % 2", "[a](https://b.example) and [[Note]] and ![[heap.png]]",
		"<span style='display:none'>x</span>", "`code` = x", "Set `a` = 1.",
	} {
		if w := Warnings(text); len(w) > 0 {
			t.Errorf("%q gives %v", text, w)
		}
	}
}
