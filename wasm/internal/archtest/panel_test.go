package archtest

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostFiles is how many files a folder of the panel may have, tests too.
const mostFiles = 25

func TestNoFolderOfThePanelIsAHall(t *testing.T) {
	const reason = "in a longer list nobody finds a file by its folder: make a folder for what belongs together"
	err := filepath.WalkDir(filepath.Join(root, "plugin"), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return err
		}
		files := 0
		for _, e := range entries {
			if !e.IsDir() {
				files++
			}
		}
		if files > mostFiles {
			t.Errorf("%s has %d files, more than %d: %s", path, files, mostFiles, reason)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// imported matches an import of a file of TypeScript: at its head, later, or of a type.
var imported = regexp.MustCompile(`(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)["']([^"'\n]+)["']`)

// imports lists what a file imports: files by their paths from the root, without
// an extension, and packages by their names.
func imports(file, source string) (files, packages []string) {
	for _, m := range imported.FindAllStringSubmatch(source, -1) {
		if strings.HasPrefix(m[1], ".") {
			files = append(files, path.Join(path.Dir(file), m[1]))
		} else {
			packages = append(packages, m[1])
		}
	}
	return files, packages
}

const panel = "plugin/panel/"

// room is the folder of the panel that a file is in; "" for what is not in one.
func room(file string) string {
	first, _, below := strings.Cut(strings.TrimPrefix(file, panel), "/")
	if !strings.HasPrefix(file, panel) || !below {
		return ""
	}
	return first
}

// rooms are the folders of the panel, with those that each may import, and why.
var rooms = []struct {
	name string
	may  []string
	why  string
}{
	{"ui", nil, "what everything is drawn with knows nothing of what is drawn"},
	{"review", []string{"ui"}, "what would be changed stands before any run of it"},
	{"run", []string{"ui"}, "a run is shown alike, whoever asked for it"},
	{"saved", []string{"ui"}, "a saved action is a plan, wherever it came from"},
	{"history", []string{"ui", "run"}, "a run of the past shows its calls and files as the last one does"},
	{"chat", []string{"ui", "run"}, "a turn of an agent shows its calls as a run does"},
}

// shared are the files beside the folders of the panel. Every folder may import
// them.
var shared = []string{"context", "controller.svelte", "core", "reducer"}

// outside are the files of other parts of the plugin that the panel may import.
var outside = []string{"plugin/app/port", "plugin/protocol", "i18n", "plugin/text/marks", "plugin/text/fuzzy"}

// common says whether a file is one that any folder of the panel may import.
func common(file string) bool {
	return slices.Contains(shared, strings.TrimPrefix(file, panel)) || slices.Contains(outside, file)
}

func TestTheFoldersOfThePanelHaveWallsBetweenThem(t *testing.T) {
	may := map[string][]string{}
	why := map[string]string{}
	for _, r := range rooms {
		may[r.name], why[r.name] = append(r.may, r.name), r.why
	}
	used := map[string]bool{}
	typeScript(t, panel, func(file, source string) {
		from := room(file)
		if from == "" {
			return // the panel itself puts the rooms together
		}
		if may[from] == nil {
			t.Errorf("%s is in a folder that no rule is about: add it to rooms, and say what it may import", file)
			return
		}
		files, _ := imports(file, source)
		for _, to := range files {
			used[from+" "+room(to)] = true
			if !slices.Contains(may[from], room(to)) && !common(to) {
				t.Errorf("%s imports %s: %s; of the folders beside it, it may import %v", file, to, why[from], may[from])
			}
		}
	})
	for _, r := range rooms {
		for _, to := range r.may {
			if !used[r.name+" "+to] {
				t.Errorf("%s may import %s and does not: take it out of the rule", r.name, to)
			}
		}
	}
}

func TestThePanelSeesTheAppThroughThePortAlone(t *testing.T) {
	const reason = "the panel is tested without the app: what it needs of the app is in plugin/app/port.ts, as one interface"
	typeScript(t, panel, func(file, source string) {
		files, packages := imports(file, source)
		if slices.Contains(packages, "obsidian") {
			t.Errorf("%s imports obsidian: %s", file, reason)
		}
		for _, to := range files {
			if !strings.HasPrefix(to, panel) && !slices.Contains(outside, to) {
				t.Errorf("%s imports %s: %s", file, to, reason)
			}
		}
	})
}

func TestThePortIsTypesAndKnowsNothingOfThePanel(t *testing.T) {
	ports := 0
	typeScript(t, "plugin/app", func(file, source string) {
		files, packages := imports(file, source)
		if file == "plugin/app/port.ts" {
			ports++
			if len(packages) > 0 || !slices.Equal(files, []string{"plugin/protocol"}) || strings.Count(source, "import type ") != len(files) {
				t.Errorf("%s imports %v %v: the panel imports it, and what it brings along", file, files, packages)
			}
		}
		for _, to := range files {
			if strings.HasPrefix(to, panel) && to != "plugin/panel/core" {
				t.Errorf("%s imports %s: the panel knows the app by the port, and the app nothing of the panel", file, to)
			}
		}
	})
	if ports != 1 {
		t.Error("plugin/app/port.ts is missing: no test of the panel could stand in for the app")
	}
}

func TestFunctionsOfTextKnowNothingElse(t *testing.T) {
	typeScript(t, "plugin/text", func(file, source string) {
		files, packages := imports(file, source)
		for _, to := range files {
			if !strings.HasPrefix(to, "plugin/text/") {
				t.Errorf("%s imports %s: functions of text are for the panel and the app alike", file, to)
			}
		}
		if len(packages) > 0 {
			t.Errorf("%s imports %v: functions of text need nothing", file, packages)
		}
	})
}
