package archtest

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// fewWords is how many words two sets may share by chance: "ok" and "failed" end
// many things.
const fewWords = 2

func TestAClosedSetOfWordsStandsInProtocolAlone(t *testing.T) {
	const reason = "a second list of the same words lacks the one that is added next: use the constants of protocol. Only what is written to the disk has words of its own"
	allowed := map[string]string{
		"fault/fault.go":       "is the one list of codes; that of protocol is held to it",
		"action/action.go":     "is the format of actions on disk",
		"host/host.go":         "is the port to a vault: its operations are in the journals",
		"overlay/changeset.go": "has the states of a path, which the bytes of an approval are made of",
		"tool/call.go":         "is the format of the records of calls",
		"tool/tool.go":         "says what a tool does, in every manifest",
	}
	sets := map[string]map[string]bool{}
	for _, group := range constantsOf(parse(t, filepath.Join(root, "wasm/internal/protocol/words.go"))) {
		sets[group.typeName] = group.words
	}
	if len(sets) < 25 {
		t.Fatalf("only %d closed sets were found: the search is broken", len(sets))
	}
	onlyWhereListed(t, allowed, func(f *ast.File) []string {
		if f.Name.Name == "protocol" {
			return nil
		}
		var found []string
		for _, group := range constantsOf(f) {
			for name, set := range sets {
				if inBoth(group.words, set) > fewWords {
					found = append(found, "words of protocol."+name)
				}
			}
		}
		return found
	},
		func(file, bad string) { t.Errorf("%s has %s: %s", file, bad, reason) },
		func(at string) { t.Errorf("%s repeats no closed set any more: take it off the list", at) })
}

// constants are the texts of one group of constants, with the type of the last.
type constants struct {
	typeName string
	words    map[string]bool
}

func constantsOf(f *ast.File) []constants {
	var groups []constants
	for _, d := range f.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.CONST {
			continue
		}
		group := constants{words: map[string]bool{}}
		for _, s := range gen.Specs {
			spec := s.(*ast.ValueSpec)
			if id, ok := spec.Type.(*ast.Ident); ok {
				group.typeName = id.Name
			}
			for _, v := range spec.Values {
				if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if word, err := strconv.Unquote(lit.Value); err == nil && strings.TrimSpace(word) != "" {
						group.words[word] = true
					}
				}
			}
		}
		groups = append(groups, group)
	}
	return groups
}

func inBoth(a, b map[string]bool) int {
	n := 0
	for word := range a {
		if b[word] {
			n++
		}
	}
	return n
}
