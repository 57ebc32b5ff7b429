// Package builtin holds the tools that come with the plugin.
//
// A tool is three files: NAME.go (what it does), NAME.md (what the model reads:
// when to use it, what it gives, its limits, and examples) and
// NAME.schema.json (its input and output schema). The examples are part of the
// tool's Spec and run as tests against a real host in memory.
//
// Every tool sees the vault only through the Env it is handed, makes every
// write as a host.Op, in one order, so that a simulation and its run make the
// same ones; reads of many notes go out together (readAll). Properties of the
// input schema that are paths say so by "x-path".
package builtin

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"

	"embedded-agent/wasm/internal/tool"
)

//go:embed *.md *.schema.json
var files embed.FS

// The tools that the core calls itself, beside plans and conversations.
const (
	CreateFile = "vault.createFile"
	ListFiles  = "vault.listFiles"
	Query      = "vault.query"
	ReadFile   = "vault.readFile"
)

// All gives every built-in tool.
func All() []tool.Tool {
	makers := []func() tool.Tool{
		codeRun,
		commandsList, commandsRun,
		httpRequest, httpSend, pluginsSearch,
		editorGetActiveFilePath, editorGetCursor, editorGetSelection, editorInsertAtCursor, editorReplaceSelection,
		listArrange,
		linksFind, linksMake, linksRewrite, linksUnlinkedMentions,
		metadataFromInline, metadataGet, metadataRemove, metadataRename, metadataSet, metadataTidy, metadataValues,
		noteExport, noteMerge, noteMovePart, noteSort, noteSplitAtHeadings,
		datesAdd, datesDailyNote, datesFormat, datesParse,
		tagsAdd, tagsRemove, tagsRename, tasksList, tasksMove, tasksSetStatus, templateApply,
		utilJoinLines, utilParseMarkdownBullets, utilRandom, utilSlugifyTitle,
		vaultAppendFile, vaultCopyFile, vaultCreateFile, vaultDelete, vaultEnsureFolder, vaultListFiles,
		vaultPatchFile, vaultQuery, vaultReadFile, vaultRelated, vaultRename, vaultReplaceText, vaultSearchText, vaultWriteFile,
		workspaceFocusPane, workspaceGetContext, workspaceOpenFile,
	}
	tools := make([]tool.Tool, 0, len(makers))
	for _, m := range makers {
		tools = append(tools, m())
	}
	return tools
}

// define fills in a tool's Spec from its files and from what its side effects
// imply.
func define(t tool.Tool) tool.Tool {
	text := mustRead(t.Name + ".md")
	head, _, _ := strings.Cut(text, examplesHeading)
	t.Description = strings.TrimSpace(head)
	t.Input, t.Output = schemas(t.Name)
	if t.Version == "" {
		t.Version = "1.0.0"
	}
	if t.Lifecycle == "" {
		t.Lifecycle = tool.Active
	}
	if t.Cache == "" {
		t.Cache = tool.CacheNone
	}
	t.Deed = deeds[t.Name]
	t.Flags.WorkspaceOnly = true
	t.Simulable = t.SideEffects != tool.Commands
	return t
}

// schemas gives the two schemas of a tool's file. Where the file has them in their
// order and each on lines of its own, as it should, they are cut out and not parsed:
// those of all tools are needed at every start.
func schemas(name string) (input, output json.RawMessage) {
	text := mustRead(name + ".schema.json")
	in, rest, two := strings.Cut(text, ",\n  \"output\": ")
	in, first := strings.CutPrefix(in, "{\n  \"input\": ")
	out, end := strings.CutSuffix(rest, "\n}\n")
	if two && first && end {
		return json.RawMessage(in), json.RawMessage(out)
	}
	var s struct{ Input, Output json.RawMessage }
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		panic(fmt.Sprintf("builtin: %s.schema.json: %v", name, err)) // embedded: a test reads them all
	}
	return s.Input, s.Output
}

func mustRead(name string) string {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("builtin: %v", err)) // embedded: a test reads them all
	}
	return string(b)
}

const examplesHeading = "\n## Examples\n"

// Examples reads the examples of a tool's page: a heading of the third level
// names one, the JSON block after it is the example. It panics where the page
// is not made so.
func Examples(name string) []tool.Example {
	_, text, _ := strings.Cut(mustRead(name+".md"), examplesHeading)
	var out []tool.Example
	for part := range strings.SplitSeq("\n"+text, "\n### ") {
		title, rest, ok := strings.Cut(part, "\n")
		if !ok || strings.TrimSpace(title) == "" {
			continue
		}
		_, rest, _ = strings.Cut(rest, "```json\n")
		code, _, ok := strings.Cut(rest, "\n```")
		e := tool.Example{}
		if err := json.Unmarshal([]byte(code), &e); !ok || err != nil {
			panic(fmt.Sprintf("builtin: %s.md: example %q: %v", name, title, err)) // embedded: a test reads them all
		}
		e.Name = strings.TrimSpace(title)
		out = append(out, e)
	}
	return out
}
