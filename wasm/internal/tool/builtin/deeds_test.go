package builtin_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/offer"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

// gap is a parameter that has no value.
var gap = regexp.MustCompile(`\{[a-z]+\}`)

// everyTool gives the tools that come with the plugin.
func everyTool() []tool.Tool {
	return append(builtin.All(), modelstep.Tool(), agent.ReadTool(), offer.DescribeTool(nil))
}

// The panel's tests hold de and zh-CN to the keys and parameters of English.
func TestEachToolSaysWhatItsCallsDid(t *testing.T) {
	used := map[string]bool{"deed.nothing": true}
	for _, tl := range everyTool() {
		if tl.Deed.Key == "" {
			t.Errorf("%s: want words for what a call did, got none: add it to deeds.go", tl.Name)
			continue
		}
		for _, d := range []*tool.Deed{&tl.Deed, tl.Deed.Writing} {
			if d == nil {
				continue
			}
			keys := []string{"deed." + d.Key, "deed." + d.Key + ".doing"}
			if d.Moved != "" {
				keys = append(keys, "deed."+d.Moved, "deed."+d.Moved+".doing")
			}
			for _, key := range keys {
				used[key] = true
				if !i18n.Has(key) {
					t.Errorf("%s: want words for %q, got none", tl.Name, key)
				}
			}
		}
	}
	for _, key := range i18n.Keys() {
		key, _, _ = strings.Cut(key, "_")
		if strings.HasPrefix(key, "deed.") && !used[key] {
			t.Errorf("%q: want a tool that says it, got none", key)
		}
	}
}

// Each example of each tool, told as a call that goes on and as one that went well,
// is a sentence without gaps.
func TestTheDeedOfEveryExampleIsAWholeSentence(t *testing.T) {
	told := 0
	for _, tl := range everyTool() {
		if !slices.ContainsFunc(builtin.All(), func(b tool.Tool) bool { return b.Name == tl.Name }) {
			continue
		}
		for _, ex := range builtin.Examples(tl.Name) {
			for _, out := range []tool.Data{nil, ex.Output} {
				key, params := tl.Told(ex.Args, out)
				text := i18n.English(key, params)
				if told++; gap.MatchString(text) || strings.Contains(text, "  ") || strings.Contains(text, "“”") || strings.HasSuffix(text, " ") || text == key {
					t.Errorf("%s, %s: want a whole sentence, got %q of %v", tl.Name, ex.Name, text, params)
				}
			}
		}
	}
	if told < 100 {
		t.Errorf("want the deeds of at least 100 examples, got %d", told)
	}
}

func TestADeedNamesWhatWasDone(t *testing.T) {
	tools := map[string]tool.Tool{}
	for _, tl := range everyTool() {
		tools[tl.Name] = tl
	}
	for _, c := range []struct {
		tool string
		args tool.Args
		out  tool.Data
		want string
	}{
		{"vault.readFile", tool.Args{"path": "Garden/Soil.md"}, tool.Data{"path": "Garden/Soil.md"}, "Read Soil"},
		{"vault.readFile", tool.Args{"path": "Garden/Soil.md"}, nil, "Reading Soil"},
		{"vault.readFile", tool.Args{"path": "Plan.png"}, tool.Data{}, "Read Plan.png"},
		{"vault.searchText", tool.Args{"query": "compost"}, tool.Data{"hits": make([]any, 9)}, "Searched “compost”: 9 hits"},
		{"vault.searchText", tool.Args{"query": "compost"}, tool.Data{"hits": []any{}}, "Searched “compost”: 0 hits"},
		{"vault.rename", tool.Args{"path": "Soil.md", "newPath": "Earth.md"}, tool.Data{"path": "Earth.md", "from": "Soil.md"}, "Renamed Soil → Earth"},
		{"vault.rename", tool.Args{"path": "Soil.md", "newPath": "Garden/Soil.md"}, nil, "Moving Soil → Garden/"},
		{"vault.rename", tool.Args{"path": "Garden/Soil.md", "newPath": "Soil.md"}, tool.Data{"path": "Soil.md", "from": "Garden/Soil.md"}, "Moved Soil → /"},
		{"tags.add", tool.Args{"path": "A.md"}, tool.Data{"changed": []any{map[string]any{"path": "B/A.md", "count": 1}}, "count": 1}, "Added tags to A"},
		{"tags.add", tool.Args{"folder": "B"}, tool.Data{"changed": make([]any, 3), "count": 4}, "Added tags to 3 notes"},
		{"tags.add", tool.Args{"folder": "B"}, tool.Data{"changed": []any{}, "count": 0}, "Nothing to change"},
		{"vault.createFile", tool.Args{"title": "New"}, nil, "Creating New"},
		{"vault.createFile", tool.Args{"title": "New"}, tool.Data{"path": "New 1.md", "created": true}, "Created New 1"},
		{"vault.createFile", tool.Args{"title": "New"}, tool.Data{"path": "New.md", "created": false}, "Nothing to change"},
		{"http.request", tool.Args{"url": "https://example.org/a?key=x"}, tool.Data{}, "Fetched a page from example.org"},
		{"links.unlinkedMentions", tool.Args{}, tool.Data{"mentions": make([]any, 2)}, "Found 2 unlinked mentions"},
		{"links.unlinkedMentions", tool.Args{"link": true}, tool.Data{"changed": make([]any, 2)}, "Linked mentions in 2 notes"},
		{"agent.run", tool.Args{"prompt": "x"}, nil, "Asking the model"},
	} {
		tl := tools[c.tool]
		if got := i18n.English(tl.Told(c.args, c.out)); got != c.want {
			t.Errorf("%s %v %v: want %q, got %q", c.tool, c.args, c.out, c.want, got)
		}
	}
}
