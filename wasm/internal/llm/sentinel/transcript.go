package sentinel

import (
	"fmt"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/regex"
)

// Role says who speaks.
type Role string

// The roles of a conversation. RoleDeveloper is folded into RoleSystem by endpoints that do not know it.
const (
	RoleSystem    Role = "system"
	RoleDeveloper Role = "developer"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Part is a piece of a message: text, or an image by its URL.
type Part struct {
	Text     string
	ImageURL string
	Detail   string // for images: low, high, auto, or "" where not said
}

// ItemKind says what an Item is.
type ItemKind uint8

// The kinds of items.
const (
	ItemMessage ItemKind = iota
	ItemCall
	ItemOutput
)

// Item is one entry of a conversation, as a client sends it.
type Item struct {
	Kind      ItemKind
	Role      Role   // ItemMessage
	Parts     []Part // ItemMessage; ItemOutput: images that came with the output
	ID        string // ItemCall
	CallID    string // ItemCall, ItemOutput
	Name      string // ItemCall
	Arguments string // ItemCall
	Output    string // ItemOutput
}

// Message is one entry of a conversation for an endpoint that knows roles.
type Message struct {
	Role  Role
	Parts []Part
}

// Messages flattens a conversation for an endpoint that knows roles but no tools: calls become lines of the assistant, their
// results lines of the user. Everything that is not of our own making is escaped. Neighbours of one role are joined, because
// some endpoints insist on turns.
func Messages(items []Item) []Message {
	var out []Message
	for _, it := range items {
		role, parts := it.Role, escaped(it.Parts)
		switch it.Kind {
		case ItemCall:
			role, parts = RoleAssistant, []Part{{Text: it.line()}}
		case ItemOutput:
			role, parts = RoleUser, append([]Part{{Text: it.line()}}, parts...)
		case ItemMessage:
		}
		if n := len(out); n > 0 && out[n-1].Role == role {
			out[n-1].Parts = append(append(out[n-1].Parts, Part{Text: "\n"}), parts...)
		} else {
			out = append(out, Message{role, parts})
		}
	}
	for i := range out {
		out[i].Parts = joinText(out[i].Parts)
	}
	return out
}

// Transcript flattens a conversation for a backend that takes one list of texts and images. A conversation of one message is
// that message; otherwise every message stands under a line of its own, and every call and result is a line.
func Transcript(items []Item) []Part {
	if len(items) == 1 && items[0].Kind == ItemMessage && items[0].Role == RoleUser {
		return joinText(escaped(items[0].Parts))
	}
	var parts []Part
	for _, it := range items {
		switch it.Kind {
		case ItemMessage:
			parts = append(parts, Part{Text: headPrefix + string(it.Role) + "]\n"})
			parts = append(parts, escaped(it.Parts)...)
			parts = append(parts, Part{Text: "\n"})
		case ItemCall, ItemOutput:
			parts = append(parts, Part{Text: it.line() + "\n"})
			parts = append(parts, escaped(it.Parts)...)
		}
	}
	return joinText(parts)
}

const (
	headPrefix   = "[message role="
	callPrefix   = "[function_call "
	outputPrefix = "[function_call_output "
)

// line is the call or result as one line: every value in it ends itself, so that nothing inside can pass for the end.
func (it Item) line() string {
	if it.Kind == ItemCall {
		return callPrefix + "id=" + word(it.ID) + " call_id=" + word(it.CallID) + " name=" + word(it.Name) +
			" arguments=" + lineValue(it.Arguments) + "]"
	}
	return outputPrefix + "call_id=" + word(it.CallID) + " output=" + lineValue(it.Output) + "]"
}

// word writes an id as it is where that is unmistakable, and as a JSON string otherwise.
func word(s string) string {
	if validName(s) {
		return s
	}
	return Escape(string(canon.AppendString(nil, s)))
}

// lineValue writes a value on one line: a JSON object or array that stands on one line as it is, everything else as a string.
func lineValue(s string) string {
	if s != "" && (s[0] == '{' || s[0] == '[') && !strings.ContainsAny(s, "\r\n") {
		p := scanner{s: s}
		if p.value() && p.i == len(s) {
			return Escape(s)
		}
	}
	return Escape(string(canon.AppendString(nil, s)))
}

func escaped(parts []Part) []Part {
	out := make([]Part, len(parts))
	for i, p := range parts {
		p.Text = Escape(p.Text)
		out[i] = p
	}
	return out
}

// joinText joins neighbouring texts, each run in one go.
func joinText(parts []Part) []Part {
	var out []Part
	for i := 0; i < len(parts); {
		if parts[i].ImageURL != "" {
			out = append(out, parts[i])
			i++
			continue
		}
		var b strings.Builder
		for ; i < len(parts) && parts[i].ImageURL == ""; i++ {
			b.WriteString(parts[i].Text)
		}
		out = append(out, Part{Text: b.String()})
	}
	return out
}

var ownID = regex.Lazy(`^fc_(\d{1,9})$`)

// HighestID is the highest number among ids of the form fc_001 in the items: new calls go on behind it.
func HighestID(items []Item) int {
	highest := 0
	for _, it := range items {
		for _, id := range []string{it.ID, it.CallID} {
			if m := ownID().FindStringSubmatch(id); m != nil {
				n, _ := strconv.Atoi(m[1]) // at most nine digits
				highest = max(highest, n)
			}
		}
	}
	return highest
}

// ID is the id of the n-th call: fc_001, fc_002 and so on.
func ID(n int) string { return fmt.Sprintf("fc_%03d", n) }
