package journal_test

import (
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/record"
)

// Records whose chain holds and that say nothing, or nothing of use, are not
// passed over: what they stood for is unknown.
func TestAJournalWithRecordsThatSayNothingIsNotRestoredFrom(t *testing.T) {
	const begin = `{"t":"begin","run":"r","ops":1}`
	const op = `{"t":"op","i":0,"call":"c","kind":"mkdir","path":"F"}`
	for last, broken := range map[string]bool{
		`{"t":"done","i":[0],"m":[5]}`: false,
		`{"t":"done","i":[0]}`:         false, // as earlier versions wrote it
		`{"t":"failed","i":0}`:         false,
		`{"t":"later","x":1}`:          false, // of a later version
		`{"t":"later","x":`:            true,
		`{"t":"done"}`:                 true,
		`{"t":"done","m":[5]}`:         true,
		`{"t":"done","i":[9]}`:         true,
		`{"t":"failed"}`:               true,
		`{"t":"failed","i":9}`:         true,
		`{}`:                           true,
		`none`:                         true,
	} {
		c := record.New(journal.File)
		var data []byte
		for _, rec := range []string{begin, op, last} {
			data = c.Append(data, []byte(rec))
		}
		store := hosttest.New(hosttest.Options{}).Host().Store
		if err := store.Write(t.Context(), "runs/r/"+journal.File, data); err != nil {
			t.Fatal(err)
		}
		_, err := journal.Load(t.Context(), store, "runs/r")
		if broken != fault.Is(err, fault.Conflict) || !broken && err != nil {
			t.Errorf("%s: want broken equal to fault.Is(err, fault.Conflict) and broken (or no error), got %v", last, err)
		}
	}
}
