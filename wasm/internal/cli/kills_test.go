//go:build !js

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// realVault gives some notes of a real vault: of VAULT, else of one that lies
// beside the project, else the playground's sample notes.
func realVault(t *testing.T) map[string][]byte {
	t.Helper()
	roots := []string{os.Getenv("VAULT")}
	beside, err := filepath.Glob("../../../../shared/vaults/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range append(append(roots, beside...), "../../../test/playground/vault") {
		if root == "" {
			continue
		}
		if notes := notesBelow(t, root); len(notes) >= 5 {
			return notes
		}
	}
	t.Skip("there is no vault here: name one by VAULT")
	return nil
}

// notesBelow reads up to 20 notes.
func notesBelow(t *testing.T, root string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipAll // it is not there
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root:
			return fs.SkipDir
		case len(out) == 20:
			return fs.SkipAll
		case d.Type().IsRegular() && filepath.Ext(path) == ".md":
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			data, err := os.ReadFile(path)
			out[filepath.ToSlash(rel)] = data
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// killPlan appends to every note, makes as many, moves the folder of one, appends
// again and deletes some.
func killPlan(notes []string) string {
	list, err := json.Marshal(notes)
	if err != nil {
		panic(err) // texts
	}
	steps := []string{
		`{"id":"more","tool":"vault.appendFile","args":{"path":"{n}","content":"\nRUN\n"},"foreach":{"from":` + string(list) + `,"itemName":"n"}}`,
		`{"id":"make","tool":"vault.createFile","args":{"folder":"Made/Deep","title":"{index}","content":"RUN {n}\n"},"foreach":{"from":` + string(list) + `,"itemName":"n"},"dependsOn":["more"]}`,
		`{"id":"move","tool":"vault.rename","args":{"path":"Made","newPath":"Moved"},"dependsOn":["make"]}`,
		`{"id":"again","tool":"vault.appendFile","args":{"path":"Moved/Deep/{index}.md","content":"RUN again\n"},"foreach":{"from":` + string(list) + `,"itemName":"n"},"dependsOn":["move"]}`,
		`{"id":"gone","tool":"vault.delete","args":{"path":"{n}"},"foreach":{"from":` + firstOf(notes, 5) + `,"itemName":"n"},"dependsOn":["again"]}`,
	}
	return `{"goal":"Kill me","assumptions":[],"riskLevel":"writes","steps":[` + strings.Join(steps, ",\n") + `]}`
}

func firstOf(notes []string, n int) string {
	list, err := json.Marshal(notes[:min(n, len(notes))])
	if err != nil {
		panic(err) // texts
	}
	return string(list)
}

// Kills from outside: the command is killed by SIGKILL at moments that a seed
// draws, while it runs and while it takes back, until the vault must be what it
// was. SEED repeats a loop; KILLS says how many.
func TestAThousandKillsFromOutsideAreAllTakenBackWhole(t *testing.T) {
	kills := 12
	if os.Getenv("EXHAUSTIVE") != "" {
		kills = 1000
	}
	if n, err := strconv.Atoi(os.Getenv("KILLS")); err == nil {
		kills = n
	}
	seed := uint64(time.Now().UnixNano())
	if n, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	k := newKills(t, r)
	for n := 0; n < kills; {
		if n += k.round(fmt.Sprintf("SEED=%d, kill %d", seed, n)); t.Failed() {
			return
		}
	}
}

type kills struct {
	t      *testing.T
	r      *rand.Rand
	dir    string
	plan   string
	before string
	whole  time.Duration // that a run takes which nobody kills
	back   time.Duration // and its taking back
}

func newKills(t *testing.T, r *rand.Rand) *kills {
	dir, plan := vault(t, 10)
	notes := realVault(t)
	for path, data := range notes {
		at := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for path := range notes {
		names = append(names, path)
	}
	slices.Sort(names)
	if err := os.WriteFile(plan, []byte(killPlan(names)), 0o644); err != nil {
		t.Fatal(err)
	}
	k := &kills{t: t, r: r, dir: dir, plan: plan, before: folder(t, dir)}
	began := time.Now()
	if !k.child(time.Hour, k.runArgs()...) || k.now() == k.before {
		t.Fatal("the run that nobody kills did not come to its end")
	}
	k.whole = time.Since(began)
	began = time.Now()
	k.settle("the run that nobody killed")
	k.back = time.Since(began)
	return k
}

func (k *kills) runArgs() []string {
	return []string{"-vault", k.dir, "-yes", "-allow-deletes", "-diff=false", k.plan}
}

// child runs the command as a program of its own, and kills it after a while;
// false where it was killed.
func (k *kills) child(after time.Duration, args ...string) bool {
	k.t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asCommand+"="+strings.Join(args, "\n"))
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) // it may have ended
	defer timer.Stop()
	err := cmd.Wait()
	if err != nil && cmd.ProcessState.Exited() {
		k.t.Fatalf("%v: %s", err, out.String())
	}
	return err == nil
}

// round kills a run, and then perhaps its taking back, and gives how many were
// killed.
func (k *kills) round(where string) int {
	n := 0
	if !k.child(time.Duration(k.r.Int64N(int64(k.whole))), k.runArgs()...) {
		n++
	}
	for range k.r.IntN(3) {
		if k.now() == k.before {
			break
		}
		if !k.child(time.Duration(k.r.Int64N(int64(k.back))), append([]string{"revert"}, k.revertArgs()...)...) {
			n++
		}
	}
	k.settle(where)
	return n
}

func (k *kills) revertArgs() []string {
	return []string{"-vault", k.dir, "-yes", "-diff=false", rootRun(k.t, k.dir)}
}

// settle takes back what is left, and holds the vault against what it was.
func (k *kills) settle(where string) {
	k.t.Helper()
	if k.now() != k.before && !k.child(time.Hour, append([]string{"revert"}, k.revertArgs()...)...) {
		k.t.Fatalf("%s: the taking back that nobody killed was killed", where)
	}
	if after := k.now(); after != k.before {
		k.t.Fatalf("%s: taken back, the vault is not what it was:\n%s", where, diffLines(k.before, after))
	}
	if err := os.RemoveAll(filepath.Join(k.dir, ".embedded-agent")); err != nil {
		k.t.Fatal(err)
	}
}

// now describes the vault without its trash, where what was deleted stays.
func (k *kills) now() string {
	k.t.Helper()
	if err := os.RemoveAll(filepath.Join(k.dir, ".trash")); err != nil {
		k.t.Fatal(err)
	}
	return folder(k.t, k.dir)
}

// rootRun names the run itself, which is the oldest there is.
func rootRun(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, ".embedded-agent", "runs"))
	if err != nil || len(entries) == 0 {
		t.Fatalf("no run: %v", err)
	}
	return entries[0].Name()
}

func diffLines(a, b string) string {
	was, is := strings.Split(a, "\n"), strings.Split(b, "\n")
	var out []string
	for _, l := range was {
		if !slices.Contains(is, l) {
			out = append(out, "- "+l)
		}
	}
	for _, l := range is {
		if !slices.Contains(was, l) {
			out = append(out, "+ "+l)
		}
	}
	return strings.Join(out, "\n")
}
