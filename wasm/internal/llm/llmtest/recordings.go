// Package llmtest has what tests of other packages need to do without a model: a provider and a transport that follow a
// script, and checks that every stream must pass.
package llmtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/llm"
)

// Recordings lists the recorded answers of one kind (chat, chat-nonstream, chat-errors, messages, responses,
// anthropic-sdk-python, …) whose name has the given ending. It skips the test where the shared recordings are missing.
func Recordings(t testing.TB, kind, suffix string) []string {
	t.Helper()
	if _, err := os.Stat(sharedRoot()); err != nil {
		t.Skip("the shared recordings are not here")
	}
	files := SharedRecordings(kind, suffix)
	if len(files) == 0 {
		t.Fatalf("no recordings of kind %s", kind)
	}
	return files
}

// SharedRecordings is Recordings without a test: nothing where they are missing.
func SharedRecordings(kind, suffix string) []string {
	var files []string
	for _, set := range []string{"fantasy", "pydantic-ai", ""} {
		found, err := filepath.Glob(filepath.Join(sharedRoot(), set, kind, "*"+suffix))
		if err != nil {
			panic("llmtest: " + err.Error())
		}
		for _, f := range found {
			if !strings.HasSuffix(f, ".request.json") {
				files = append(files, f)
			}
		}
	}
	return files
}

func sharedRoot() string {
	_, self, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(self), "..", "..", "..", "..", "..", "shared", "fixtures", "streams")
}

// ReadOracle reads what the official accumulator made of a recording.
func ReadOracle(t testing.TB, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file + ".oracle.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// Decode runs the bytes of an answer through a dialect in chunks of the given size.
func Decode(d llm.Dialect, e llm.Endpoint, r llm.Request, raw []byte, chunk int) []llm.Event {
	var events []llm.Event
	dec := llm.Decode(d, e, r, func(e llm.Event) { events = append(events, e) })
	for len(raw) > 0 {
		n := min(max(chunk, 1), len(raw))
		dec.Push(raw[:n])
		raw = raw[n:]
	}
	dec.End()
	return events
}

// SameInChunks fails the test unless an answer decodes to the same events byte by byte and in odd pieces.
func SameInChunks(t testing.TB, d llm.Dialect, raw []byte, whole []llm.Event) {
	t.Helper()
	sizes := []int{1, 61}
	if testing.Short() && len(raw) > 50_000 {
		sizes = sizes[1:]
	}
	for _, size := range sizes {
		if got := Decode(d, llm.Endpoint{}, llm.Request{Model: "m"}, raw, size); !reflect.DeepEqual(whole, got) {
			t.Errorf("chunks of %d bytes:\n%s", size, cmp.Diff(whole, got))
		}
	}
}
