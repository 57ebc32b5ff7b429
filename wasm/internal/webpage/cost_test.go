package webpage

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/costtest"
)

func TestAPageCostsTimeByItsLength(t *testing.T) {
	for name, unit := range map[string]string{
		"elements in elements": "<div>", "marks in marks": "<b>", "marks crossed": "<b><i></b>", "quotes in quotes": "<blockquote>", "lists in lists": "<ul><li>",
		"links in links": "<a href=x>", "links": "<a href=x>y</a> ", "tables in tables": "<table><tr><td>", "rows": "<tr><td>a", "cells": "<td>a", "code in code": "<pre><code>",
		"ends": "</div>", "ends of others": "<p></b>", "comments": "<!--", "open tags": "<a ", "attributes": "<a b=c ", "ampersands": "&", "names of characters": "&amp",
		"scripts": "<script>", "breaks": "<br>", "words": "word ", "text like Markdown": "*_`[#", "spaces": " ", "headings": "<h1>", "left out in left out": "<svg>", "bases": "<base href=x>",
		"lines in code": "<pre>a\nb", "backticks": "<code>`", "items": "<li>a", "pictures": "<img src=a alt=b>",
	} {
		t.Run(name, func(t *testing.T) {
			costtest.Linear(t, 128<<10, func(n int) string { return strings.Repeat(unit, n/len(unit)) }, func(s string) { Convert(s, "https://example.com/") })
		})
	}
	costtest.Linear(t, 128<<10, func(n int) string {
		return "<table>" + strings.Repeat("<tr>"+strings.Repeat("<td>", n/10000), 200) + strings.Repeat("<b>", n/4) + strings.Repeat("</b>", n/4)
	}, func(s string) { Convert(s, "") })
}
