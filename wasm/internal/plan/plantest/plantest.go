// Package plantest holds what tests and benchmarks of plans share: a registry
// of stand-ins for the tools of a notes app, and plans of any length.
//
// The stand-ins have the schemas of real tools, cut down to what plans touch;
// they are checked against and never run.
package plantest

import (
	"fmt"
	"strings"

	"embedded-agent/wasm/internal/tool"
)

// Registry gives the stand-ins.
func Registry() *tool.Registry {
	tools := make([]tool.Tool, 0, len(specs))
	for _, s := range specs {
		t := tool.Tool{Spec: tool.Spec{
			Name: s.name, Version: s.version, Lifecycle: s.lifecycle, SideEffects: s.effects, Simulable: s.effects != tool.Commands,
			Description: s.name, Input: []byte(s.input), Output: []byte(s.output), Category: "utility",
		}}
		if t.Version == "" {
			t.Version = "1.0.0"
		}
		if t.Lifecycle == "" {
			t.Lifecycle = tool.Active
		}
		tools = append(tools, t)
	}
	reg, err := tool.NewRegistry(tools...)
	if err != nil {
		panic(err) // a constant table
	}
	return reg
}

type spec struct {
	name, version string
	lifecycle     tool.Lifecycle
	effects       tool.SideEffects
	input, output string
}

func object(required, properties string) string {
	return `{"type":"object","additionalProperties":false,"required":[` + required + `],"properties":{` + properties + `}}`
}

var specs = []spec{
	{name: "editor.getSelection", effects: tool.Reads, input: object("", ""), output: `{"type":"object",
		"required":["text","path"],"additionalProperties":false,"properties":{"text":{"type":"string"},
		"path":{"type":"string"},"from":{"$ref":"#/definitions/position"}},"definitions":{"position":{"type":"object",
		"properties":{"line":{"type":"integer"},"ch":{"type":"integer"}}}}}`},
	{
		name: "editor.replaceSelection", effects: tool.Writes, input: object(`"text"`, `"text":{"type":"string"}`),
		output: object("", `"path":{"type":"string"},"etag":{"type":"string"}`),
	},
	{
		name: "util.parseMarkdownBullets", effects: tool.None, input: object(`"text"`, `"text":{"type":"string"}`),
		output: `{"type":"object","required":["items"],"additionalProperties":false,"properties":{"items":{"type":"array",
		"items":{"$ref":"#/definitions/bullet"}}},"definitions":{"bullet":{"type":"object","additionalProperties":false,
		"required":["text","title"],"properties":{"text":{"type":"string"},"title":{"type":"string"},
		"level":{"type":"integer"},"checked":{"type":"boolean"},"content":{"type":"string"},
		"children":{"type":"array","items":{"$ref":"#/definitions/bullet"}}}}}}`,
	},
	{name: "util.joinLines", effects: tool.None, input: object(`"items"`, `"items":{"type":"array"},"field":{"type":"string"},
		"prefix":{"type":"string"},"limit":{"type":"integer","minimum":1}`), output: object(`"text"`, `"text":{"type":"string"}`)},
	{
		name: "vault.ensureFolder", effects: tool.Writes, input: object(`"path"`, `"path":{"type":"string","x-path":"folder"}`),
		output: object(`"path"`, `"path":{"type":"string"},"created":{"type":"boolean"}`),
	},
	{
		name: "vault.createFile", effects: tool.Writes, input: `{"type":"object","additionalProperties":false,
		"required":["content"],"properties":{
		"path":{"type":"string","minLength":1,"x-path":"new"},"folder":{"type":"string","x-path":"folder"},
		"title":{"type":"string"},"content":{"type":"string"},"onCollision":{"enum":["unique","error","skip"],"type":"string"}}}`,
		output: object(`"path","link"`, `"path":{"type":"string"},"title":{"type":"string"},"link":{"type":"string"}`),
	},
	{
		name: "vault.readFile", effects: tool.Reads, input: object(`"path"`, `"path":{"type":"string","x-path":"existing"}`),
		output: object(`"content"`, `"path":{"type":"string"},"content":{"type":"string"},"size":{"type":"integer"}`),
	},
	{
		name: "vault.listFiles", effects: tool.Reads, input: object("", `"folder":{"type":"string","x-path":"folder"},
		"limit":{"type":"integer"},"extensions":{"type":"array","items":{"type":"string"}}`),
		output: object(`"files"`, `"files":{"type":"array","items":{"type":"object","additionalProperties":false,"properties":{
		"path":{"type":"string"},"title":{"type":"string"},"size":{"type":"integer"},"properties":{"type":"object"}}}},
		"truncated":{"type":"boolean"}`),
	},
	{
		name: "note.either", effects: tool.None, input: `{"type":"object","additionalProperties":false,
		"anyOf":[{"required":["path"]},{"required":["title"]}],"properties":{"path":{"type":"string"},"title":{"type":"string"}}}`,
		output: object("", ""),
	},
	{
		name: "commands.run", effects: tool.Commands, input: object(`"id"`, `"id":{"type":"string"}`),
		output: object(`"ok"`, `"ok":{"type":"boolean"}`),
	},
	{name: "note.old", effects: tool.Reads, lifecycle: tool.Deprecated, input: object("", ""), output: object("", "")},
	{name: "note.bad", effects: tool.Writes, lifecycle: tool.Blocked, input: object("", ""), output: object("", "")},
	{name: "note.two", version: "1.0.0", effects: tool.Reads, input: object("", `"a":{"type":"string"}`), output: object("", "")},
	{name: "note.two", version: "2.0.0", effects: tool.Reads, input: object("", `"b":{"type":"string"}`), output: object("", "")},
	{name: "code.value", effects: tool.None, input: object("", ""), output: object(`"value"`, `"value":{}`)},
	{name: "any.value", effects: tool.None, input: `{"type":"object"}`, output: `{}`},
}

// Steps gives the JSON of a plan with n steps, the kind a model writes: every
// step refers to one before it, and every tenth repeats over a list.
func Steps(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"goal":"A long plan","assumptions":["The folder may be new"],"riskLevel":"writes","steps":[`)
	b.WriteString(`{"id":"folder","tool":"vault.ensureFolder","args":{"path":"Projects/XYZ"},"preview":"Make the folder"}`)
	for i := 1; i < n; i++ {
		if i%10 == 1 {
			fmt.Fprintf(&b, `,{"id":"list%d","tool":"vault.listFiles","args":{"folder":"$steps.folder.path","limit":20}}`, i)
			continue
		}
		if i%10 == 2 {
			fmt.Fprintf(&b, `,{"id":"copy%d","tool":"vault.createFile","args":{"folder":"$steps.folder.path",`+
				`"title":"Copy of {file.title}","content":"From {file.path}, number {index}","onCollision":"unique"},`+
				`"foreach":{"from":"$steps.list%d.files","itemName":"file"},"preview":"Copy {file.title}"}`, i, i-1)
			continue
		}
		fmt.Fprintf(&b, `,{"id":"make%d","tool":"vault.createFile","args":{"path":"${steps.folder.path}/Note %d.md",`+
			`"content":"# Note %d\n\nThis is the text of a note, long enough to be one: with a $price, a {brace} and math $x^2$.\n"},`+
			`"dependsOn":["folder"],"onError":"skip","preview":"Create note %d"}`, i, i, i, i)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}
