package offer

import (
	"encoding/json"
	"strings"

	"embedded-agent/wasm/internal/canon"
)

// Slim gives a tool's description and input schema as a model that acts is told of them: of the description what brief
// keeps, of the schema what a call is made by. A field that the description speaks of is not described twice.
func Slim(description string, input json.RawMessage) (string, json.RawMessage) {
	told := brief(description)
	var schema any
	if json.Unmarshal(input, &schema) != nil {
		return told, input
	}
	slim(schema, told)
	out, err := canon.Encode(schema)
	if err != nil {
		return told, input
	}
	return told, out
}

// slim leaves out of a schema what only the program reads, and bounds, which a call is checked against anyway.
func slim(schema any, told string) {
	if list, ok := schema.([]any); ok {
		for _, one := range list {
			slim(one, told)
		}
		return
	}
	s, _ := schema.(map[string]any)
	for key, v := range s {
		switch key {
		case "type", "enum", "required", "description", "$ref":
		case "items", "oneOf", "anyOf":
			slim(v, told)
		case "properties", "definitions":
			fields, _ := v.(map[string]any)
			for name, field := range fields {
				slim(field, told)
				if about, ok := field.(map[string]any); ok && strings.Contains(told, "`"+name+"`") {
					delete(about, "description")
				}
			}
		case "additionalProperties":
			if v == false {
				delete(s, key)
			} else {
				slim(v, told)
			}
		default:
			delete(s, key)
		}
	}
}
