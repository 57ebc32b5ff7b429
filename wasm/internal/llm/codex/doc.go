// Package codex asks the Codex app-server (npm @openai/codex, 0.169.0) for text: one process, one fresh thread per request,
// so that requests run side by side and never meet.
//
// The protocol is newline-delimited JSON without a "jsonrpc" key. A request of ours goes
//
//	thread/start → turn/start → (item/started, item/agentMessage/delta …, item/completed) … → turn/completed → thread/unsubscribe
//
// What the server does that a reader of the protocol would not expect, and what follows from it here:
//
//   - turn/started may come before the answer to turn/start: a turn is known by its thread, which is registered before.
//   - A second turn/start on a busy thread steers the running turn. A thread here gets exactly one; a turn into which another
//     user message appears, or whose message is abandoned for another without a word, fails.
//   - After turn/interrupt there is no item/completed: only turn/completed ends a turn.
//   - A broken model stream is retried by the server, which says so (willRetry) and then sends the text again from the start
//     under a new item id: what was handed on already is skipped. Where the retry says something else the turn fails, because
//     text that was handed on cannot be taken back.
//   - Remote image addresses are refused and undecodable images silently become text: both are refused here before.
//   - turn.error.codexErrorInfo is a string or an object.
//   - Requests of the server to us (approvals, questions) are answered with an error, so that it never waits.
//   - A thread stays in memory long after its end, and one that is not persisted cannot be deleted: after some hundred
//     requests a fresh process takes the place of the old one, which ends with its last request.
//   - The process ends when its stdin closes. When it dies, every open turn fails and the next request starts it again.
package codex
