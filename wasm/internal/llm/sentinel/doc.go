// Package sentinel lets a model that can only talk call tools: it writes a call as a block of text between two markers,
// and this package finds, checks and repairs the blocks in the stream, tells the model about its tools, and writes earlier
// calls and their results back as text. It is pure: no I/O, no clock, no goroutine.
//
// # Grammar
//
//	stream   = { text | block }
//	block    = "<tool_call>" ws object ws "</tool_call>"
//	object   = a JSON object (RFC 8259) with "name": string and "arguments": string holding a JSON object
//	text     = everything else, kept to the byte
//
// Only the exact opening marker opens a block, and not where it stands between backquotes (a model explaining the format).
// The closing marker counts only outside a JSON string, so that an argument may quote both markers. A closing marker
// without an opening one is text.
//
// # States
//
//	         '<'                  marker whole
//	┌─────┐ ─────► ┌─────────┐ ─────────────────► ┌──────┐ ── '"' ──► ┌────────┐ ── '\' ──► ┌────────┐
//	│ text│        │ opening │   (after a '`':    │ body │            │ string │            │ escape │
//	└─────┘ ◄───── └─────────┘    peek one byte)  └──────┘ ◄── '"' ── └────────┘ ◄── any ── └────────┘
//	   ▲    mismatch: text            │ "</tool_call>", end of stream, or block over its limit
//	   │                              ▼
//	   └───────────────────────── decide: call, text, or (strict) failure
//
// The machine looks at each byte once, so its cost is linear, its result does not depend on how the stream was cut into
// chunks, and what it holds is at most one marker, one block (bounded by Options.MaxBlock) and a bounded run of white space.
// White space that stands alone between two calls is dropped and counted. Every other byte comes out as text or is part of a
// call: each event says which bytes of the input it accounts for.
//
// # Strict and not
//
// A block that does not hold a call is text, unless the tool it names is strict (or, where no known tool is named, any tool
// of the request is): then the stream fails. For tools that are not strict some slips are repaired, each counted: trailing
// commas; arguments given as an object, null, missing or empty. Single quotes, raw control characters, arguments encoded
// twice, and arrays are not.
//
// # Quoting
//
// Text that goes to the model may itself contain the markers or look like a line of the transcript. Escape puts a tilde
// behind the first character of such a place ("<~tool_call>", "[~function_call"), one more for each time; Unescape takes one
// away. What comes back in arguments and text is unescaped, so a note that quotes "<tool_call>" keeps its bytes.
//
// docs/design/sentinel.md says the same with an example that runs.
package sentinel
