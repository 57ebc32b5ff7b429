// Package protocol holds every type that crosses between the core and the
// app's side, and the two method sets: ServerMethods, what the app's side may ask of the
// core, and HostMethods, what the core may ask of the app's side. It is types only.
//
// Messages are the only thing that crosses (docs/ARCHITECTURE.md#the-boundary): request, response,
// event, cancel. Each is an Envelope; its payload is JSON text of one of the
// types here. Several messages that are ready together cross together, as a
// batch. Bytes cross beside the envelopes as Uint8Array; a payload names them
// by their index in the batch.
//
// bridge/protocol.gen.ts is generated from this package. A hash of its sources
// (Contract) is the first thing the two sides exchange.
package protocol

// Envelope is one message. It crosses by vert, so it is flat and has plain
// strings and numbers only; vert takes the whole tag as the key.
type Envelope struct {
	ID      int    `json:"id" js:"id"`
	Kind    string `json:"kind" js:"kind"`
	Method  string `json:"method" js:"method"`
	Payload string `json:"payload" js:"payload"`
	Error   string `json:"error" js:"error"` // JSON of Problem; "" when all is well
}

// The kinds of envelopes. A cancel carries the id of the request it ends. An
// event's id is its sequence number.
const (
	KindRequest  = "request"
	KindResponse = "response"
	KindEvent    = "event"
	KindCancel   = "cancel"
)

// Message is words for a person: a key of the catalogue in i18n with
// what to put in.
type Message struct {
	Key    string            `json:"key"`
	Params map[string]string `json:"params,omitempty"`
}

// Problem is an error for a person: what happened, where, and what to do. Detail
// is English from outside.
type Problem struct {
	Code        ProblemCode       `json:"code"`
	Key         string            `json:"key"`
	Params      map[string]string `json:"params,omitempty"`
	Detail      string            `json:"detail,omitempty"`
	Retryable   bool              `json:"retryable,omitempty"`
	RetryAfterS float64           `json:"retryAfterS,omitempty"`
	Tool        string            `json:"tool,omitempty"`
	Step        string            `json:"step,omitempty"`
	Args        string            `json:"args,omitempty"` // JSON, redacted
}

// Method is a request of one side to the other: it sends Params, and is answered
// with Result. Its name is that of the field that has it, in a set of methods.
type Method[P, R any] struct {
	Params P `json:"params"`
	Result R `json:"result"`
}

// Empty is the payload of a request or response that says nothing more.
type Empty struct{}
