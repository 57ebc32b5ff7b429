package chat

import (
	"net/url"
	"strings"

	"embedded-agent/wasm/internal/llm"
)

// Quirks are an endpoint's differences from most others.
type Quirks struct {
	// MaxTokens is the name of the field for the output limit.
	MaxTokens string
	// ShortIDs: call ids must be nine letters or digits.
	ShortIDs bool
	// NoStreamOptions: the endpoint refuses stream_options; it counts tokens without being asked.
	NoStreamOptions bool
	// Strict: functions may be strict.
	Strict bool
	// Effort is how reasoning effort is asked for.
	Effort EffortStyle
	// SchemaOnly: json_schema is taken, json_object is refused.
	SchemaOnly bool
	// AnyForRequired: tool_choice says "any" for required.
	AnyForRequired bool
	// NoParallel: the endpoint refuses parallel_tool_calls.
	NoParallel bool
	// ToolImages: tool messages may hold images, and a user message must not follow them.
	ToolImages bool
	// CacheKey: prompt_cache_key is taken.
	CacheKey bool
	// CacheMarks: parts of text may be marked with cache_control, for models that keep only what is marked.
	CacheMarks bool
}

// EffortStyle is a way of asking for reasoning effort.
type EffortStyle uint8

// The effort styles: the field reasoning_effort; an object reasoning with the field effort; not at all.
const (
	EffortField EffortStyle = iota
	EffortObject
	EffortNever
)

// QuirksOf gives the quirks of an endpoint by its host.
func QuirksOf(e llm.Endpoint) Quirks {
	q := Quirks{MaxTokens: "max_tokens"}
	u, err := url.Parse(e.BaseURL)
	if err != nil {
		return q
	}
	name, port := strings.ToLower(u.Hostname()), u.Port()
	switch {
	case under(name, "openai.com") || under(name, "openai.azure.com"):
		q.MaxTokens, q.Strict, q.CacheKey = "max_completion_tokens", true, true
	case under(name, "openrouter.ai"):
		q.Effort, q.CacheMarks = EffortObject, true
	case under(name, "ai-gateway.vercel.sh"):
		q.Effort = EffortObject
	case under(name, "mistral.ai"):
		q.ShortIDs, q.NoStreamOptions, q.AnyForRequired, q.ToolImages = true, true, true, true
		q.Effort = EffortNever
	case under(name, "anthropic.com") || under(name, "googleapis.com") || under(name, "z.ai") || under(name, "deepseek.com"):
		q.NoParallel = true
	case under(name, "groq.com"):
		q.MaxTokens = "max_completion_tokens"
	case port == "1234":
		// LM Studio's port.
		q.SchemaOnly = true
	}
	return q
}

// under reports whether host is domain or below it.
func under(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain)
}
