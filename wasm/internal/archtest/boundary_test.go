package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// typeScript calls f for every TypeScript and Svelte file of a folder that
// ships, with its path from the root.
func typeScript(t *testing.T, dir string, f func(path, source string)) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "test" || name == "node_modules" {
				return filepath.SkipDir
			}
			return nil
		}
		if ext := filepath.Ext(path); ext != ".ts" && ext != ".svelte" || strings.HasSuffix(path, ".test.ts") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		f(filepath.ToSlash(relative), string(source))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

var importsApp = regexp.MustCompile(`(?m)(from|import\()\s*["']obsidian["']`)

func TestOnlyTheHostAndThePluginTouchTheApp(t *testing.T) {
	const reason = "obsidian is imported in bridge/host and plugin only: the rest of the bridge also runs in the worker and in tests"
	typeScript(t, "bridge", func(path, source string) {
		if !strings.HasPrefix(path, "bridge/host/") && importsApp.MatchString(source) {
			t.Errorf("%s imports obsidian: %s", path, reason)
		}
	})
}

func TestTheBridgeKnowsNothingOfThePlugin(t *testing.T) {
	const reason = "the plugin is built on the bridge: what needs the settings or the panel is not the boundary"
	typeScript(t, "bridge", func(path, source string) {
		files, _ := imports(path, source)
		for _, to := range files {
			if !strings.HasPrefix(to, "bridge/") {
				t.Errorf("%s imports %s: %s", path, to, reason)
			}
		}
	})
}

var callsNetwork = regexp.MustCompile(`\b(fetch|requestUrl|XMLHttpRequest|WebSocket|EventSource|sendBeacon)\s*\(`)

func TestTheNetworkIsReachedInOnePlace(t *testing.T) {
	const reason = "where may be reached is decided in the core; plugin/host/http.ts sends what the core asks, and nothing else sends"
	for _, dir := range []string{"bridge", "plugin", "i18n"} {
		typeScript(t, dir, func(path, source string) {
			if path != "plugin/host/http.ts" && callsNetwork.MatchString(source) {
				t.Errorf("%s calls %s: %s", path, callsNetwork.FindString(source), reason)
			}
		})
	}
}

// maxBridge is how many lines of code the bridge may have, without comments
// and blank lines.
const maxBridge = 1660

func TestTheBridgeCanBeReadInOneSitting(t *testing.T) {
	lines, block := 0, false
	typeScript(t, "bridge", func(path, source string) {
		if strings.HasSuffix(path, ".gen.ts") {
			return
		}
		for line := range strings.Lines(source) {
			line = strings.TrimSpace(line)
			switch {
			case block:
				block = !strings.HasSuffix(line, "*/")
			case strings.HasPrefix(line, "/*"):
				block = !strings.HasSuffix(line, "*/")
			case line != "" && !strings.HasPrefix(line, "//"):
				lines++
			}
		}
	})
	if lines == 0 || lines > maxBridge {
		t.Errorf("bridge/ has %d lines of code, more than %d: what decides belongs into the core, and what the host gives beside the notes into plugin/host", lines, maxBridge)
	}
	t.Logf("bridge/ has %d lines of code", lines)
}

func TestEachPortOfTheHostHasItsFile(t *testing.T) {
	const reason = "each port of package host is found by its name: the notes, the editor and commands in the bridge, the others in the plugin"
	for dir, ports := range map[string][]string{
		"bridge/host": {"vault", "editor", "workspace", "commands", "metadata", "changes"},
		"plugin/host": {"store", "http", "secrets", "sandbox", "device", "owners", "plugins"},
	} {
		for _, port := range ports {
			if _, err := os.Stat(filepath.Join(root, dir, port+".ts")); err != nil {
				t.Errorf("%s/%s.ts is missing: %s", dir, port, reason)
			}
		}
	}
}

// readAsMarkup are the ways in which a text becomes elements, or code.
var readAsMarkup = regexp.MustCompile(`\b(MarkdownRenderer|MarkdownPreviewRenderer|innerHTML|outerHTML|insertAdjacentHTML|setHTMLUnsafe|srcdoc|DOMParser|` +
	`createContextualFragment|sanitizeHTMLToDom|htmlToMarkdown|document\.write|createElementNS|loadMathJax|renderMath|loadMermaid)\b|\{@html\b|\beval\(|new Function\(`)

func TestNothingThatIsShownIsReadAsMarkup(t *testing.T) {
	const reason = "words come from models and notes: the app's renderer loads pictures, opens embeds and runs the code of plugins; the core says what a text is made of, and Svelte makes the elements"
	for _, dir := range []string{"bridge", "plugin", "i18n"} {
		typeScript(t, dir, func(path, source string) {
			if found := readAsMarkup.FindString(source); found != "" {
				t.Errorf("%s uses %s: %s", path, found, reason)
			}
		})
	}
}

// loads are the attributes by which an element loads something, with a value
// that is not fixed, and the ways to another page.
var (
	loads   = regexp.MustCompile(`[\s{](src|srcset|poster|background|href|action|formaction|data|style)=(\{|["'][^"']*\{)|\.(src|srcset|href|poster)\s*=[^=]|setAttribute\(\s*[^"'\s]`)
	elseway = regexp.MustCompile(`\bwindow\.open\(|\blocation\.(assign|replace|href)|\blocation\s*=[^=]|openExternal`)
)

func TestWhatLoadsSomethingIsInAFewPlaces(t *testing.T) {
	allowed := map[string]string{
		"plugin/panel/chat/answer/Picture.svelte": "a picture of an answer, at a press",
		"plugin/panel/chat/Thumbnail.svelte":      "an image of the vault, or that the person added",
	}
	typeScript(t, "plugin", func(path, source string) {
		if found := loads.FindString(source); found != "" && allowed[path] == "" {
			t.Errorf("%s has %q: what an element loads by itself is in %v only", path, found, allowed)
		}
		if found := elseway.FindString(source); found != "" && path != "plugin/app/obsidian.ts" {
			t.Errorf("%s has %q: an address is opened by the port to the app alone, where a person pressed", path, found)
		}
	})
}
