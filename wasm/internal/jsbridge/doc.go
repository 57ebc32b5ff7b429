// Package jsbridge is the core's side of the boundary (docs/design/boundary.md): a message
// loop that serves requests of the app's side, and the host's ports over messages
// to it.
//
//	app's side (bridge/client.ts)       core (this package)
//	request  ──────────────────────────► Server.Handle, a goroutine each
//	cancel   ──────────────────────────► ends its context
//	         ◄────────────────────────── response, event
//	         ◄────────────────────────── request (Conn.Call: the ports of package host)
//	response ──────────────────────────► the waiting Call
//
// Conn is plain Go over a Port, so that it is tested natively. The files that
// end in _js.go, and main_js.go, are the only ones of the program that touch
// JavaScript: envelopes cross by vert, everything else by safejs, bytes by
// CopyBytesToGo and CopyBytesToJS. The port collects what is sent during one
// turn of the event loop and posts it as one batch.
package jsbridge
