package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

func TestACanaryKeyIsFoundNowhereInTheRecordsOrTheEvents(t *testing.T) {
	const key, own = "sk-canary-0123456789abcdefABCDEF", "ZEBRA-4711-SECRET"
	for _, canary := range []string{key, own} {
		t.Run(canary, func(t *testing.T) {
			files := map[string]string{
				"A.md":  "a note with " + canary + " in it\n",
				"In.md": "⟦selected " + canary + "⟧\n",
			}
			mem := hosttest.New(hosttest.Options{Files: files, Active: "In.md"})
			set := free
			set.RedactPatterns = []string{`ZEBRA-[0-9]+-[A-Z]+`}
			ui := begin(t, mem, set)
			var told bytes.Buffer
			keep := func(e protocol.Event) bool {
				// The review shows the person the very bytes; all else is redacted.
				if e.Type != protocol.EventReviewOpened && e.Type != protocol.EventState {
					b, err := json.Marshal(e)
					if err != nil {
						t.Fatal(err)
					}
					told.Write(b)
				}
				return e.Type == protocol.EventRunState && e.Run.State == "finished"
			}
			look := func(when string) {
				t.Helper()
				for p, data := range mem.StoreFiles() {
					// What is needed to restore notes is never redacted.
					if strings.Contains(p, "/blobs/") {
						continue
					}
					if i := bytes.Index(data, []byte(canary)); i >= 0 {
						t.Errorf("%s: want under 0, got %s: %s", when, p, around(data, i))
					}
				}
				if i := bytes.Index(told.Bytes(), []byte(canary)); i >= 0 {
					t.Errorf("%s: told: …%s…", when, told.Bytes()[max(0, i-300):i+50])
				}
			}
			pl := planOf("keep "+canary,
				`{"id":"sel","tool":"editor.getSelection","args":{}}`,
				`{"id":"r","tool":"vault.readFile","args":{"path":"A.md"},"preview":"read `+canary+`"}`,
				`{"id":"miss","tool":"vault.patchFile","args":{"path":"A.md","find":"nowhere `+canary+`","replace":"x"},"onError":"skip"}`,
				`{"id":"w","tool":"vault.createFile","args":{"path":"B.md","content":"$steps.r.content and $steps.sel.text `+canary+`"}}`,
				`{"id":"each","tool":"vault.appendFile","args":{"path":"B.md","content":"{x.k}"},"foreach":{"from":[{"k":"`+canary+`"},{"k":"two"}],"itemName":"x"},"dependsOn":["w"]}`)
			r, err := ui.s.tx.OpenPlan(t.Context(), []byte(pl), nil, false)
			if err != nil || !r.Approvable {
				t.Fatalf("want no error and a review that can be approved, got %v %+v", err, r)
			}
			call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
			if end := ui.await("end", keep); end.Run.Outcome != "partial" {
				t.Fatalf("want Run.Outcome \"partial\", got %+v", end.Run)
			}
			look("after a run")
			d := call[protocol.RunDetail](ui, "run.get", protocol.RunRef{Run: r.Run})
			if b, err := json.Marshal(d); err != nil || bytes.Contains(b, []byte(canary)) {
				t.Errorf("run.get: %v %s", err, b)
			}
			// What was not kept is at hand until the next start.
			call[protocol.RunRef](ui, "run.replay", protocol.RunRef{Run: r.Run})
			later := begin(t, mem.CrashClone(), set)
			for _, m := range []string{"run.replay", "run.rest"} {
				_, err := try[protocol.RunRef](later, m, protocol.RunRef{Run: r.Run})
				if !fault.Is(err, fault.Precondition) || fault.From(err).Key != "error.run.redacted" {
					t.Errorf("%s of what was not kept: %v", m, err)
				}
			}

			// The host's own words.
			mem.FailAt(mem.Counts().Ops()+6, fault.New(fault.Internal, "error.vault.io", fault.P{"path": "C.md"}).With(errors.New("token "+canary)))
			r, err = ui.s.tx.OpenPlan(t.Context(), []byte(planOf("fails", `{"id":"c","tool":"vault.createFile","args":{"path":"C.md","content":"c"}}`)), nil, false)
			if err != nil {
				t.Fatal(err)
			}
			call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
			ui.await("end", keep)
			mem.FailAt(0, nil)
			look("after a failure")
		})
	}
}

func TestARedactionPatternThatIsNoneIsRefused(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	set := free
	set.RedactPatterns = []string{"("}
	if _, _, err := start(t, mem, set); !fault.Is(err, fault.Validation) {
		t.Fatalf("a guard that is not there went unnoticed: %v", err)
	}
}
