package canon

import "embedded-agent/wasm/internal/fault"

// MaxDepth is how deep foreign JSON may be nested. Deeper, the decoder's
// recursion can overflow the stack of the JavaScript engine that runs the wasm,
// which nothing survives (docs/design/boundary.md#messages).
const MaxDepth = 128

// CheckDepth refuses JSON that is nested deeper than MaxDepth, before it is
// decoded: VALIDATION_ERROR. It does not say whether raw is JSON.
func CheckDepth(raw []byte) error {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			for i++; i < len(raw) && raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			if depth++; depth > MaxDepth {
				return fault.New(fault.Validation, "error.json.depth", fault.P{"max": "128"})
			}
		case ']', '}':
			depth--
		}
	}
	return nil
}
