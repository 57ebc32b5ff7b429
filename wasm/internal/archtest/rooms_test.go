package archtest

import (
	"bytes"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// floor is the rooms of the core that stand beside each other, and why they stand
// there. A room may import those of the floors below it. It imports none of its
// own floor and none above: what it needs of them is handed to it as a function,
// by server (docs/adr/0027).
type floor struct {
	rooms []string
	why   string
}

// house is the rooms of the core, from the bottom up.
var house = []floor{
	{[]string{"outbox", "network"}, "telling the panel, and what may be reached, need nothing else of the core"},
	{[]string{"ask", "usage", "pins"}, "each keeps one thing and tells of it; none knows why it is asked"},
	{[]string{"guard"}, "what is allowed does not depend on who asks: a plan, an agent or an import"},
	{[]string{"history"}, "past runs are kept and shown alike, and nothing of it carries one out"},
	{[]string{"underway", "takeover"}, "whose a run is must be known before anybody carries it out or takes it back"},
	{[]string{"transaction", "saved"}, "a plan is carried out without knowing who made it, and kept without being carried out"},
	{[]string{"undo", "staged"}, "taking back, and what other programs ask for, are runs of their own, made with what carries out plans"},
	{[]string{"chat"}, "whoever talks to a model hands over a plan, and is never called by what carries it out"},
	{[]string{"server"}, "only the wiring knows all rooms"},
}

// floorOf gives the floor of a package; -1 for what is no room of the core.
func floorOf(importPath string) int {
	return slices.IndexFunc(house, func(f floor) bool {
		return slices.Contains(f.rooms, strings.TrimPrefix(importPath, internal))
	})
}

func TestTheRoomsDoNotCallUpwards(t *testing.T) {
	there := map[string]bool{}
	for _, p := range core(t) {
		at := floorOf(p.ImportPath)
		if at < 0 {
			continue
		}
		there[strings.TrimPrefix(p.ImportPath, internal)] = true
		for _, i := range p.Imports {
			if to := floorOf(i); to >= at {
				t.Errorf("%s imports %s, which is not below it: %s. Let server hand it a function",
					p.ImportPath, i, house[at].why)
			}
		}
	}
	for _, f := range house {
		for _, r := range f.rooms {
			if !there[r] {
				t.Errorf("room %s is not there: name it in house as it is called now", r)
			}
		}
	}
}

func TestOnlyAnEntryLooksIntoTheRooms(t *testing.T) {
	const reason = "what rooms are made of is used by several of them and knows none"
	for _, p := range append(core(t), list(t, "linux", "amd64", "./wasm/...")...) {
		entry := within(p.ImportPath, "cli", "eval", "jsbridge/testcore") || !strings.HasPrefix(p.ImportPath, internal)
		if floorOf(p.ImportPath) >= 0 {
			continue
		}
		for _, i := range p.Imports {
			if floorOf(i) >= 0 && !(entry && i == internal+"server") {
				t.Errorf("%s imports %s: %s; an entry to the program (wasm, cmd, cli, eval) uses server alone", p.ImportPath, i, reason)
			}
		}
	}
}

func TestWhatCarriesOutAPlanAsksNoModelItself(t *testing.T) {
	const reason = "no room below chat may reach a model, directly or not; what a simulation needs of one comes in as functions (transaction.Talk)"
	chat := floorOf(internal + "chat")
	for _, p := range core(t) {
		if at := floorOf(p.ImportPath); at < 0 || at >= chat {
			continue
		}
		for _, dep := range p.Deps {
			if within(dep, "llm", "agent", "planner", "conversation") {
				t.Errorf("%s depends on %s: %s", p.ImportPath, dep, reason)
			}
		}
	}
}

func TestOnlyASimulationIsHandedWhatAsksAModel(t *testing.T) {
	const reason = "in a run, a replay and a recovery a model step has the answer that was approved, and asks nobody"
	allowed := map[string]string{
		"transaction/simulation.go": "hands it to the tools of a simulation",
		"modelstep/modelstep.go":    "is the tool that it is handed to",
		"server/server.go":          "takes it from chat",
	}
	onlyWhereListed(t, allowed, func(f *ast.File) []string {
		var found []string
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && (s.Sel.Name == "AskModel" || isModelAsk(s)) {
				found = append(found, "what asks a model")
			}
			return true
		})
		return found
	}, func(file, found string) { t.Errorf("%s uses %s: %s", file, found, reason) },
		func(at string) { t.Errorf("%s does not use it any more: take it off the list", at) })
}

// isModelAsk says whether an expression is tool.Env.Model.Ask.
func isModelAsk(s *ast.SelectorExpr) bool {
	of, ok := s.X.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "Ask" && of.Sel.Name == "Model"
}

func TestTheServerIsDispatchAndWiring(t *testing.T) {
	const (
		most   = 600
		reason = "what decides or keeps anything belongs in a room of its own; server hands out the methods and puts the rooms together"
	)
	lines := 0
	for _, name := range goFiles(t, filepath.Join(root, "wasm/internal/server")) {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(src, []byte("\n"))
		for _, i := range parse(t, name).Imports {
			if i.Path.Value == `"sync"` {
				t.Errorf("%s has a lock, so it keeps something: %s", name, reason)
			}
		}
	}
	if lines >= most {
		t.Errorf("server has %d lines, of under %d: %s", lines, most, reason)
	}
}
