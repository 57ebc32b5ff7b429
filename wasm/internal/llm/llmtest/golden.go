package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/web"
)

// update says that golden files are written anew instead of compared.
var update = os.Getenv("UPDATE_GOLDEN") != ""

// GoldenRequests builds the request of every story in a folder and compares it with what the story says. A story is a
// txtar file with endpoint.json, request.json and want.http; with want.error in its place the request must be refused.
func GoldenRequests(t *testing.T, d llm.Dialect, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories in %s: %v", dir, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { goldenRequest(t, d, file) })
	}
}

func goldenRequest(t *testing.T, d llm.Dialect, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var e llm.Endpoint
	var r llm.Request
	want, wantName := "", ""
	kept := archive.Files[:0]
	for _, f := range archive.Files {
		switch f.Name {
		case "endpoint.json":
			strict(t, f.Data, &e)
		case "request.json":
			strict(t, f.Data, &r)
		default:
			want, wantName = string(f.Data), f.Name
			continue
		}
		kept = append(kept, f)
	}
	got, gotName := "", "want.http"
	if h, err := d.Build(e, r); err != nil {
		got, gotName = llm.AsError(err, "").Key+"\n"+err.Error()+"\n", "want.error"
	} else {
		got = writeHTTP(t, h)
	}
	if update {
		archive.Files = append(kept, txtar.File{Name: gotName, Data: []byte(got)})
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(wantName+"\n"+want, gotName+"\n"+got); diff != "" {
		t.Errorf("the request differs (-want +got):\n%s", diff)
	}
}

func strict(t *testing.T, data []byte, into any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		t.Fatal(err)
	}
}

// writeHTTP writes a request for people to read: its line, its headers by name, its body indented.
func writeHTTP(t *testing.T, h web.Request) string {
	t.Helper()
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s\n", h.Method, h.URL)
	var names []string
	for name := range h.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&out, "%s: %s\n", name, h.Header[name])
	}
	out.WriteByte('\n')
	if h.Body != nil {
		var body bytes.Buffer
		if err := json.Indent(&body, h.Body, "", "\t"); err != nil {
			t.Fatal(err)
		}
		out.Write(body.Bytes())
		out.WriteByte('\n')
	}
	return out.String()
}

// GoldenAnswers decodes every recording in a folder (*.sse, *.json, *.html) and compares the message with the file
// *.message.json beside it. It gives the bytes of the recordings by name.
func GoldenAnswers(t *testing.T, d llm.Dialect, r llm.Request, dir string) map[string][]byte {
	t.Helper()
	all := Answers(t, dir)
	for name, raw := range all {
		t.Run(name, func(t *testing.T) {
			events := Decode(d, llm.Endpoint{BaseURL: "https://model.example/v1"}, r, raw, len(raw))
			CheckStream(t, events)
			got, err := json.MarshalIndent(events[len(events)-1].Message, "", "\t")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			golden := filepath.Join(dir, name+".message.json")
			if update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("the message differs (-want +got):\n%s", diff)
			}
		})
	}
	return all
}

// Answers reads the recordings of a folder.
func Answers(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string][]byte)
	for _, file := range files {
		if strings.HasSuffix(file, ".message.json") {
			continue
		}
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = raw
	}
	if len(all) == 0 {
		t.Fatalf("no recordings in %s", dir)
	}
	return all
}
