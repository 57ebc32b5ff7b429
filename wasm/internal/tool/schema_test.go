package tool_test

import (
	"fmt"
	"sync"
	"testing"

	"embedded-agent/wasm/internal/tool"
)

// The metaschemas are compiled when the first schema of their draft is (ADR 16),
// whoever comes first.
func TestSchemasOfEveryDraftAreHeldAgainstTheirMetaschemaAtOnce(t *testing.T) {
	drafts := []string{
		"http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-07/schema#",
		"https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema", "",
	}
	var all sync.WaitGroup
	for i, draft := range drafts {
		for n := range 4 {
			all.Go(func() {
				head := ""
				if draft != "" {
					head = fmt.Sprintf(`"$schema": %q, `, draft)
				}
				name := fmt.Sprintf("%d/%d", i, n)
				s, err := tool.CompileSchema(name, []byte(`{`+head+`"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}}, "required": ["n"]}`))
				if err != nil {
					t.Errorf("%q: want no error, got %v", draft, err)
					return
				}
				if got := s.Validate(map[string]any{"n": 2.0}); len(got) != 1 || got[0].Path != "/n" {
					t.Errorf("%q: want 1 of them and got[0].Path \"/n\", got %+v", draft, got)
				}
				if got := s.Validate(map[string]any{"n": 3.0}); got != nil {
					t.Errorf("%q: want nothing, got %+v", draft, got)
				}
				if _, err := tool.CompileSchema(name+"/bad", []byte(`{`+head+`"type": 7, "properties": []}`)); err == nil {
					t.Errorf("%q: a schema that is none was taken", draft)
				}
			})
		}
	}
	all.Wait()
}
