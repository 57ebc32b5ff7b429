package sentinel

import (
	"fmt"
	"strings"

	"embedded-agent/wasm/internal/canon"
)

// ChoiceMode is the mode that tool_choice asks for.
type ChoiceMode string

// The modes of tool_choice. A forced tool is Required with a registry that holds that tool alone.
const (
	ChoiceAuto     ChoiceMode = "auto"
	ChoiceNone     ChoiceMode = "none"
	ChoiceRequired ChoiceMode = "required"
)

// Manifest is the text that tells the model about its tools and how to call them. The same tools give the same text.
// It is "" where there is nothing to tell.
func Manifest(reg *Registry, mode ChoiceMode, parallel bool) (string, error) {
	if mode == ChoiceNone {
		return "Answer in plain text. Never write " + OpenTag + ".\n" + RecordNote, nil
	}
	if reg == nil || len(reg.tools) == 0 {
		return "", nil
	}
	var b strings.Builder
	b.WriteString("You can call tools. A call is one block of exactly this form, and nothing else is a call:\n")
	b.WriteString(OpenTag + `{"name":"TOOL","arguments":"{\"key\":\"value\"}"}` + CloseTag + "\n")
	b.WriteString("Rules:\n")
	b.WriteString("- \"arguments\" is a string that holds one JSON object: escape its quotes and backslashes. No Markdown fence around the block, no comments, no trailing commas.\n")
	if parallel {
		b.WriteString("- Several calls: several blocks, one after the other.\n")
	} else {
		b.WriteString("- At most one call per answer.\n")
	}
	b.WriteString("- After your calls stop writing. The results come in the next message; never invent them.\n")
	if reg.anyStrict {
		b.WriteString("- For tools marked strict the arguments MUST conform to the schema exactly; otherwise the answer is thrown away.\n")
	}
	b.WriteString(choiceRule(reg, mode))
	b.WriteString("- " + RecordNote)
	b.WriteString("Tools, one per line, parameters as JSON Schema:\n")
	for _, t := range reg.tools {
		line, err := toolLine(t)
		if err != nil {
			return "", err
		}
		b.WriteString(line)
	}
	return b.String(), nil
}

// RecordNote explains the lines of a transcript and the quoting. Manifest holds it; where there is no manifest, a conversation
// that has such lines needs it alone.
const RecordNote = "Lines that begin with [function_call or [message role= are a record of what happened; never write such lines yourself. " +
	"Where text that you are given holds a tilde, as in <~tool_call> or [~function_call, the tilde only quotes it: copy it as it stands.\n"

func choiceRule(reg *Registry, mode ChoiceMode) string {
	switch {
	case mode == ChoiceRequired && len(reg.tools) == 1:
		return fmt.Sprintf("- You must call the tool %s in this answer, and no other.\n", reg.tools[0].Name)
	case mode == ChoiceRequired:
		return "- You must call at least one tool in this answer.\n"
	default:
		return "- If no tool is needed, answer in plain text without any block.\n"
	}
}

// toolLine is one tool as one line of JSON with its keys in a fixed order.
func toolLine(t Tool) (string, error) {
	line := `{"name":` + string(canon.AppendString(nil, t.Name))
	if t.Description != "" {
		line += `,"description":` + string(canon.AppendString(nil, t.Description))
	}
	if t.Strict != nil && *t.Strict {
		line += `,"strict":true`
	}
	parameters := "{}"
	if len(t.Parameters) > 0 && string(t.Parameters) != "null" {
		var err error
		if parameters, err = canonical(t.Parameters); err != nil {
			return "", err
		}
	}
	return Escape(line+`,"parameters":`+parameters) + "}\n", nil
}

// Reminder gives the message to a model that had to call a tool and did not.
func Reminder(reg *Registry) string {
	if len(reg.tools) == 1 {
		return fmt.Sprintf("Your answer held no valid call. Call the tool %s now: one %s block, nothing else.", reg.tools[0].Name, OpenTag)
	}
	return fmt.Sprintf("Your answer held no valid call. Call one of your tools now: one %s block, nothing else.", OpenTag)
}
