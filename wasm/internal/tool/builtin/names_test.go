package builtin_test

import (
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

// spellings gives a name as people and models write it.
func spellings(name string) []string {
	var camel, snake strings.Builder
	for i, word := range strings.Split(name, "_") {
		if i > 0 && word != "" {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		camel.WriteString(word)
	}
	for _, r := range camel.String() {
		if r >= 'A' && r <= 'Z' {
			snake.WriteByte('_')
		}
		snake.WriteString(strings.ToLower(string(r)))
	}
	c := camel.String()
	return []string{name, c, snake.String(), strings.ToUpper(c[:1]) + c[1:]}
}

func TestTheSpecificationsOwnSpellingsReadANote(t *testing.T) {
	for _, name := range []string{"path", "file_path", "filePath", "FilePath"} {
		h := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "alpha"}}).Host()
		data, err := call(t, envOf(h), "vault.readFile", map[string]any{name: "A.md"})
		if err != nil || data["content"] != "alpha" {
			t.Errorf("%s: want no error and data[\"content\"] \"alpha\", got %v %v", name, data, err)
		}
	}
}

func TestEveryAliasReachesItsParameterInEverySpelling(t *testing.T) {
	n := 0
	for _, e := range registry(t).All() {
		for alias, own := range e.Aliases {
			for _, name := range spellings(alias) {
				args, err := e.NormaliseArgs(map[string]any{name: "x"})
				if err != nil || len(args) != 1 || args[own] != "x" {
					t.Errorf("%s: %s became %v instead of %s, %v", e.Name, name, args, own, err)
				}
				n++
			}
		}
	}
	if n < 300 {
		t.Errorf("%d spellings were tried", n)
	}
}

func TestTheRegistrysVersionFollowsTheVersionOfEachTool(t *testing.T) {
	version := func(tools []tool.Tool) string {
		t.Helper()
		r, err := tool.NewRegistry(tools...)
		if err != nil {
			t.Fatal(err)
		}
		return r.Version()
	}
	all := builtin.All()
	was := version(all)
	back := slices.Clone(all)
	slices.Reverse(back)
	if again := version(back); again != was {
		t.Errorf("the order of the tools changes the version: %s, then %s", was, again)
	}
	seen := map[string]string{was: "the registry itself"}
	differs := func(how, v string) {
		t.Helper()
		if other, twice := seen[v]; twice {
			t.Errorf("%s has the version of %s", how, other)
		}
		seen[v] = how
	}
	for i, e := range all {
		moved := slices.Clone(all)
		moved[i].Version += ".1"
		differs(e.Name+" with another version", version(moved))
		differs("without "+e.Name, version(slices.Delete(slices.Clone(all), i, i+1)))
		older := e
		older.Version += ".2"
		differs("with a second "+e.Name, version(append(slices.Clone(all), older)))
	}
}
