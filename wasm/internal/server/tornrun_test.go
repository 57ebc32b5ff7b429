package server

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// A folder that nothing flushes can lose any of a run's files to a power cut, or any
// part of one. Whatever is missing, the core starts, and all else can be used.
func TestTheCoreStartsWhateverAPowerCutHasTakenOfARunUnderWay(t *testing.T) {
	c := calmRun(t, hosttest.Linux)
	mem := c.vault(hosttest.Linux)
	ui := begin(t, mem, free)
	r := ui.open(c.plan)
	mem.KillAt(c.ops/2, 1, false)
	ui.approve(r)
	ui.s.Close()

	var files []string
	for path := range mem.CrashClone().StoreFiles() {
		if strings.HasPrefix(path, "hot/") || strings.HasPrefix(path, "runs/") {
			files = append(files, path)
		}
	}
	if len(files) < 4 {
		t.Fatalf("the run has left only %v", files)
	}
	for _, lost := range files {
		for _, part := range []int{0, 1, 2} { // none of it is left, no byte in it, or half of it
			found := mem.CrashClone()
			store, data := found.Host().Store, found.StoreFiles()[lost]
			if err := store.Remove(t.Context(), lost); err != nil {
				t.Fatal(err)
			}
			if part > 0 {
				if err := store.Write(t.Context(), lost, data[:(part-1)*len(data)/2]); err != nil {
					t.Fatal(err)
				}
			}
			ui, _, err := start(t, found, free)
			if err != nil {
				t.Errorf("without %s (part %d): hello: %v", lost, part, err)
				continue
			}
			ui.open(planOf("find", `{"id":"find","tool":"vault.searchText","args":{"query":"needle"}}`))
			ui.s.Close()
		}
	}
}

func TestARunWhoseDocumentIsLostIsTakenBackByAReview(t *testing.T) {
	c := calmRun(t, hosttest.Linux)
	for name, damage := range map[string]func(found *hosttest.Memory, path string) error{
		"gone": func(found *hosttest.Memory, path string) error { return found.Host().Store.Remove(t.Context(), path) },
		"torn": func(found *hosttest.Memory, path string) error {
			return found.Host().Store.Write(t.Context(), path, found.StoreFiles()[path][:20])
		},
	} {
		t.Run(name, func(t *testing.T) {
			mem := c.vault(hosttest.Linux)
			ui := begin(t, mem, free)
			r := ui.open(c.plan)
			mem.KillAt(c.ops/2, 1, false)
			ui.approve(r)
			ui.s.Close()
			found := mem.CrashClone()
			if err := damage(found, "runs/"+r.Run+"/run.json"); err != nil {
				t.Fatal(err)
			}
			ui, w, err := start(t, found, free)
			if err != nil || len(w.State.Recoveries) != 1 || w.State.Recoveries[0].Run != r.Run {
				t.Fatalf("%v, offered: %+v", err, w.State.Recoveries)
			}
			back := call[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: r.Run, Choice: protocol.RecoverRevert})
			if back.Review == "" {
				t.Fatalf("undone without a review: %+v", back)
			}
			review := call[protocol.Review](ui, "review.get", protocol.RunRef{Run: back.Review})
			ui.approve(&review)
			if d := c.before.Diff(found.Snapshot()); d != "" {
				t.Errorf("taken back, the vault is not what it was:\n%s", d)
			}
			ui.await("state without the run", func(e protocol.Event) bool {
				return e.Type == protocol.EventState && len(e.State.Recoveries) == 0
			})
		})
	}
}
