// Package proxy serves POST /v1/responses, with function calling, in front of a backend that can only talk: the Codex
// app-server, or a Chat Completions endpoint, whose streamed text alone is used.
//
// A request goes
//
//	guard → decode → (previous response) → manifest + transcript → backend ─text→ sentinel.Machine → emitter → client
//	                                            ▲                                   │
//	                                            └── once more, when tool_choice ────┘
//	                                                was not obeyed
//
// One goroutine does all of it for one request: the backend hands its text on in that goroutine, and the emitter writes it
// to the client before the next piece is taken. A client that goes away ends the context of the request, which interrupts
// the backend's turn.
//
// The wire profile is that of Open Responses. docs/proxy.md describes it for the people who use it, docs/design/sentinel.md how
// calls are found.
package proxy
