package archtest

import (
	"bytes"
	"go/ast"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"
)

// What one person can hold in mind: the lines of a package's code, without tests,
// and the fields and methods of a struct.
const (
	maxLines   = 4500
	maxFields  = 15
	maxMethods = 40
)

// overLines are the packages that have more lines, with how many they may have.
var overLines = map[string]int{}

// overFields and overMethods are the types that have more, with how many they
// may have.
var (
	overFields = map[string]int{
		// What crosses, or is kept, has the fields that it has: each method, each
		// setting, each part of a record.
		"protocol.CallView": 19, "protocol.HostMethods": 33, "protocol.Review": 20, "protocol.RunSummary": 16,
		"protocol.RunState": 16, "protocol.ServerMethods": 46, "protocol.Settings": 39, "protocol.Turn": 18, "proxy.logLine": 24, "proxy.response": 31,
		"proxy.wireRequest": 22, "history.Run": 22, "tool.Call": 24, "tool.Result": 23, "tool.Spec": 18,
	}
	overMethods = map[string]int{
		"host/hosttest.Memory": 53, // every port of a host
	}
)

func TestAPackageCanBeReadInADay(t *testing.T) {
	const reason = "a package is one idea: cut off what can be understood by itself"
	lines := map[string]int{}
	eachGoFile(t, func(file string) {
		src, err := os.ReadFile(filepath.Join(root, "wasm/internal", file))
		if err != nil {
			t.Fatal(err)
		}
		if dir := path.Dir(file); dir != "tool/builtin" { // each tool is a file of its own
			lines[dir] += bytes.Count(src, []byte("\n"))
		}
	})
	holdCeilings(t, "lines of code", lines, maxLines, overLines, reason)
}

func TestAStructHasNoMoreFieldsAndMethodsThanAnybodyCanKnow(t *testing.T) {
	const reason = "a type of many parts is several: group what belongs together, with its rule beside it"
	fields, methods := map[string]int{}, map[string]int{}
	eachGoFile(t, func(file string) {
		for _, d := range parse(t, filepath.Join(root, "wasm/internal", file)).Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, s := range d.Specs {
					spec, ok := s.(*ast.TypeSpec)
					if !ok {
						continue
					}
					if st, ok := spec.Type.(*ast.StructType); ok {
						fields[path.Dir(file)+"."+spec.Name.Name] = fieldsOf(st)
					}
				}
			case *ast.FuncDecl:
				if d.Recv != nil {
					methods[path.Dir(file)+"."+receiver(d.Recv.List[0].Type)]++
				}
			}
		}
	})
	holdCeilings(t, "fields", fields, maxFields, overFields, reason)
	holdCeilings(t, "methods", methods, maxMethods, overMethods, reason)
}

func fieldsOf(st *ast.StructType) int {
	n := 0
	for _, f := range st.Fields.List {
		n += max(1, len(f.Names)) // an embedded one has no name
	}
	return n
}

// receiver gives the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// holdCeilings holds counts to a limit, and those that are over it to a ceiling
// of their own. A ceiling goes down with what it holds, and never up.
func holdCeilings(t *testing.T, of string, counts map[string]int, limit int, over map[string]int, reason string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		n, ceiling := counts[name], limit
		if higher, listed := over[name]; listed {
			ceiling = higher
		}
		if n > ceiling {
			t.Errorf("%s has %d %s, of %d: %s", name, n, of, ceiling, reason)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(over)) {
		switch n, ceiling := counts[name], over[name]; {
		case n <= limit:
			t.Errorf("%s has %d %s, which is within the limit of %d: take it off the list", name, n, of, limit)
		case n < ceiling-ceiling/20:
			t.Errorf("%s has %d %s by now: lower its ceiling of %d", name, n, of, ceiling)
		}
	}
}
