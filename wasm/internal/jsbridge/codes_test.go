package jsbridge

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"embedded-agent/wasm/internal/fault"
)

func TestTheCodesThatCrossAreThoseOfErrors(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "../protocol/words.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var words []fault.Code
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if of, ok := spec.Type.(*ast.Ident); ok && of.Name == "ProblemCode" {
			word, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			words = append(words, fault.Code(word))
		}
		return true
	})
	if want := fault.Codes(); !slices.Equal(words, want) {
		t.Errorf("protocol.ProblemCode has the words %v, the errors have %v: every code crosses, in one order", words, want)
	}
}
