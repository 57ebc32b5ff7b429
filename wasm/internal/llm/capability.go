package llm

// Capabilities is what an endpoint can do. The zero value promises nothing.
type Capabilities struct {
	Streaming  bool `json:"streaming"`
	Tools      bool `json:"tools"`
	JSONSchema bool `json:"jsonSchema"`
	Images     bool `json:"images"`
	Parallel   bool `json:"parallel"`
}

// PlanMode is how a plan is asked for.
type PlanMode string

// The plan modes, the surest first.
const (
	// PlanByCall: the model calls submit_plan, whose argument is the plan.
	PlanByCall PlanMode = "call"
	// PlanBySchema: the answer is JSON held to a schema.
	PlanBySchema PlanMode = "schema"
	// PlanByText: the answer is text that should be JSON, and is repaired.
	PlanByText PlanMode = "text"
)

// PlanMode chooses the surest way to ask for a plan.
func (c Capabilities) PlanMode() PlanMode {
	switch {
	case c.Tools:
		return PlanByCall
	case c.JSONSchema:
		return PlanBySchema
	}
	return PlanByText
}

// findingTexts lists the message keys of what a connection test can find, with their English texts.
var findingTexts = map[string]string{
	"llm.finding.reached":       "{host} answers, with the model {model}.",
	"llm.finding.failed":        "The test failed: {detail}",
	"llm.finding.streaming.yes": "Answers arrive word by word.",
	"llm.finding.streaming.no":  "Answers arrive in one piece only: streaming is refused ({detail}).",
	"llm.finding.tools.yes":     "The model can call tools.",
	"llm.finding.tools.no":      "The model cannot call tools; plans are asked for as text ({detail}).",
	"llm.finding.schema.yes":    "The endpoint can hold answers to a JSON schema.",
	"llm.finding.schema.no":     "The endpoint cannot hold answers to a JSON schema ({detail}).",
	"llm.finding.images.yes":    "The model can see images.",
	"llm.finding.images.no":     "The model cannot see images ({detail}).",
	"llm.finding.parallel.yes":  "The model can call several tools at once.",
	"llm.finding.parallel.no":   "The model calls one tool at a time.",

	"llm.finding.tools.unsure":  "Whether the model can call tools could not be found out ({detail}).",
	"llm.finding.schema.unsure": "Whether answers can be held to a JSON schema could not be found out ({detail}).",
	"llm.finding.images.unsure": "Whether the model can see images could not be found out ({detail}).",
}
