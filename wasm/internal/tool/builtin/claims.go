package builtin

import (
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

// claimAll is the claim of calls whose targets only the vault knows: the active
// note, every note that links somewhere, all that is in a folder.
func claimAll(tool.Args) []string { return []string{"*"} }

// claimPath claims the file that "path" names.
func claimPath(args tool.Args) []string {
	path, err := vaultpath.Clean(args.String("path"))
	if err != nil {
		return []string{args.String("path")}
	}
	if vaultpath.Ext(path) == "" {
		path += ".md"
	}
	return []string{path}
}
