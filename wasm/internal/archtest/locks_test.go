package archtest

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// lockRule matches a comment that says what a lock is for.
var lockRule = regexp.MustCompile(`\b(guards|held)\b`)

func TestEveryLockSaysWhatItGuards(t *testing.T) {
	const reason = "whoever adds a field has to know whether it is guarded: say beside the lock what it guards, or while what it is held, and keep that below it"
	locks := 0
	eachGoFile(t, func(file string) {
		all, silent := locksOf(parse(t, filepath.Join(root, "wasm/internal", file)))
		locks += all
		for _, name := range silent {
			t.Errorf("%s: the lock of %s: %s", file, name, reason)
		}
	})
	if locks < 60 {
		t.Errorf("only %d locks were found: the search is broken", locks)
	}
}

func TestASilentLockIsFound(t *testing.T) {
	for src, want := range map[string][]string{
		"type a struct { mu sync.Mutex }":                                         {"a"},
		"type a struct { x int\n\n\tmu sync.RWMutex // the lock\n}":               {"a"},
		"type a struct { sync.Mutex }":                                            {"a"},
		"type a struct {\n\tmu struct {\n\t\tsync.Mutex\n\t\tx int\n\t}\n}":       {"a"},
		"var mu sync.Mutex":                                                       {"mu"},
		"type a struct {\n\tmu sync.Mutex // guards x\n\tx int\n}":                nil,
		"type a struct {\n\t// mu guards x.\n\tmu struct {\n\t\tsync.Mutex\n\t}}": nil,
		"// mu is held while x is read.\nvar mu sync.Mutex":                       nil,
	} {
		_, got := locksOf(parseInto(t, token.NewFileSet(), "x.go", "package x\n\n"+src))
		if !slices.Equal(got, want) {
			t.Errorf("%q: silent are %v, want %v", src, got, want)
		}
	}
}

// locksOf counts the locks of a file that are fields or of the package, and names the
// types and variables whose lock does not say what it guards.
func locksOf(f *ast.File) (all int, silent []string) {
	look := func(name string, of ast.Expr, comments ...*ast.CommentGroup) {
		if x, sel := selector(of); x != "sync" || sel != "Mutex" && sel != "RWMutex" {
			return
		}
		all++
		if !slices.ContainsFunc(comments, func(c *ast.CommentGroup) bool { return lockRule.MatchString(c.Text()) }) {
			silent = append(silent, name)
		}
	}
	for _, d := range f.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range gen.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				look(s.Names[0].Name, s.Type, s.Doc, s.Comment, gen.Doc)
			case *ast.TypeSpec:
				if st, ok := s.Type.(*ast.StructType); ok {
					lockFields(st, func(of ast.Expr, c ...*ast.CommentGroup) { look(s.Name.Name, of, c...) })
				}
			}
		}
	}
	return all, silent
}

// lockFields calls f for each field of a struct and of the structs in it, with its
// comments and those of the struct that it is in.
func lockFields(st *ast.StructType, f func(of ast.Expr, comments ...*ast.CommentGroup), outer ...*ast.CommentGroup) {
	for _, field := range st.Fields.List {
		comments := append([]*ast.CommentGroup{field.Doc, field.Comment}, outer...)
		f(field.Type, comments...)
		if inner, ok := field.Type.(*ast.StructType); ok {
			lockFields(inner, f, comments...)
		}
	}
}
