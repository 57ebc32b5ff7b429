package builtin

import (
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

// mentionWords say how many notes have a text.
func mentionWords(args tool.Args) (string, fault.P) {
	if folder := args.String("folder"); folder != "" {
		return "finding.mentionsIn", fault.P{"query": args.String("query"), "folder": folder}
	}
	return "finding.mentions", fault.P{"query": args.String("query")}
}

// linkWords say how many notes link to one, or have links that lead nowhere.
func linkWords(args tool.Args) (string, fault.P) {
	switch {
	case args.Has("to"):
		return "finding.linksTo", fault.P{"path": args.String("to")}
	case args.String("kind") == "broken":
		return "finding.broken", nil
	}
	return "", nil
}

// queryWords say how many files a query found, where they need not be notes.
func queryWords(args tool.Args) (string, fault.P) {
	if kind := args.String("kind"); kind == "attachment" || kind == "any" {
		return "finding.files", nil
	}
	return "", nil
}

// plainWords are a sentence that depends on no argument.
func plainWords(key string) func(tool.Args) (string, fault.P) {
	return func(tool.Args) (string, fault.P) { return key, nil }
}
