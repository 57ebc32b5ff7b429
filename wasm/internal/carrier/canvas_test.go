package carrier

import (
	"encoding/json"
	"testing"

	"embedded-agent/wasm/internal/note"
)

// Names that a disk may hold and a person did not choose: what is written into a
// canvas must be JSON whatever they are.
func TestACanvasThatFollowsARenameIsStillJSON(t *testing.T) {
	for _, name := range []string{"tab\there.md", "line\nbreak.md", `quote".md`, `back\slash.md`, "bell\a.md", "nul\x00.md", "\x7f\u2028ü.md"} {
		from, to := "Box/"+name, "Shelf/"+name
		before, err := json.Marshal(map[string]any{"nodes": []any{map[string]any{"type": "file", "file": from}}})
		if err != nil {
			t.Fatal(err)
		}
		r := &note.Rename{Moves: map[string]string{from: to}}
		var got struct{ Nodes []struct{ File string } }
		if err := json.Unmarshal(Rewrite(r, "a.canvas", before), &got); err != nil || got.Nodes[0].File != to {
			t.Errorf("%q: want no error and Nodes[0].File equal to to, got %+v, %v", name, got, err)
		}
	}
}
