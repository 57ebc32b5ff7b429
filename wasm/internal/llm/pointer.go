package llm

import (
	"strings"

	"embedded-agent/wasm/internal/jsontree"
)

// pointer resolves a local reference such as #/$defs/name (RFC 6901); Missing for any other.
func pointer(root jsontree.Value, ref string) jsontree.Value {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return jsontree.Value{}
	}
	v := root
	for _, step := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		if path == "" {
			break
		}
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		v = v.Get(step)
	}
	return v
}
