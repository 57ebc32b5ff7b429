package server

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// names are few, so that random plans meet on them; some differ by case or
// Unicode form only.
var names = []string{"A.md", "B.md", "a.md", "F/C.md", "F/D.md", "f/C.md", "F/G/E.md", "P.png", "Ä.md", "New/N.md", "New/Deep/M.md"}

var texts = []string{"", "x", "one\ntwo\nthree\n", "[[B]] and [[C|see]]\n", "\ufeffbom\r\ncrlf\r\n", "---\nk: v\n---\nT #tag\n", "- [ ] task\n- [x] done\n"}

func randomVault(t *rapid.T) map[string]string {
	files := map[string]string{}
	for _, n := range names[:8] {
		if rapid.Bool().Draw(t, "there") {
			clash := slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(p string) bool {
				return strings.EqualFold(p, n) || strings.EqualFold(folderOf(p), folderOf(n)) && folderOf(p) != folderOf(n)
			})
			if !clash {
				files[n] = rapid.SampledFrom(texts).Draw(t, "text")
			}
		}
	}
	return files
}

func folderOf(p string) string {
	if i := strings.IndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

// randomPlan makes steps of what the names allow; each may fail, and is skipped
// then.
func randomPlan(t *rapid.T) string {
	path := func() string { return quote(rapid.SampledFrom(names).Draw(t, "path")) }
	text := func() string { return quote(rapid.SampledFrom(texts).Draw(t, "text")) }
	var steps []string
	for i := range rapid.IntRange(1, 8).Draw(t, "steps") {
		var tool, args string
		switch rapid.IntRange(0, 9).Draw(t, "tool") {
		case 0:
			tool, args = "vault.createFile", fmt.Sprintf(`{"path":%s,"content":%s,"onCollision":%q}`, path(), text(), rapid.SampledFrom([]string{"unique", "skip", "error"}).Draw(t, "collision"))
		case 1:
			tool, args = "vault.writeFile", fmt.Sprintf(`{"path":%s,"content":%s}`, path(), text())
		case 2:
			tool, args = "vault.appendFile", fmt.Sprintf(`{"path":%s,"content":"more","ifMissing":"create"}`, path())
		case 3:
			tool, args = "vault.rename", fmt.Sprintf(`{"path":%s,"newPath":%s,"onCollision":"unique"}`, path(), path())
		case 4:
			tool, args = "vault.delete", fmt.Sprintf(`{"path":%s}`, path())
		case 5:
			tool, args = "vault.delete", fmt.Sprintf(`{"path":%q}`, rapid.SampledFrom([]string{"F", "New", "F/G"}).Draw(t, "folder"))
		case 6:
			tool, args = "vault.rename", fmt.Sprintf(`{"path":%q,"newPath":%q}`, rapid.SampledFrom([]string{"F", "New", "F/G"}).Draw(t, "folder"), rapid.SampledFrom([]string{"Moved", "f", "New/In", "A"}).Draw(t, "to"))
		case 7:
			tool, args = "vault.ensureFolder", fmt.Sprintf(`{"path":%q}`, rapid.SampledFrom([]string{"New", "F/G", "Other/Deep"}).Draw(t, "folder"))
		case 8:
			tool, args = "vault.copyFile", fmt.Sprintf(`{"path":%s,"newPath":%s}`, path(), path())
		default:
			tool, args = "tags.add", `{"tags":["t"]}`
		}
		steps = append(steps, fmt.Sprintf(`{"id":"s%d","tool":%q,"args":%s,"onError":"skip"}`, i, tool, args))
	}
	return planOf("random", steps...)
}

// draw simulates a random plan over a random vault; nil where there is
// nothing to approve.
func draw(rt *rapid.T, t *testing.T, mem *hosttest.Memory) (*panel, *protocol.Review) {
	ui := begin(t, mem, free)
	r, err := ui.s.tx.OpenPlan(t.Context(), []byte(randomPlan(rt)), nil, false)
	if err != nil {
		rt.Fatal(err)
	}
	if n := mem.Counts().Ops(); n != 0 {
		rt.Fatalf("the simulation wrote %d times", n)
	}
	if !r.Approvable {
		return ui, nil
	}
	return ui, r
}

func TestARandomRunMakesWhatItsSimulationShowedAndIsTakenBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := rapid.SampledFrom(hosttest.Profiles()).Draw(rt, "profile")
		mem := hosttest.New(hosttest.Options{Profile: p, Files: randomVault(rt)})
		before := mem.Snapshot()
		ui, r := draw(rt, t, mem)
		defer ui.s.Close()
		if r == nil {
			return
		}
		shown := ui.shown(r)
		want := maps.Clone(before)
		applyShown(want, r, shown)
		end := ui.approve(r)
		if end.Outcome == "conflict" {
			rt.Fatalf("%s: want Outcome other than \"conflict\", got %+v", end.Outcome, end.Problem)
		}
		if d := want.Diff(mem.Snapshot()); d != "" {
			rt.Fatalf("the run differs from what was shown:\n%s\nfiles: %+v", d, r.Files)
		}
		checkEnvelopes(t, mem, r.Run)
		if v := call[protocol.Verified](ui, "run.verify", protocol.RunRef{Run: r.Run}); !v.OK {
			rt.Fatalf("want everything in order, got %+v", v)
		}
		if _, err := try[protocol.RunRef](ui, "run.replay", protocol.RunRef{Run: r.Run}); err != nil {
			rt.Fatalf("replay: %v", err)
		}
		if back, err := try[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: r.Run}); err != nil || back.Problem != nil {
			rt.Fatalf("revert: %v %+v", err, back.Problem)
		}
		if d := before.Diff(mem.Snapshot()); d != "" {
			rt.Fatalf("taken back:\n%s", d)
		}
	})
}

