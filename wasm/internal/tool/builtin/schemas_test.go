package builtin_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/tool/builtin"
)

// The schemas are cut out of their files at a start.
func TestTheSchemasOfEachToolAreThoseOfItsFile(t *testing.T) {
	for _, tool := range builtin.All() {
		text, err := os.ReadFile(tool.Name + ".schema.json")
		if err != nil {
			t.Fatal(err)
		}
		var file map[string]any
		if err := json.Unmarshal(text, &file); err != nil {
			t.Fatalf("%s: want no error, got %v", tool.Name, err)
		}
		for name, schema := range map[string]json.RawMessage{"input": tool.Input, "output": tool.Output} {
			var got any
			if err := json.Unmarshal(schema, &got); err != nil || !cmp.Equal(got, file[name]) {
				t.Errorf("%s: the %s is %s (%v)", tool.Name, name, schema, err)
			}
		}
		if len(file) != 2 {
			t.Errorf("%s.schema.json has %d members, and two are read", tool.Name, len(file))
		}
	}
}
