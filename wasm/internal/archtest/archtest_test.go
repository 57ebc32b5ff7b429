// Package archtest holds the program's layout, as tests that print the reason
// of each rule (docs/ARCHITECTURE.md#the-layout).
package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	module   = "embedded-agent"
	internal = module + "/wasm/internal/"
)

// root is the repository's root, as the tests of this package see it.
const root = "../../.."

// listed is a package as `go list -json` tells it.
type listed struct {
	ImportPath string
	Dir        string
	Imports    []string
	Deps       []string
	GoFiles    []string
	Export     string // with -export: the file of its types
}

// list asks go list about packages, for a system.
func list(t *testing.T, goos, goarch string, args ...string) []listed {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command here (as under js/wasm)")
	}
	cmd := exec.Command("go", append([]string{"list", "-e", "-json=ImportPath,Dir,Imports,Deps,GoFiles,Export"}, args...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %s", exit.Stderr)
		}
		t.Fatal(err)
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

var packages = sync.OnceValue(func() map[string]bool { return map[string]bool{} })

// core lists the program's packages as js/wasm sees them.
func core(t *testing.T) []listed {
	t.Helper()
	all := list(t, "js", "wasm", "./wasm/...")
	for _, p := range all {
		packages()[p.ImportPath] = true
	}
	return all
}

// within says whether a package is the one named, or below it; names are
// relative to wasm/internal.
func within(importPath string, names ...string) bool {
	for _, name := range names {
		full := internal + name
		if importPath == full || strings.HasPrefix(importPath, full+"/") {
			return true
		}
	}
	return false
}

func TestOnlyTheBridgeTouchesJavaScript(t *testing.T) {
	const reason = "syscall/js, safejs and vert are used in main_js.go and jsbridge only: everything else also runs natively, in tests and in the command"
	js := []string{"syscall/js", "github.com/hack-pad/safejs", "github.com/norunners/vert"}
	for _, p := range core(t) {
		if p.ImportPath == module+"/wasm" || within(p.ImportPath, "jsbridge") {
			continue
		}
		for _, i := range p.Imports {
			if slices.Contains(js, i) {
				t.Errorf("%s imports %s: %s", p.ImportPath, i, reason)
			}
		}
	}
}

func TestTheWasmLinksNothingHeavy(t *testing.T) {
	banned := map[string]string{
		"net/http":                                "costs 1.5 MB of main.js; HTTP is a host port that passes bytes",
		"text/template":                           "costs reflection over everything, so that the linker drops nothing",
		"html/template":                           "as text/template",
		"os/exec":                                 "there are no processes under wasm",
		"embedded-agent/wasm/internal/workcopy":   "is for commands, which only the native command starts",
		"embedded-agent/wasm/internal/staged":     "shows the changes of commands, which only the native command starts",
		"embedded-agent/wasm/internal/copychange": "tells the changes of commands, which only the native command starts",
		"embedded-agent/wasm/internal/mcp":        "offers notes to other programs, which only the native command does",
		"crypto/tls":                              "comes with net/http; the host does TLS",
		"testing":                                 "is for tests; it would register its flags in the plugin",
		"go/ast":                                  "is for the tests of the layout",
		"google.golang.org/protobuf/proto":        "costs 1 MB; traces are written as JSON",
	}
	for _, p := range list(t, "js", "wasm", "./wasm") {
		for _, dep := range p.Deps {
			why, bad := banned[dep]
			if strings.HasPrefix(dep, "github.com/modelcontextprotocol/") {
				why, bad = "is of package mcp, and brings net/http", true
			}
			if bad {
				t.Errorf("the core links %s, which %s", dep, why)
			}
		}
	}
}

// rule forbids packages to depend on others, directly or not.
type rule struct {
	of     []string // packages below wasm/internal
	never  []string // packages below wasm/internal, or full import paths
	reason string
}

var rules = []rule{
	{
		[]string{"plan", "policy", "vaultpath", "answer"},
		[]string{"host/hostfs", "host/hosttest", "journal", "runner", "llm", "server", "jsbridge", "os/exec", "net/http"},
		"plan, policy and answer are pure: what they decide must be the same at every time and on every machine",
	},
	{
		[]string{"planner", "agent", "llm"},
		[]string{"runner", "journal", "host/hostfs", "jsbridge", "server"},
		"what talks to a model can write only through the pipeline that it was handed",
	},
	{
		[]string{"runner", "journal", "overlay"},
		[]string{"llm", "planner", "agent"},
		"executing an approved plan cannot ask a model",
	},
	{
		[]string{"tool"},
		[]string{"journal", "overlay", "runner", "pipeline", "jsbridge", "host/hostfs", "server", "llm"},
		"tools get the host that they are handed (overlay or journaled), and never reach another",
	},
}

func TestNoPackageReachesWhatItMustNot(t *testing.T) {
	all := core(t)
	for _, r := range rules {
		for _, p := range all {
			if !within(p.ImportPath, r.of...) {
				continue
			}
			for _, dep := range p.Deps {
				for _, never := range r.never {
					if dep == never || within(dep, never) {
						t.Errorf("%s depends on %s: %s", p.ImportPath, dep, r.reason)
					}
				}
			}
		}
	}
}

func TestEveryRuleIsAboutPackagesThatAreThere(t *testing.T) {
	core(t)
	native := map[string]bool{}
	for _, p := range list(t, "linux", "amd64", "./wasm/...") {
		native[p.ImportPath] = true
	}
	for _, r := range rules {
		for _, name := range append(slices.Clone(r.of), r.never...) {
			path := internal + name
			standard := strings.Contains(name, "/") && !strings.HasPrefix(name, "host/")
			if !standard && !packages()[path] && !native[path] {
				t.Errorf("a rule names %s, which is not there: rename it in the rule", name)
			}
		}
	}
}

func TestThePlanAndThePolicyTakeNoContextAndReadNoClock(t *testing.T) {
	const reason = "the same plan must be judged the same way at every time: values are handed in"
	banned := []string{"context", "os", "time", "math/rand", "math/rand/v2", "crypto/rand", "net", "syscall"}
	for _, p := range core(t) {
		if !within(p.ImportPath, "plan", "policy") {
			continue
		}
		for _, i := range p.Imports {
			if slices.Contains(banned, i) && !onlyTypes(t, p, i) {
				t.Errorf("%s imports %s: %s", p.ImportPath, i, reason)
			}
		}
	}
}

// onlyTypes says whether a package uses of "time" or "context" nothing that
// reads the clock or makes a context.
func onlyTypes(t *testing.T, p listed, imported string) bool {
	t.Helper()
	active := map[string][]string{"time": {"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "NewTimer", "NewTicker", "Tick"}}[imported]
	if active == nil {
		return false
	}
	clean := true
	for _, name := range p.GoFiles {
		ast.Inspect(parse(t, filepath.Join(p.Dir, name)), func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == imported && slices.Contains(active, s.Sel.Name) {
					clean = false
				}
			}
			return true
		})
	}
	return clean
}

func TestTheProtocolIsTypesOnly(t *testing.T) {
	const reason = "package protocol is the contract: types and constants, from which the TypeScript side is generated"
	for _, name := range goFiles(t, filepath.Join(root, "wasm/internal/protocol")) {
		for _, d := range parse(t, name).Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				t.Errorf("%s declares func %s: %s", name, f.Name.Name, reason)
			}
		}
	}
}

func TestEveryFileForJavaScriptCarriesItsBuildTag(t *testing.T) {
	const reason = "without //go:build js && wasm a file named _js.go still builds for GOOS=js alone, and one that imports syscall/js breaks native builds"
	err := filepath.WalkDir(filepath.Join(root, "wasm"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		tagged := bytes.Contains(src, []byte("//go:build js && wasm\n"))
		named := strings.HasSuffix(path, "_js.go")
		if named != tagged && !strings.HasSuffix(path, "_test.go") {
			t.Errorf("%s: named _js.go is %v, tagged is %v: %s", path, named, tagged, reason)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func goFiles(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(all) == 0 {
		t.Fatalf("%s: no Go files (%v)", dir, err)
	}
	return slices.DeleteFunc(all, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
}

func parse(t *testing.T, name string) *ast.File {
	t.Helper()
	return parseInto(t, token.NewFileSet(), name, nil)
}

// parseInto reads a file whose places are to be known; src is its text, or nil
// for what is on the disk.
func parseInto(t *testing.T, fset *token.FileSet, name string, src any) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