// applyShown makes of a vault what a review says that it will be: what goes, by
// its old path; what moves, the innermost first; then what is new. What is in the
// review by itself does not move along with its folder.
func applyShown(v hosttest.Snapshot, r *protocol.Review, shown map[string]protocol.FileView) {
	var renames []protocol.FileChange
	from := map[string]bool{}
	for _, f := range r.Files {
		if f.Status == "rename" {
			renames = append(renames, f)
			from[f.From] = true
		}
	}
	for _, f := range r.Files {
		if !from[f.Path] {
			delete(v, f.Path)
			delete(v, f.Path+"/")
		}
	}
	slices.SortFunc(renames, func(a, b protocol.FileChange) int { return len(b.From) - len(a.From) })
	moved := map[string][]byte{}
	for _, f := range renames {
		for p, data := range v {
			if p == f.From || p == f.From+"/" || strings.HasPrefix(p, f.From+"/") {
				moved[f.Path+p[len(f.From):]] = data
				delete(v, p)
			}
		}
	}
	maps.Copy(v, moved)
	for _, f := range r.Files {
		switch {
		case f.Status == "mkdir":
			v[f.Path+"/"] = nil
		case f.Status == "create", f.Status == "modify":
			v[f.Path] = []byte(shown[f.Path].After)
		case f.Status == "rename" && (shown[f.Path].Before != "" || shown[f.Path].After != ""):
			v[f.Path] = []byte(shown[f.Path].After)
		}
	}
}

func TestARandomEditInBetweenIsNeverLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		mem := hosttest.New(hosttest.Options{Files: randomVault(rt)})
		ui, r := draw(rt, t, mem)
		defer ui.s.Close()
		if r == nil {
			return
		}
		const mine = "MINE: nobody else writes this\n"
		edit := func() {
			path := rapid.SampledFrom(names).Draw(rt, "edited")
			for p := range mem.Snapshot() { // as a disk without two cases of a name has it
				if strings.EqualFold(p, path) {
					path = p
				}
			}
			if old, there := mem.File(path); there {
				mem.Put(path, string(old)+mine)
			} else if _, folder := mem.Snapshot()[folderOf(path)+"/"]; folder || folderOf(path) == "" {
				mem.Put(path, mine)
			} else {
				mem.Put("Elsewhere.md", mine)
			}
		}
		switch rapid.SampledFrom([]string{"before", "during", "after"}).Draw(rt, "when") {
		case "before":
			edit()
			ui.approveAnyway(r)
		case "during":
			mem.BeforeWrite(rapid.IntRange(1, 12).Draw(rt, "write"), edit)
			ui.approve(r)
		default:
			ui.approve(r)
			edit()
		}
		there := func() bool {
			for _, data := range mem.Snapshot() {
				if strings.Contains(string(data), strings.TrimSpace(mine)) {
					return true
				}
			}
			return len(mem.Trash()) > 0 && slices.ContainsFunc(mem.Trash(), func(x hosttest.Trashed) bool { return strings.Contains(string(x.Data), "MINE") })
		}
		was := there()
		if back, err := try[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: r.Run}); err != nil || back.Problem != nil {
			rt.Logf("revert: %v %+v", err, back.Problem)
		}
		if was && !there() {
			rt.Fatalf("the edit is lost: %v", mem.Snapshot())
		}
	})
}
