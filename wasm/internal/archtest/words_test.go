package archtest

import (
	"encoding/json"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"embedded-agent/i18n"
)

// keyPattern is how the key of a message looks in Go code.
var keyPattern = regexp.MustCompile(`^[a-z][A-Za-z0-9]*(\.[A-Za-z0-9]+)+$`)

// areas are the first parts of the keys that Go code names.
func areas() map[string]bool {
	all := map[string]bool{}
	for _, key := range i18n.Keys() {
		first, _, _ := strings.Cut(key, ".")
		all[first] = true
	}
	return all
}

func TestEveryMessageThatGoCodeNamesHasWords(t *testing.T) {
	const reason = "a person would see the key instead of a sentence: add it to i18n/en"
	err := filepath.WalkDir(filepath.Join(root, "wasm"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		for _, key := range keysOf(parse(t, path)) {
			if !i18n.Has(key) {
				t.Errorf("%s names the message %q, which has no words: %s", path, key, reason)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// keysOf finds message keys: the key of fault.New, and Key fields of literals.
func keysOf(f *ast.File) []string {
	var keys []string
	add := func(e ast.Expr) {
		lit, ok := e.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return // made at run time: the tests of its package see to it
		}
		if key, err := strconv.Unquote(lit.Value); err == nil && keyPattern.MatchString(key) {
			keys = append(keys, key)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) >= 2 {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "fault" && s.Sel.Name == "New" {
					add(n.Args[1])
				}
			}
		case *ast.CompositeLit:
			s, ok := n.Type.(*ast.SelectorExpr)
			if !ok || s.Sel.Name != "Message" && s.Sel.Name != "Problem" && s.Sel.Name != "Error" {
				return true
			}
			if x, ok := s.X.(*ast.Ident); !ok || x.Name != "protocol" && x.Name != "fault" {
				return true
			}
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if id, ok := kv.Key.(*ast.Ident); ok && id.Name == "Key" {
						add(kv.Value)
					}
				}
			}
		}
		return true
	})
	return keys
}

var placeholder = regexp.MustCompile(`\{([A-Za-z0-9_]+)\}`)

// catalogue reads one language: key to words.
func catalogue(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no words (%v)", dir, err)
	}
	all := map[string]string{}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		area := map[string]string{}
		if err := json.Unmarshal(raw, &area); err != nil {
			t.Fatalf("%s: want no error, got %v", name, err)
		}
		for key := range area {
			if _, twice := all[key]; twice {
				t.Errorf("%s: %s is there twice", name, key)
			}
		}
		maps.Copy(all, area)
	}
	return all
}

// stem takes the plural form off a key: languages have different forms.
func stem(key string) string {
	for _, form := range []string{"_zero", "_one", "_two", "_few", "_many", "_other"} {
		if s, ok := strings.CutSuffix(key, form); ok {
			return s
		}
	}
	return key
}

func TestEveryLanguageSaysEverythingWithTheSamePlaceholders(t *testing.T) {
	dir := filepath.Join(root, "i18n")
	english := catalogue(t, filepath.Join(dir, "en"))
	if len(areas()) == 0 {
		t.Fatal("the English catalogue is empty")
	}
	stems := map[string]string{} // to the placeholders of the _other form
	for key, words := range english {
		if s := stem(key); s == key || strings.HasSuffix(key, "_other") {
			stems[s] = placeholders(words)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	offered, err := os.ReadFile(filepath.Join(dir, "catalogues.ts"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() || e.Name() == "en" || !strings.Contains(string(offered), "./"+e.Name()+"/") {
			continue // a language is offered when all of it is there
		}
		other := catalogue(t, filepath.Join(dir, e.Name()))
		said := map[string]bool{}
		for key, words := range other {
			want, known := stems[stem(key)]
			said[stem(key)] = true
			switch {
			case !known:
				t.Errorf("%s: %s is not in English", e.Name(), key)
			case (stem(key) == key || strings.HasSuffix(key, "_other")) && placeholders(words) != want:
				t.Errorf("%s: %s has the placeholders %q, English has %q", e.Name(), key, placeholders(words), want)
			}
		}
		for s := range stems {
			if !said[s] {
				t.Errorf("%s does not say %s", e.Name(), s)
			}
		}
	}
}

func placeholders(words string) string {
	var names []string
	for _, m := range placeholder.FindAllStringSubmatch(words, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
}
