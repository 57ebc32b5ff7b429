package agent

import (
	"strings"

	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

// claim is something that a call touches: a path in its folded form, or "*"
// for everything. Shared claims are those of readers.
type claim struct {
	key    string
	shared bool
}

// everything is the claim of a call that runs alone.
const everything = "*"

// claimsOf says what a call touches, so that calls with something in common
// keep their source order and a read sees what the writes before it wrote, and
// nothing of those after it. A tool that writes without saying where, or whose
// Claims fail, runs alone. The zero side effects touch nothing.
func claimsOf(e *tool.Entry, args tool.Args) (out []claim) {
	defer func() {
		if recover() != nil {
			out = []claim{{key: everything}}
		}
	}()
	switch e.SideEffects {
	case tool.None:
		return nil
	case tool.Reads:
		return readClaims(e, args)
	}
	if e.Claims == nil {
		return []claim{{key: everything}}
	}
	for _, name := range e.Claims(args) {
		out = append(out, claim{key: fold(name)})
	}
	return out
}

// readClaims are the paths that a reading tool names. One that names none may
// look at everything.
func readClaims(e *tool.Entry, args tool.Args) []claim {
	var out []claim
	for name := range e.PathArgs() {
		path := args.String(name)
		if path == "" {
			continue
		}
		// The ".md" of a note may be left out, and a writer of numbered names
		// claims the name that they start from.
		for _, p := range []string{path, path + ".md"} {
			out = append(out, claim{fold(p), true}, claim{fold(vaultpath.Family(p)), true})
		}
	}
	if len(out) == 0 {
		return []claim{{everything, true}}
	}
	return out
}

func fold(path string) string {
	clean, err := vaultpath.CleanFolder(path)
	switch {
	case err == nil && clean == "": // the root
		return everything
	case err == nil:
		path = clean
	}
	return vaultpath.Fold(path)
}

// conflict says whether two calls have something in common that one of them
// writes. A path and a folder above it have.
func conflict(a, b []claim) bool {
	for _, x := range a {
		for _, y := range b {
			if !(x.shared && y.shared) && touches(x.key, y.key) {
				return true
			}
		}
	}
	return false
}

func touches(a, b string) bool {
	return a == everything || b == everything || a == b ||
		strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")
}
