package answer

import (
	"strings"
	"testing"
)

func TestWhatANoteWouldRunOrLoadIsSaidBeforeItIsInserted(t *testing.T) {
	for _, c := range []struct{ text, key, names string }{
		{"<% tp.file.title %>", "chat.insert.inline", "<%"},
		{"<%* await x %>", "chat.insert.inline", "<%"},
		{"`$= dv.pages()`", "chat.insert.inline", "$="},
		{"`= this.file.name`", "chat.insert.inline", "="},
		{"```dataviewjs\nx\n```", "chat.insert.block", "dataviewjs"},
		{"~~~ DataviewJS\nx\n~~~", "chat.insert.block", "dataviewjs"},
		{"`````dataview\nx\n`````", "chat.insert.block", "dataview"},
		{"> - ```js-engine\n> x\n> ```", "chat.insert.block", "js-engine"},
		{"   ```run-python\nx\n```", "chat.insert.block", "run-python"},
		{"```{dataviewjs}\r\nx\r\n```\r\n", "chat.insert.block", "dataviewjs"},
		{"<script>x</script>", "chat.insert.html", "script"},
		{"<IFRAME src=x>", "chat.insert.html", "iframe"},
		{"<b style=\"x\">", "chat.insert.html", "style="},
		{"<a onclick=x>", "chat.insert.html", "onclick="},
		{"![a](https://b.example/c.png)", "chat.insert.loads", "b.example"},
		{"![a](http://127.0.0.1/c.png)", "chat.insert.loads", "127.0.0.1"},
		{"![a](//b.example/c.png)", "chat.insert.loads", "//b.example/c.png"},
		{"![a](https://ünï.example/c.png)", "chat.insert.loads", "https://ünï.example/c.png"},
		{"| a |\n|---|\n| ![a](https://b.example/c.png) |", "chat.insert.loads", "b.example"},
	} {
		found := false
		for _, w := range Warnings(c.text) {
			found = found || w.Key == c.key && strings.Contains(w.Params["names"], c.names)
		}
		if !found {
			t.Errorf("%q gives %v, want %s of %s", c.text, Warnings(c.text), c.key, c.names)
		}
	}
}

func TestAnOrdinaryAnswerIsInsertedWithoutAQuestion(t *testing.T) {
	for _, text := range []string{
		"", "# Compost\n\n- [ ] one **two**\n\n```js\nlet a = 1;\n```\n\n| a |\n|---|\n| b |\n", "5 < 6 % 2", "[a](https://b.example) and [[Note]] and ![[heap.png]]",
		"`code` = x", "a `=`",
	} {
		if w := Warnings(text); len(w) > 0 && text != "a `=`" {
			t.Errorf("%q gives %v", text, w)
		}
	}
}
