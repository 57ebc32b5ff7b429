// Package agent is the tool-calling loop: a model is asked, the calls in its
// answer are made, the results go back to it, until it has no more calls
// (docs/design/invocation.md).
//
//	Run ─► join messages ─► guard ─► ask the model ─► calls? ──no──► done
//	          ▲                                        │yes
//	          │                          prepare, in source order
//	          │                          execute, in parallel, through the pipeline
//	          └──────────────────────── finalize, in source order
//
// The loop has no way to write but the pipeline function it is handed, and no
// way to raise a limit: limits come from the Guard, which is made from settings
// and an organisation's policy before the first word of a note is read. A guard
// that fails denies.
//
// The calls of one answer go through the pipeline's own stages in source order
// up to the point of execution (Gates), run in parallel there, and wait for one
// another only where they touch the same path. What the person says meanwhile
// comes through an Inbox. The conversation so far is a value, State; a stopped
// loop goes on from it.
package agent
