package llm

import (
	"fmt"
	"strings"
)

// maxWireName is the longest function name that every provider takes.
const maxWireName = 64

// WireName gives the name under which a tool goes to a model: providers refuse dots, so vault.createFile becomes
// vault__createFile. ToolName undoes it. Names for which that would be ambiguous, or that providers refuse, are errors:
// parts are letters, digits, hyphens and single underscores, and neither begin nor end with an underscore.
func WireName(name string) (string, error) {
	for _, part := range strings.Split(name, ".") {
		if why := badPart(part); why != "" {
			return "", NewError("llm.error.toolName", "name", name, "detail", why)
		}
	}
	wire := strings.ReplaceAll(name, ".", "__")
	if len(wire) > maxWireName {
		return "", NewError("llm.error.toolName", "name", name, "detail", fmt.Sprintf("longer than %d characters", maxWireName))
	}
	return wire, nil
}

func badPart(part string) string {
	switch {
	case part == "":
		return "a part is empty"
	case strings.Contains(part, "__") || part[0] == '_' || part[len(part)-1] == '_':
		return "underscores stand together or at an end"
	}
	for _, c := range []byte(part) {
		if !wireChar(c) {
			return "only letters, digits, dots, hyphens and underscores are allowed"
		}
	}
	return ""
}

func wireChar(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// ToolName undoes WireName. A model's own inventions come out as some name that no tool has.
func ToolName(wire string) string { return strings.ReplaceAll(wire, "__", ".") }

// HistoryName is WireName for a call that a model has already made, perhaps under a name that no tool has: what
// providers would refuse is replaced by hyphens, because the call must stay in the conversation.
func HistoryName(name string) string {
	if wire, err := WireName(name); err == nil {
		return wire
	}
	wire := []byte(strings.ReplaceAll(name, ".", "__"))
	for i, c := range wire {
		if !wireChar(c) {
			wire[i] = '-'
		}
	}
	if len(wire) == 0 {
		return "unnamed"
	}
	return string(wire[:min(len(wire), maxWireName)])
}
