package llm

import (
	"context"
	"net/url"
	"strings"
)

// Transport sends one HTTP request and gives the answer as it arrives. The host implements it. An error is a failure
// before the answer began; a refusing status is an answer.
type Transport interface {
	Do(ctx context.Context, r HTTPRequest) (HTTPResponse, error)
}

// HTTPRequest is one request. Header values may hold {{secret:NAME}}, which the transport replaces by the secret of that
// name; the value never comes here.
type HTTPRequest struct {
	Method string            `json:"method"`
	URL    string            `json:"url"`
	Header map[string]string `json:"header,omitempty"`
	Body   []byte            `json:"body,omitempty"`
	// Stream says that the answer is wanted piece by piece.
	Stream bool `json:"stream,omitempty"`
	// Via says by which client it goes: "" by the one that streams, and where that
	// fails before the answer begins by the other; ViaFetch or ViaApp by that alone.
	Via string `json:"via,omitempty"`
	// Redact says that the answer is for notes, people and logs: the secrets of the headers are taken out of it, whatever
	// its status. They are taken out of refusals in any case.
	Redact bool `json:"redact,omitempty"`
}

// The clients of a transport: one that streams, follows no redirect and can be
// ended, and the host app's own, which can do none of that and obeys no CORS.
const (
	ViaFetch = "fetch"
	ViaApp   = "app"
)

// HTTPResponse is an answer as it arrives.
type HTTPResponse interface {
	Status() int
	// Header is the value of a header, "" when there is none; name is in any case.
	Header(name string) string
	// Read gives the next bytes, of any number, or io.EOF after the last ones. The bytes are valid until the next Read.
	Read(ctx context.Context) ([]byte, error)
	// Close ends the answer early or after its end; it may be called more than once.
	Close()
}

// Buffered says whether an answer came in one piece because the host could not be reached in a way that streams: a page may
// not read the answers of a server that does not allow it (CORS), and the host app's own client gives them whole. A response
// says so by a method Buffered() bool.
func Buffered(r HTTPResponse) bool {
	b, ok := r.(interface{ Buffered() bool })
	return ok && b.Buffered()
}

// Endpoint is where a model is reached.
type Endpoint struct {
	// BaseURL is the address up to the version, such as https://api.openai.com/v1.
	BaseURL string `json:"baseUrl"`
	// Secret is the name of the key; empty for endpoints without one.
	Secret string `json:"secret,omitempty"`
	// Header is sent with every request, after (and over) the dialect's own.
	Header map[string]string `json:"header,omitempty"`
	// Can is what the endpoint is known to do.
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

// Join gives the address of a path below the base.
func (e Endpoint) Join(path string) string { return strings.TrimRight(e.BaseURL, "/") + path }

// SecretRef is the placeholder that the transport replaces by the secret of that name.
func SecretRef(name string) string { return "{{secret:" + name + "}}" }

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

// Bearer gives the usual headers of a JSON request to an endpoint that takes its key as a bearer token.
func (e Endpoint) Bearer(stream bool) map[string]string {
	own := jsonHeaders(stream)
	if e.Secret != "" {
		own["authorization"] = "Bearer " + SecretRef(e.Secret)
	}
	return e.Headers(own)
}

// KeyHeader is like Bearer for an endpoint that takes its key in a header of its own.
func (e Endpoint) KeyHeader(name string, stream bool, more map[string]string) map[string]string {
	own := jsonHeaders(stream)
	for n, v := range more {
		own[n] = v
	}
	if e.Secret != "" {
		own[name] = SecretRef(e.Secret)
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
