package builtin

import (
	"encoding/json"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/fault"
)

// orEmpty makes no list an empty one, as outputs have it.
func orEmpty(l []string) []string {
	if l == nil {
		return []string{}
	}
	return l
}

// itemText gives the text of one item, or of the field of it that is named.
func itemText(item any, field string, i int) (string, error) {
	n := strconv.Itoa(i + 1)
	value := item
	if field != "" {
		if _, isText := item.(string); !isText {
			for name := range strings.SplitSeq(field, ".") {
				m, ok := value.(map[string]any)
				if !ok || m[name] == nil {
					return "", fault.New(fault.Validation, "tools.join.field", fault.P{"n": n, "field": field})
				}
				value = m[name]
			}
		}
	}
	switch v := value.(type) {
	case string:
		return v, nil
	case bool, float64, int, int64, json.Number:
		b, err := json.Marshal(v)
		return string(b), err
	}
	return "", fault.New(fault.Validation, "tools.join.item", fault.P{"n": n})
}

func orDash(s string) string {
	if s == "" {
		return "—"
	}
	return s
}
