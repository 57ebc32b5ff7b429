package llm

import "encoding/json"

// Request is one question to a model.
type Request struct {
	Model    string    `json:"model"`
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools,omitempty"`
	// ToolChoice is auto when empty.
	ToolChoice ToolChoice `json:"toolChoice,omitzero"`
	// Parallel allows (true) or forbids (false) several calls in one message; nil leaves it to the endpoint.
	Parallel *bool `json:"parallel,omitempty"`
	// MaxTokens limits the output; 0 leaves it to the endpoint, or to the dialect where the endpoint insists.
	MaxTokens int `json:"maxTokens,omitempty"`
	// Temperature is left to the endpoint when nil.
	Temperature *float64 `json:"temperature,omitempty"`
	// Format asks for an answer that is JSON.
	Format *Format `json:"format,omitempty"`
	// Reasoning is how hard the model should think; empty leaves it to the endpoint.
	Reasoning Effort `json:"reasoning,omitempty"`
	// NoSummary leaves out the summary of the thinking, which otherwise is asked for along with Reasoning.
	NoSummary bool `json:"noSummary,omitempty"`
	// Stop are texts at which the model stops.
	Stop []string `json:"stop,omitempty"`
	// CacheKey lets endpoints find an earlier request with the same beginning.
	CacheKey string `json:"cacheKey,omitempty"`
	// Window is how many tokens the model is to take, for endpoints that are told with each request; 0 leaves it to them.
	Window int `json:"window,omitempty"`
	// Whole asks for the answer in one piece instead of a stream.
	Whole bool `json:"whole,omitempty"`
}

// Tool is a tool as the model sees it.
type Tool struct {
	// Name is the dotted name.
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Parameters is a JSON Schema of an object; empty stands for an object without properties.
	Parameters json.RawMessage `json:"parameters,omitempty"`
	// Strict asks the endpoint to hold the model to the schema, where both can.
	Strict bool `json:"strict,omitempty"`
}

// ToolMode says whether the model may, must or must not call tools.
type ToolMode string

// The tool modes. ToolOne means the tool with the name in ToolChoice.
const (
	ToolAuto     ToolMode = "auto"
	ToolNone     ToolMode = "none"
	ToolRequired ToolMode = "required"
	ToolOne      ToolMode = "tool"
)

// ToolChoice is a mode, and for ToolOne the dotted name of the tool.
type ToolChoice struct {
	Mode ToolMode `json:"mode,omitempty"`
	Name string   `json:"name,omitempty"`
}

// Format asks for JSON. With a Schema the endpoint holds the model to it; without one any JSON object will do.
type Format struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema,omitempty"`
}

// Effort is how hard a model should think before it answers.
type Effort string

// The efforts. None switches reasoning off where the endpoint has a switch.
const (
	EffortNone    Effort = "none"
	EffortMinimal Effort = "minimal"
	EffortLow     Effort = "low"
	EffortMedium  Effort = "medium"
	EffortHigh    Effort = "high"
	EffortXHigh   Effort = "xhigh"
)

// System is the text of the system messages, joined by a blank line, and the other messages.
func (r Request) System() (system string, rest []Message) {
	for _, m := range r.Messages {
		if m.Role != RoleSystem {
			rest = append(rest, m)
			continue
		}
		if system != "" {
			system += "\n\n"
		}
		system += m.Text()
	}
	return system, rest
}
