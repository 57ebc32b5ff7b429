package archtest

import (
	"go/ast"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/offer"
	"embedded-agent/wasm/internal/tool/builtin"
)

// namesTools are the files and folders, below wasm/internal, in which the name of
// a tool may stand, with the reason.
var namesTools = map[string]string{
	"eval/script.go":      "plays models, which call tools by their names",
	"tool/builtin":        "makes the tools",
	"modelstep":           "makes a tool of its own",
	"agent/readoutput.go": "makes a tool of its own",
	"offer/describe.go":   "makes a tool of its own",
	"plan/plantest":       "has stand-ins for tools, for tests",
	"protocol":            "has methods of the boundary that are called as tools are",
	"jsbridge":            "calls methods of the boundary that are called as tools are",
	"server/dispatch.go":  "serves methods of the boundary that are called as tools are",
}

func TestNothingGoesByTheNameOfATool(t *testing.T) {
	const reason = "what a tool does is said by its facts (tool.Facts), which also hold for a tool that is added later; one that is called by the core has a constant in package builtin"
	var names []string
	for _, tl := range append(builtin.All(), modelstep.Tool(), agent.ReadTool(), offer.DescribeTool(nil)) {
		names = append(names, tl.Name)
	}
	onlyWhereListed(t, namesTools, func(f *ast.File) []string { return toolNamesIn(f, names) },
		func(file, name string) { t.Errorf("%s names the tool %s: %s", file, name, reason) },
		func(at string) { t.Errorf("%s names no tool any more: take it off the list", at) })
}

// eachGoFile calls f for every Go file that is no test, with its path from
// wasm/internal.
func eachGoFile(t *testing.T, f func(file string)) {
	t.Helper()
	dir := filepath.Join(root, "wasm/internal")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		relative, err := filepath.Rel(dir, path)
		if err == nil {
			f(filepath.ToSlash(relative))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// listedAt gives the entry of a list that a file is in, or below; "" for none.
func listedAt(list map[string]string, file string) string {
	for at := range list {
		if file == at || strings.HasPrefix(file, at+"/") {
			return at
		}
	}
	return ""
}

// toolNamesIn finds texts that are the name of a tool, or hold one as JSON does.
func toolNamesIn(f *ast.File, names []string) []string {
	var found []string
	ast.Inspect(f, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(lit.Value)
		if err != nil {
			return true
		}
		for _, name := range names {
			if text == name || strings.Contains(text, `"`+name+`"`) {
				found = append(found, name)
			}
		}
		return true
	})
	slices.Sort(found)
	return slices.Compact(found)
}
