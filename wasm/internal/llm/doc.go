// Package llm is the one model of a conversation with a language model: messages, requests, stream events and
// errors. What a particular endpoint speaks is a Dialect (packages openai, chat, anthropic): a pure
// transform between this model and bytes. A Provider joins a dialect, an endpoint and a Transport.
//
// The way of the data:
//
//	Request ─Dialect.Build─► web.Request ─Transport─► bytes ─Decoder─► Event … Event ─Accumulator─► Message
//
// A stream of events is: start; then for each block of the message its start, deltas and end, told apart by
// ContentIndex; usage; and exactly one terminal event, done or error. A Stream never fails in another way: whatever goes
// wrong is its error event, whose message holds what had arrived. An agent's loop works off
// the calls in it (docs/design/invocation.md).
//
// To add a provider, write a Dialect in a package of its own: Build for requests, a Parser that reports what it reads to
// a Builder. Put recordings of its answers under testdata/answers and stories of its requests under testdata/requests,
// and run the tests of llmtest over them (GoldenAnswers, GoldenRequests, Conform, Fuzz).
//
// Nothing here reads a clock except to wait between attempts, opens a connection or needs a goroutine.
package llm
