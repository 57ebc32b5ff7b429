package server

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// ofTwo gives a core over a store with the runs of this device, one of them cut
// short, and with those of another one.
func ofTwo(t *testing.T) (ui *panel, theirs map[string][]byte) {
	t.Helper()
	mem := cutShort(t, "mine", host.Owner{Device: "this device", Window: "window 1"})
	theirs = recordsOf(cutShort(t, "theirs", otherDevice))
	arrived(t, mem, theirs)
	return begin(t, mem, free), theirs
}

func TestTheUndoRecordsOfThisDeviceAreDeletedOnceEveryRunIsDecidedAbout(t *testing.T) {
	ui, theirs := ofTwo(t)
	was := call[protocol.Records](ui, "records.get", protocol.Empty{})
	var size int64
	for _, data := range filesOf(ui.mem.StoreFiles(), "runs/") {
		size += int64(len(data))
	}
	for path, data := range theirs {
		if strings.HasPrefix(path, "runs/") {
			size -= int64(len(data))
		}
	}
	if was.Kind != protocol.RecordsFolder || was.Runs != 3 || was.Bytes != size || len(was.Unfinished) != 1 || was.Unfinished[0] != "boxes" {
		t.Fatalf("%+v, not %d bytes", was, size)
	}
	before := ui.mem.StoreFiles()
	_, err := try[protocol.Records](ui, "records.delete", protocol.Empty{})
	if f := fault.From(err); f.Key != "error.records.unfinished" || f.Params["goal"] != "boxes" || !equalFiles(before, ui.mem.StoreFiles()) {
		t.Fatalf("with a run that was cut short: %v", err)
	}
	cards := cardsOf(ui)
	call[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: cards[0].Run, Choice: protocol.RecoverRevert})
	if left := call[protocol.Records](ui, "records.delete", protocol.Empty{}); left.Runs != 0 || left.Bytes != 0 {
		t.Errorf("left: %+v", left)
	}
	untouched(t, ui.mem, theirs)
	if now := recordsOf(ui.mem); !equalFiles(now, theirs) {
		t.Errorf("left: %v", maps.Keys(now))
	}
	if st := call[protocol.State](ui, "state", protocol.Empty{}); st.LastRun != nil {
		t.Errorf("a run that is gone can be reverted: %+v", st.LastRun)
	}
}

func TestTheCopyOfTheUndoRecordsIsReadByAnotherInstallation(t *testing.T) {
	ui, theirs := ofTwo(t)
	out := call[protocol.RecordsCopied](ui, "records.copy", protocol.RecordsCopy{Folder: "Undo records"})
	if out.Folder != "Undo records" || out.Runs != 2 || len(out.Left) != 1 || out.Left[0] != "boxes" {
		t.Fatalf("want Folder \"Undo records\", Runs 2, 1 Left and Left[0] \"boxes\", got %+v", out)
	}
	copied, own := map[string][]byte{}, ui.mem.StoreFiles()
	for path, data := range ui.mem.Snapshot() {
		if in, ok := strings.CutPrefix(path, "Undo records/"); ok && !strings.HasSuffix(path, "/") {
			copied[in] = data
			if !bytes.Equal(own[in], data) || theirs[in] != nil {
				t.Errorf("%s is not the record of this device", in)
			}
		}
	}
	if len(runsIn(copied)) != 2 {
		t.Fatalf("want 2 of them, got %v", runsIn(copied))
	}
	again := call[protocol.RecordsCopied](ui, "records.copy", protocol.RecordsCopy{Folder: "Undo records"})
	if again.Folder != "Undo records 2" || again.Bytes != out.Bytes {
		t.Errorf("the next copy: %+v", again)
	}
	for device, origin := range map[string]protocol.Origin{"mine": "", "new": protocol.OriginForeign} {
		mem := hosttest.New(hosttest.Options{Device: device})
		arrived(t, mem, copied)
		there := beginAt(t, mem, host.Owner{Device: device, Window: "window 1"})
		runs := call[protocol.Runs](there, "runs.list", protocol.RunsQuery{}).Runs
		if len(runs) != 2 || (runs[0].Origin == "") != (device == "mine") {
			t.Errorf("%s: want 2 runs and equal to (device == \"mine\"), got %+v", device, runs)
		}
		for _, r := range runs {
			if v := there.verified(r.Run); v.Origin != origin || v.OK != (device == "mine") {
				t.Errorf("%s: want Origin equal to origin and OK equal to (device == \"mine\"), got %+v", device, v)
			}
		}
	}
}

func TestTheCopyOfTheUndoRecordsStaysInTheVault(t *testing.T) {
	ui, _ := ofTwo(t)
	before := ui.mem.Snapshot()
	for _, folder := range []string{"../outside", ".obsidian/records", "", "/tmp/records"} {
		if _, err := try[protocol.RecordsCopied](ui, "records.copy", protocol.RecordsCopy{Folder: folder}); err == nil {
			t.Errorf("%q was written to", folder)
		}
	}
	if d := before.Diff(ui.mem.Snapshot()); d != "" {
		t.Error("want the vault as it was before; it differs:", d)
	}
}
