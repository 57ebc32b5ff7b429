package server

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// meanwhile is a store in which something happens just before the first bytes are
// added to a file in one of its folders.
type meanwhile struct {
	host.Store
	folder string
	once   sync.Once
	do     func()
}

// Append implements host.Store.
func (m *meanwhile) Append(ctx context.Context, path string, data []byte) error {
	if m.do != nil && strings.HasPrefix(path, m.folder+"/") {
		m.once.Do(m.do)
	}
	return m.Store.Append(ctx, path, data)
}

// windowOf starts a core in a window of this device, in front of a store. Of all
// windows, one writes what the device keeps.
func windowOf(t *testing.T, mem *hosttest.Memory, at host.Owner, store host.Store, readOnly bool) *panel {
	t.Helper()
	ui, _ := endpointWith(t, mem, custom, func(d *Deps) {
		d.Host = mem.HostAt(at)
		d.Host.Store = &placed{Store: store, shared: store, readOnly: readOnly}
	}, streamed("One."), streamed("Two."), streamed("Three."))
	return ui
}

// talk says something, and waits for the answer.
func (ui *panel) talk(text string) {
	call[protocol.Accepted](ui, "send", protocol.Send{Text: text, Conversation: "c"})
	ui.turnEnd()
}

func TestTurnsThatTwoWindowsAddInOneMomentAreAllKept(t *testing.T) {
	for _, folder := range []string{"conversations", "usage"} {
		t.Run(folder, func(t *testing.T) {
			mem := ideasVault()
			store := &meanwhile{Store: mem.Host().Store, folder: folder}
			first := windowOf(t, mem, host.Owner{Device: "this device", Window: "window 1"}, store, false)
			second := windowOf(t, mem, secondWindow, mem.Host().Store, true)
			first.talk("first of all")
			store.do = func() { second.talk("in the second window") }
			first.talk("in the first window")
			second.talk("and again in the second")
			after := begin(t, mem, custom)
			got := call[protocol.ConversationDetail](after, "conversation.get", protocol.ConversationRef{ID: "c"})
			var said []string
			for _, turn := range got.Turns {
				said = append(said, turn.Text)
			}
			want := []string{"first of all", "in the first window", "in the second window", "and again in the second"}
			for _, text := range want {
				if !slices.Contains(said, text) {
					t.Errorf("%q is lost: %q", text, said)
				}
			}
			if n := callsCounted(after); n != len(want) {
				t.Errorf("%d answers are counted, of %d", n, len(want))
			}
		})
	}
}

// callsCounted gives how many answers of models the ledger knows of.
func callsCounted(ui *panel) int {
	n := 0
	for _, row := range call[protocol.UsageReport](ui, "usage.get", protocol.Empty{}).Rows {
		n += row.Calls
	}
	return n
}
