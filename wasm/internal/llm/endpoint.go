package llm

import (
	"net/url"
	"strings"

	"embedded-agent/wasm/internal/web"
)

// Endpoint is where a model is reached.
type Endpoint struct {
	// BaseURL is the address up to the version, such as https://api.openai.com/v1.
	BaseURL string `json:"baseUrl"`
	// Query goes along with every address, such as api-version=2024-10-21; empty for none.
	Query string `json:"query,omitempty"`
	// Secret is the name of the key; empty for endpoints without one.
	Secret string `json:"secret,omitempty"`
	// KeyElsewhere says that Header has the key where this endpoint wants it: the dialect sends it in no header of its own.
	KeyElsewhere bool `json:"keyElsewhere,omitempty"`
	// Header is sent with every request, after (and over) the dialect's own.
	Header map[string]string `json:"header,omitempty"`
	// Can says which features the endpoint is known to have.
	Can Capabilities `json:"can"`
}

// Host is the host (and port) of the endpoint, for messages to the person.
func (e Endpoint) Host() string {
	u, err := url.Parse(e.BaseURL)
	if err != nil || u.Host == "" {
		return e.BaseURL
	}
	return u.Host
}

// Join gives the address of a path below the base, with the endpoint's query.
func (e Endpoint) Join(path string) string {
	address := strings.TrimRight(e.BaseURL, "/") + path
	switch {
	case e.Query == "":
		return address
	case strings.Contains(path, "?"):
		return address + "&" + e.Query
	}
	return address + "?" + e.Query
}

// Headers merges the endpoint's headers over the dialect's, without regard to case.
func (e Endpoint) Headers(own map[string]string) map[string]string {
	merged := make(map[string]string, len(own)+len(e.Header))
	for name, value := range own {
		merged[strings.ToLower(name)] = value
	}
	for name, value := range e.Header {
		merged[strings.ToLower(name)] = value
	}
	return merged
}

// Bearer gives the usual headers of a JSON request to an endpoint that takes its key as a bearer token, as all but Azure's
// do, which have a header of their own.
func (e Endpoint) Bearer(stream bool) map[string]string {
	own := jsonHeaders(stream)
	switch {
	case e.Secret == "" || e.KeyElsewhere:
	case e.azure():
		own["api-key"] = web.SecretRef(e.Secret)
	default:
		own["authorization"] = "Bearer " + web.SecretRef(e.Secret)
	}
	return e.Headers(own)
}

// azure reports whether the host is one of Azure's, as https://NAME.openai.azure.com.
func (e Endpoint) azure() bool {
	host, _, _ := strings.Cut(strings.ToLower(e.Host()), ":")
	return strings.HasSuffix(host, ".azure.com")
}

// KeyHeader is like Bearer for an endpoint that takes its key in a header of its own.
func (e Endpoint) KeyHeader(name string, stream bool, more map[string]string) map[string]string {
	own := jsonHeaders(stream)
	for n, v := range more {
		own[n] = v
	}
	if e.Secret != "" && !e.KeyElsewhere {
		own[name] = web.SecretRef(e.Secret)
	}
	return e.Headers(own)
}

func jsonHeaders(stream bool) map[string]string {
	accept := "application/json"
	if stream {
		accept = "text/event-stream"
	}
	return map[string]string{"content-type": "application/json", "accept": accept}
}
