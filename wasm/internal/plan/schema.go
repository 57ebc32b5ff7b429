package plan

import (
	"bytes"
	_ "embed"
	"encoding/json"

	"embedded-agent/wasm/internal/tool"
)

// The schemas are files: as Go values they would be ten times as much code.
var (
	//go:embed full.schema.json
	fullSchema []byte
	//go:embed asking.schema.json
	askingSchema []byte
	//go:embed small.schema.json
	smallSchema []byte
)

// Schema gives the JSON Schema (draft-07) of a plan. It says what Decode
// accepts, with the tools of the registry as the only names; the arguments of
// each tool are in the tool's own schema, which the model gets beside it. (One
// schema with all tools as alternatives is ten times slower to validate
// against, and its errors name every tool but the right one.)
func Schema(reg *tool.Registry) json.RawMessage {
	var names []string
	for _, name := range reg.Names() {
		if e, err := reg.Get(name, ""); err == nil && e.Lifecycle == tool.Active {
			names = append(names, name)
		}
	}
	return SchemaOf(names)
}

// SchemaOf is Schema with these tools.
func SchemaOf(names []string) json.RawMessage {
	b, err := json.Marshal(names)
	if err != nil {
		panic(err) // texts
	}
	return compact(bytes.Replace(fullSchema, []byte(`["TOOLS"]`), b, 1))
}

// AskingSchema is the schema that a model is asked for a plan with: all that plans need, and nothing that they rarely
// have, since it is sent with every request. What SchemaOf has beyond it is taken all the same. Small leaves out what
// can be done without, for a model with a small window.
func AskingSchema(small bool) json.RawMessage {
	if small {
		return compact(smallSchema)
	}
	return compact(askingSchema)
}

func compact(schema []byte) json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, schema); err != nil {
		panic(err) // embedded: a test reads them all
	}
	return b.Bytes()
}
