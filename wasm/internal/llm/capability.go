package llm

// Capabilities says what an endpoint can do. The zero value promises nothing.
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

// PlanModes are the ways to ask for a plan that are worth trying, the surest first, by what is known of an endpoint. What is
// not known is tried; the last resort is always there.
func PlanModes(known map[Feature]bool) []PlanMode {
	var modes []PlanMode
	if can, sure := known[FeatureTools]; can || !sure {
		modes = append(modes, PlanByCall)
	}
	if can, sure := known[FeatureSchema]; can || !sure {
		modes = append(modes, PlanBySchema)
	}
	return append(modes, PlanByText)
}

// findings lists the message keys of what a connection test can find. Their words are in i18n (en/llm.json).
var findings = []string{
	"llm.finding.reached",
	"llm.finding.failed",
	"llm.finding.streaming.yes",
	"llm.finding.streaming.no",
	"llm.finding.streaming.buffered",
	"llm.finding.tools.yes",
	"llm.finding.tools.no",
	"llm.finding.schema.yes",
	"llm.finding.schema.no",
	"llm.finding.images.yes",
	"llm.finding.images.no",
	"llm.finding.parallel.yes",
	"llm.finding.parallel.no",
	"llm.finding.tools.unsure",
	"llm.finding.schema.unsure",
	"llm.finding.images.unsure",
}
