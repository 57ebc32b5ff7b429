package answer

import (
	"slices"
	"strings"

	"embedded-agent/wasm/internal/protocol"
)

// Warnings says what a text would do in a note, beside being read there: as
// sentences, none where it would do nothing. It is asked before an answer is
// inserted, and errs on the side of asking.
func Warnings(source string) []protocol.Message {
	out := []protocol.Message{}
	say := func(key string, names []string) {
		slices.Sort(names)
		names = slices.Compact(names)
		if len(names) > maxNamed {
			names = append(names[:maxNamed], "…")
		}
		out = append(out, protocol.Message{Key: key, Params: map[string]string{"names": strings.Join(names, ", ")}})
	}
	folded := strings.ToLower(source)
	if names := runningBlocks(folded); len(names) > 0 {
		say("chat.insert.block", names)
	}
	if names := containing(folded, "<%", "`$=", "`=", "{{"); len(names) > 0 {
		say("chat.insert.inline", names)
	}
	if names := containing(folded, activeHTML...); len(names) > 0 {
		say("chat.insert.html", names)
	}
	if hosts := loadedFrom(source); len(hosts) > 0 {
		say("chat.insert.loads", hosts)
	}
	return out
}

// maxNamed is how many names one sentence has.
const maxNamed = 5

// activeHTML begins what a note's HTML loads or runs.
var activeHTML = []string{
	"<script", "<iframe", "<object", "<embed", "<img", "<image", "<video", "<audio", "<source", "<svg", "<link", "<style", "<form", "<input", "<meta",
	"<base", "<frame", "<details", "<math", "style=", "onerror=", "onload=", "onclick=", "javascript:",
}

func containing(text string, what ...string) []string {
	var found []string
	for _, w := range what {
		if strings.Contains(text, w) {
			found = append(found, w)
		}
	}
	return found
}

// running are the code blocks that plugins in wide use, or the app, run when a
// note is shown; a name that begins with one of them counts too.
var running = []string{
	"dataview", "datacore", "js-engine", "jsengine", "button", "meta-bind", "customjs", "tasks", "query", "run-", "templater", "quickadd", "chart",
	"leaflet", "tracker", "base", "buttons", "shell", "eval", "exec", "widget", "iframe", "embed", "custom-frames", "media-view",
}

// runningBlocks gives the names of such blocks in a text, wherever their fence
// stands: in a quote or a list too.
func runningBlocks(text string) []string {
	var found []string
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(strings.TrimSpace(line), ">-*+ \t0123456789.)")
		rest := strings.TrimLeft(line, "`~")
		if len(line)-len(rest) < 3 {
			continue
		}
		name, _, _ := strings.Cut(strings.Trim(strings.TrimSpace(rest), "{}"), " ")
		for _, r := range running {
			if strings.HasPrefix(name, r) {
				found = append(found, shown(name[:min(len(name), 40)]))
				break
			}
		}
	}
	return found
}

// loadedFrom gives the hosts of the pictures that a note would load by itself.
func loadedFrom(source string) []string {
	var hosts []string
	var walk func([]Node)
	walk = func(nodes []Node) {
		for _, n := range nodes {
			if n.Kind == "image" {
				if host, ok := web(n.To); ok {
					hosts = append(hosts, host)
				} else if strings.Contains(n.To, "//") {
					hosts = append(hosts, n.To[:min(len(n.To), 60)])
				}
			}
			walk(n.Kids)
		}
	}
	walk(Draw(source, 0, plainHost).Blocks)
	if strings.Contains(source, "![[http") {
		hosts = append(hosts, "![[http…")
	}
	return hosts
}
