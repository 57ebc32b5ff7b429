package archtest

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// reviewMadeIn is the one file that makes reviews.
const reviewMadeIn = "transaction/review.go"

func TestAReviewIsNotChangedOnceItIsMade(t *testing.T) {
	const reason = "whoever holds a review reads it without a lock: begin a Draft, and make another one (" + reviewMadeIn + ")"
	for _, room := range []string{"transaction", "undo", "chat", "server"} {
		for _, bad := range newCode(t, room).changesOfReviews(t, "") {
			t.Errorf("%s changes a review: %s", bad, reason)
		}
	}
}

func TestAChangeOfAReviewIsFound(t *testing.T) {
	tx := newCode(t, "transaction")
	for _, c := range []struct{ code, want string }{
		{"rv.ID = id", "assigns to a review"},
		{"rv.MustAsk = true", "assigns to a review"},
		{"rv.View.Approvable = true", "assigns to a review"},
		{"rv.dropped[id] = overlay.Change{}", "assigns to a review"},
		{"(*rv).from++", "assigns to a review"},
		{"for rv.from = range 3 {}", "assigns to a review"},
		{"delete(rv.amend.Dropped, id)", "assigns to a review"},
		{"clear(rv.Called)", "assigns to a review"},
		{"*rv = Review{}", "assigns to a review, makes a review"},
		{"next := *rv; _ = next", "copies a review"},
		{"_ = &Review{ID: id}", "makes a review"},
		{"from := &rv.from; *from = 1", "takes the address of what is in a review"},
		{"(*decided).change(&rv.decided)", "takes the address of what is in a review"},
		{"rv.change()", "takes the address of what is in a review"},
		{"d := rv.again(); d.MustAsk, d.dropped[id] = true, rv.Changes[0]; _ = rv.callsAt(0)", ""},
	} {
		src := "package transaction\n\nimport \"embedded-agent/wasm/internal/overlay\"\n\nvar _ overlay.Change\n\n" +
			"func (d *decided) change() {}\n\nfunc planted(rv *Review, id string) {\n\t" + c.code + "\n}\n"
		found := tx.changesOfReviews(t, src)
		if got := strings.Join(found, ", "); c.want == "" && got != "" || strings.ReplaceAll(got, "planted.go ", "") != c.want {
			t.Errorf("%s: found %q, want %q", c.code, got, c.want)
		}
	}
}

// code is a package of the core, to be checked with its types.
type code struct {
	path  string
	fset  *token.FileSet
	files []*ast.File
	deps  types.Importer
}

func newCode(t *testing.T, room string) *code {
	t.Helper()
	c := &code{path: internal + room, fset: token.NewFileSet()}
	export := map[string]string{}
	for _, p := range list(t, "linux", "amd64", "-export", "-deps", "./wasm/internal/"+room) {
		export[p.ImportPath] = p.Export
		if p.ImportPath != c.path {
			continue
		}
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(c.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			c.files = append(c.files, f)
		}
	}
	c.deps = importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(export[path]) })
	return c
}

// changesOfReviews finds what changes a review, makes one or copies one, outside of
// the file that makes them. Planted is one more file of the package; "" for none.
func (c *code) changesOfReviews(t *testing.T, planted string) []string {
	t.Helper()
	files := slices.Clone(c.files)
	if planted != "" {
		f, err := parser.ParseFile(c.fset, "planted.go", planted, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	l := &reviewLook{info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}}
	conf := types.Config{Importer: c.deps}
	if _, err := conf.Check(c.path, c.fset, files, l.info); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := c.fset.Position(f.Pos()).Filename
		if strings.HasSuffix(filepath.ToSlash(name), "internal/"+reviewMadeIn) {
			continue
		}
		l.say = func(what string) { l.found = append(l.found, fmt.Sprintf("%s %s", filepath.Base(name), what)) }
		ast.Inspect(f, l.look)
	}
	return l.found
}

// reviewLook looks at code for what changes reviews.
type reviewLook struct {
	info  *types.Info
	say   func(string)
	found []string
}

func (l *reviewLook) look(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		l.assigned(n.Lhs...)
	case *ast.IncDecStmt:
		l.assigned(n.X)
	case *ast.RangeStmt:
		l.assigned(n.Key, n.Value)
	case *ast.CallExpr:
		if name, ok := n.Fun.(*ast.Ident); ok && slices.Contains([]string{"delete", "clear", "copy"}, name.Name) {
			l.assigned(n.Args[0])
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND && l.inReview(n.X) {
			l.say("takes the address of what is in a review")
		}
	case *ast.SelectorExpr:
		if l.changesPart(n) {
			l.say("takes the address of what is in a review")
		}
	case *ast.CompositeLit:
		if isReview(l.info.TypeOf(n)) {
			l.say("makes a review")
		}
	case *ast.ValueSpec:
		l.copied(n.Values...)
	}
	if s, ok := n.(*ast.AssignStmt); ok {
		l.copied(s.Rhs...)
	}
	return true
}

func (l *reviewLook) assigned(list ...ast.Expr) {
	for _, e := range list {
		if e != nil && (l.inReview(e) || l.isWhole(e)) {
			l.say("assigns to a review")
		}
	}
}

func (l *reviewLook) copied(list ...ast.Expr) {
	for _, e := range list {
		if l.isWhole(e) {
			l.say("copies a review")
		}
	}
}

// isWhole says whether an expression is a review itself, and no pointer to one.
func (l *reviewLook) isWhole(e ast.Expr) bool {
	star, ok := ast.Unparen(e).(*ast.StarExpr)
	return ok && isReview(l.info.TypeOf(star)) && !l.info.Types[star].IsType()
}

// inReview says whether an expression is something in a review: a field of it, of
// what a field points to, or of what is in one.
func (l *reviewLook) inReview(e ast.Expr) bool {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			if isReview(pointed(l.info.TypeOf(x.X))) {
				return true
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return false
		}
	}
}

// changesPart says whether a method of a part of a review gets the address of the
// part, with which it may change it.
func (l *reviewLook) changesPart(s *ast.SelectorExpr) bool {
	sel := l.info.Selections[s]
	if sel == nil || sel.Kind() != types.MethodVal || !isReview(pointed(sel.Recv())) || len(sel.Index()) < 2 {
		return false
	}
	f, ok := sel.Obj().(*types.Func)
	if !ok {
		return false
	}
	_, byAddress := f.Signature().Recv().Type().(*types.Pointer)
	return byAddress
}

func pointed(t types.Type) types.Type {
	if p, ok := t.(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

func isReview(t types.Type) bool {
	named, ok := t.(*types.Named)
	return ok && named.Obj().Name() == "Review" && named.Obj().Pkg().Path() == internal+"transaction"
}
