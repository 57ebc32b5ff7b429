package fileview

import (
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runnable"
)

// Alerts says what a change adds that may run or load by itself, by line.
func Alerts(c overlay.Change) []protocol.Alert {
	out := []protocol.Alert{}
	for _, f := range added(c) {
		out = append(out, protocol.Alert{Line: f.Line, Text: protocol.Message{Key: keys[f.Kind], Params: map[string]string{"what": f.What}}})
	}
	return out
}

// Warnings says what a text would run or load by itself in a note: each thing
// once, none where it would do nothing.
func Warnings(text string) []protocol.Message {
	out := []protocol.Message{}
	said := map[[2]string]bool{}
	for _, f := range runnable.Find("", []byte(text)) {
		key := [2]string{keys[f.Kind], f.What}
		if !said[key] {
			said[key] = true
			out = append(out, protocol.Message{Key: key[0], Params: map[string]string{"what": f.What}})
		}
	}
	return out
}

// Hosts gives the hosts that something would be loaded from.
func Hosts(c overlay.Change) []string {
	var out []string
	for _, f := range added(c) {
		if f.Kind == runnable.Load {
			out = append(out, f.What)
		}
	}
	return out
}

// keys are the words of each kind.
var keys = map[runnable.Kind]string{
	runnable.Code: "alert.code", runnable.Query: "alert.query", runnable.Button: "alert.button", runnable.Page: "alert.page",
	runnable.Load: "alert.load", runnable.Link: "alert.link", runnable.Program: "alert.program",
}

// count gives how many places may run, and how many load something.
func count(c overlay.Change) (runs, loads int) {
	for _, f := range added(c) {
		if f.Kind == runnable.Load {
			loads++
		} else {
			runs++
		}
	}
	return runs, loads
}

func added(c overlay.Change) []runnable.Found {
	if c.Kind == host.Folder || c.Status == overlay.Trash {
		return nil
	}
	before := c.Before
	if c.Status == overlay.Create {
		before = nil
	}
	return runnable.Added(c.From, before, c.Path, c.After)
}
