package archtest

import (
	"go/ast"
	"path/filepath"
	"slices"
	"testing"
)

// forThePerson are the files of package server that touch the vault itself. They
// work for the person alone: runs carry out approved bytes, the rest undoes them
// or compares; surroundings.go is where overlays for tools are made.
var forThePerson = []string{
	"surroundings.go", "server.go", "execution.go", "recovery.go", "revert.go", "revertahead.go", "drift.go", "replay.go", "ground.go", "segment.go", "settling.go",
	"stricter.go", "undo.go", "undoreview.go", "deeds.go",
}

// underSight are the ports of the host that tell of notes.
var underSight = []string{"Vault", "Editor", "Workspace", "Commands", "Metadata", "Changes"}

func TestWhatLeavesTheVaultIsHandedTheHostThroughPackageSight(t *testing.T) {
	const reason = "what a model, a tool or an action is given comes from Guard.Visible or an overlay made by over(): a path that may not be seen must not be readable by mistake"
	for _, name := range goFiles(t, filepath.Join(root, "wasm/internal/server")) {
		base := filepath.Base(name)
		if slices.Contains(forThePerson, base) {
			continue
		}
		ast.Inspect(parse(t, name), func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if in, ok := n.X.(*ast.SelectorExpr); ok && in.Sel.Name == "host" && slices.Contains(underSight, n.Sel.Name) {
					t.Errorf("%s uses host.%s: %s", base, n.Sel.Name, reason)
				}
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "overlay" && (n.Sel.Name == "New" || n.Sel.Name == "NewBase") {
					t.Errorf("%s makes an overlay: %s", base, reason)
				}
			case *ast.CompositeLit:
				if s, ok := n.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Env" {
					t.Errorf("%s makes the surroundings of a tool: %s", base, reason)
				}
			}
			return true
		})
	}
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
