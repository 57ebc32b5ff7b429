package llm

import "strings"

// endings are the paths that people paste along with an address, each with the name of the dialect that is spoken there;
// "" where the path says nothing about it.
var endings = []struct{ path, dialect string }{
	{"/chat/completions", "chat"},
	{"/responses", "openai"},
	{"/messages", "anthropic"},
	{"/api/chat", "ollama"},
	{"/models", ""},
}

// ParseAddress reads an address as a person gives it: up to the version, or whole with the path of an API at its end, with
// a query or without. The query goes along with every request. dialect names the one that the end speaks for, "" for none.
func ParseAddress(text string) (e Endpoint, dialect string) {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "#")
	base, query, _ := strings.Cut(text, "?")
	base = strings.TrimRight(base, "/")
	for _, end := range endings {
		if rest, found := strings.CutSuffix(base, end.path); found {
			base, dialect = strings.TrimRight(rest, "/"), end.dialect
			break
		}
	}
	// The API of Gemini has the model in its path, and no end that says so.
	base, _, _ = strings.Cut(base, "/models/gemini")
	if strings.HasSuffix(base, ".googleapis.com/v1beta") {
		dialect = "gemini"
	}
	return Endpoint{BaseURL: base, Query: query}, dialect
}
