// Package web is a request of the core and its answer, and the port of the host that
// sends it (docs/design/network.md).
package web

import "context"

// Transport sends one HTTP request and gives the answer as it arrives. The host implements it. An error is a failure
// before the answer began; a refusing status is an answer.
type Transport interface {
	Do(ctx context.Context, r Request) (Response, error)
}

// Request is one request. Header values may hold {{secret:NAME}}, which the transport replaces by the secret of that
// name; the value never comes here.
type Request struct {
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

// Response is an answer as it arrives.
type Response interface {
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
func Buffered(r Response) bool {
	b, ok := r.(interface{ Buffered() bool })
	return ok && b.Buffered()
}

// SecretRef is the placeholder that the transport replaces by the secret of that name.
func SecretRef(name string) string { return "{{secret:" + name + "}}" }
