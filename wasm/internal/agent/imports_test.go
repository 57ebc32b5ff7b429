package agent_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestTheLoopImportsNothingThatItCouldWriteWith(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range f.Imports {
			path, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			for _, banned := range []string{"runner", "journal", "overlay", "host", "audit", "server", "jsbridge"} {
				if strings.HasSuffix(path, "/internal/"+banned) || strings.Contains(path, "/internal/"+banned+"/") {
					t.Errorf("%s imports %s: what talks to a model writes only through the pipeline it was handed", file, banned)
				}
			}
			if path == "os" || path == "net" || strings.HasPrefix(path, "net/") || path == "syscall" {
				t.Errorf("%s imports %s: the loop reaches nothing by itself", file, path)
			}
		}
	}
}
