//go:build !js

package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// kestrel stands in everything that there is of a note which plans may not see:
// its name, its text, its properties, tags, links and tasks.
const kestrel = "KESTREL"

// deniedFolder has notes that a pattern keeps out of reach beside one that may be seen.
func deniedFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	inside := "---\nstatus: " + kestrel + "\ntags: [" + kestrel + "]\n---\n# " + kestrel + "\n\nneedle " + kestrel + " [[Seen]] [[" + kestrel + "]]\n- [ ] " + kestrel + "\n"
	for path, text := range map[string]string{
		"Seen.md":                           "needle [[Plain]]\n",
		"Private/Plain.md":                  inside,
		"Private/" + kestrel + ".md":        inside,
		".obsidian/plugins/x/data.json":     `{"key":"` + kestrel + `"}`,
		"Private/Deep/" + kestrel + " 2.md": inside,
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// peeks are steps that look for what may not be seen, by its name, by a name
// that is known only when the plan runs, and by looking everywhere. What the
// step "a" gives is written to a note, so that it is shown.
var peeks = map[string]string{
	"reads it":             `{"id":"a","tool":"vault.readFile","args":{"path":"Private/Plain.md"}}`,
	"reads a hidden file":  `{"id":"a","tool":"vault.readFile","args":{"path":".obsidian/plugins/x/data.json"}}`,
	"reads it by a text":   `{"id":"n","tool":"util.joinLines","args":{"items":["Private/Plain.md"]}},{"id":"a","tool":"vault.readFile","args":{"path":"$steps.n.text"}}`,
	"reads what is listed": `{"id":"n","tool":"vault.listFiles","args":{"folder":""}},{"id":"a","tool":"vault.readFile","args":{"path":"{f.path}"},"foreach":{"from":"$steps.n.files","itemName":"f"}}`,
	"lists it":             `{"id":"a","tool":"vault.listFiles","args":{"folder":"Private"}}`,
	"searches":             `{"id":"a","tool":"vault.searchText","args":{"query":"needle"}}`,
	"asks for links":       `{"id":"a","tool":"vault.query","args":{"linksTo":"Seen.md","fields":["tags","links","tasks","headings","text","properties"]}}`,
	"asks for values":      `{"id":"a","tool":"metadata.values","args":{}}`,
	"asks for tasks":       `{"id":"a","tool":"tasks.list","args":{}}`,
	"copies it":            `{"id":"a","tool":"vault.copyFile","args":{"path":"Private/Plain.md","newPath":"Copy.md"}}`,
	"copies it by a text":  `{"id":"n","tool":"util.joinLines","args":{"items":["Private/Plain.md"]}},{"id":"a","tool":"vault.copyFile","args":{"path":"$steps.n.text","newPath":"Copy.md"}}`,
	"merges it":            `{"id":"a","tool":"note.merge","args":{"paths":["Seen.md","Private/Plain.md"],"path":"Both.md"}}`,
	"fills a template":     `{"id":"a","tool":"template.apply","args":{"template":"Private/Plain.md","path":"Filled.md"}}`,
	"replaces in it":       `{"id":"a","tool":"vault.replaceText","args":{"find":"needle","replace":"pin"}}`,
	"moves its folder":     `{"id":"a","tool":"vault.rename","args":{"path":"Private","newPath":"Public"}}`,
}

func TestAPlanThatLooksForANoteWhichMayNotBeSeenPrintsNothingOfIt(t *testing.T) {
	for name, steps := range peeks {
		for _, way := range [][]string{{"-deny", "Private"}, {"-deny", "nothing", "-deny", "private/**"}, {"-only", "Seen.md"}} {
			t.Run(name+" "+strings.Join(way, " "), func(t *testing.T) {
				dir := deniedFolder(t)
				out := commandsOn(t, dir, way, steps)
				if out == "" {
					t.Fatal("nothing was printed at all")
				}
				if strings.Contains(strings.ToUpper(out), kestrel) {
					t.Errorf("printed:\n%s", out)
				}
				for path, data := range filesOf(t, dir) {
					if strings.HasPrefix(path, "Private/") || strings.HasPrefix(path, ".obsidian/") || strings.HasPrefix(path, ".embedded-agent/index/") {
						continue
					}
					if strings.Contains(strings.ToUpper(path+string(data)), kestrel) {
						t.Errorf("%s holds it", path)
					}
				}
			})
		}
	}
}

// commandsOn simulates and runs a plan with these steps, and looks at the run in
// every way that there is; it gives all that was printed.
func commandsOn(t *testing.T, dir string, way []string, steps string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "plan.json")
	text := fmt.Sprintf(`{"goal":"peek","assumptions":[],"riskLevel":"writes","steps":[%s,
{"id":"keep","tool":"vault.createFile","args":{"path":"Kept.md","content":"got: $steps.a"},"onError":"skip"}]}`, steps)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, c := range []struct {
		run  func(context.Context, []string, io.Writer, io.Writer) int
		args []string
	}{
		{Run, []string{"-dry-run", file}},
		{Run, []string{"-yes", file}},
		{Events, nil},
		{Verify, nil},
		{Replay, nil},
		{Revert, []string{"-yes"}},
	} {
		c.run(t.Context(), slices.Concat([]string{"-vault", dir}, way, c.args), &out, &out)
	}
	return out.String()
}

// filesOf gives every file below a folder, by its path with slashes.
func filesOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		out[filepath.ToSlash(rel)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
