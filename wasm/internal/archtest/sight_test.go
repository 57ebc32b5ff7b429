package archtest

import (
	"go/ast"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// forThePerson are the files of the rooms that touch the vault itself, with what
// they do for the person alone: runs carry out approved bytes, the others undo them
// or compare.
var forThePerson = map[string]string{
	"guard/inforce.go":            "lays the guard of that moment over every write",
	"staged/kept.go":              "stages calls again on all that is there, names that are taken among it; tools see it by transaction.Over",
	"staged/staged.go":            "plans what a command left, and asks again what it may touch",
	"transaction/surroundings.go": "makes the overlays and the surroundings that tools are handed",
	"transaction/segment.go":      "has the open notes read again after a command",
	"transaction/deeds.go":        "keeps what a call that was not simulated has done",
	"transaction/drift.go":        "compares what was approved with what is there",
	"transaction/replay.go":       "puts the vault of a past run together, and compares",
	"transaction/review.go":       "makes the vault that an undo is shown on",
	"transaction/stricter.go":     "asks again what the approved writes may touch",
	"undo/revert.go":              "reads what is to be restored or merged",
	"undo/settling.go":            "looks which writes of a dead core were made",
	"undo/undo.go":                "makes the writes of an undo",
	"undo/undoreview.go":          "shows what an undo would change",
	"underway/runs.go":            "looks at the notes of a run that was left",
}

// underSight are the ports of the host that tell of notes.
var underSight = []string{"Vault", "Editor", "Workspace", "Commands", "Metadata", "Changes"}

func TestWhatLeavesTheVaultIsHandedTheHostThroughPackageSight(t *testing.T) {
	const reason = "what a model, a tool or an action is given comes from Guard.Visible or transaction.Over: a path that may not be seen must not be readable by mistake"
	used := map[string]bool{}
	for _, f := range house {
		for _, r := range f.rooms {
			for _, name := range goFiles(t, filepath.Join(root, "wasm/internal", r)) {
				file := r + "/" + filepath.Base(name)
				for _, what := range reachesNotes(t, name) {
					used[file] = true
					if forThePerson[file] == "" {
						t.Errorf("%s reaches the vault past its rule (%s): %s", file, what, reason)
					}
				}
			}
		}
	}
	for file := range forThePerson {
		if !used[file] {
			t.Errorf("%s is listed and does not touch the vault: take it off the list", file)
		}
	}
}

// reachesNotes lists where a file reaches notes without package sight.
func reachesNotes(t *testing.T, name string) []string {
	t.Helper()
	var found []string
	ast.Inspect(parse(t, name), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if in, ok := n.X.(*ast.SelectorExpr); ok && strings.EqualFold(in.Sel.Name, "host") && slices.Contains(underSight, n.Sel.Name) {
				found = append(found, "uses host."+n.Sel.Name)
			}
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "overlay" && (n.Sel.Name == "New" || n.Sel.Name == "NewBase") {
				found = append(found, "makes an overlay")
			}
		case *ast.CompositeLit:
			if s, ok := n.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Env" {
				found = append(found, "makes the surroundings of a tool")
			}
		}
		return true
	})
	return found
}

func TestThePackagesThatTalkToAModelAreHandedNoHost(t *testing.T) {
	const reason = "planner and agent are given what may be seen, and look at nothing themselves"
	for _, p := range core(t) {
		if !within(p.ImportPath, "planner", "llm", "conversation") {
			continue
		}
		for _, name := range p.GoFiles {
			ast.Inspect(parse(t, filepath.Join(p.Dir, name)), func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "host" && slices.Contains([]string{"Host", "Vault", "Editor", "Workspace"}, s.Sel.Name) {
						t.Errorf("%s names host.%s: %s", p.ImportPath, s.Sel.Name, reason)
					}
				}
				return true
			})
		}
	}
}
