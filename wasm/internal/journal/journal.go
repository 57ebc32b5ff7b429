// Package journal is the write-ahead undo journal of a run, and what is built
// on it: recovery after a crash, revert, and three-way merge.
//
// A run's folder in the store holds:
//
//	journal.jsonl   records framed and chained by package record
//	blobs/000.pack  the bytes before and after each write, end to end
//	end.json        written last; a folder without it is a hot journal
//
// The chains of the journal and the end record are sealed with a key of this
// device and this run (package seal), where there is one: Log.Origin says so.
//
// The journal's records, in order:
//
//	{"t":"begin","run":…,"kind":"run","at":…,"ops":N,"approval":…,"doc":…,"key":…}
//	{"t":"op","i":0,"call":…,"kind":"modify","path":…,"before":ETAG,"after":ETAG,"pre":[pack,offset,length],"post":[…]}
//	{"t":"act","call":…,"step":…,"seq":N}   a call that cannot be undone begins
//	{"t":"done","i":[0,1,2],"m":[…]}  the writes that were made, and the files' times then
//	{"t":"failed","i":3,"code":…}     refused or undone: nothing is there of it
//	{"t":"unknown","i":4}             after a crash: it may have been made, and changed since
//
// Nothing is written to the vault before the op record and the bytes it points
// to are durable in the store. The simulation knows every write beforehand, so
// one append makes a window of op records durable (64 at first) while the window
// before it is executed; done records ride with an append. After a crash
// the writes without a done record are observed: a file that has the etag
// before was not written, one with the etag after was, and one that holds a
// prefix of the bytes after was being written when the app died.
//
// A plan is cut at a step that cannot be simulated. The writes after it are
// planned (Extend) only when it has run and the rest was simulated again, so
// what recovery can finish never goes past it; and its act record is durable
// before it begins, so that nothing ever begins it twice.
//
// Durable means that it survives a crash of the app, and a power cut where the
// store can flush (docs/adr/0028-undo-records-on-the-device.md).
package journal

import (
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// The files of a run folder.
const (
	File    = "journal.jsonl"
	EndFile = "end.json"
	// SettledFile and SettledToo hold what was found after a crash. Each is written
	// while the other one is whole, or none is needed: a crash can cut either short.
	SettledFile = "settled.jsonl"
	SettledToo  = "settled2.jsonl"
)

// Files gives the names of the files of records of a journal.
func Files() []string { return []string{File, SettledFile, SettledToo} }

// Planned is one write that is going to be made.
type Planned struct {
	Call       string
	Op         host.Op
	BeforeEtag string
	AfterEtag  string
	// MTime is the file's time once it was written, in ms, as a journal that was
	// read back has it; 0 where it is not known.
	MTime int64
}

// Header describes a run.
type Header struct {
	Run      string `json:"run"`
	Kind     string `json:"kind"` // run, revert, finish
	At       string `json:"at"`
	Approval string `json:"approval"`
	// Ops is how many writes were approved in all, those after a cut too.
	Ops int `json:"ops"`
	// Reverts and Finishes name the run that this one takes back or goes on
	// with.
	Reverts  string `json:"reverts,omitempty"`
	Finishes string `json:"finishes,omitempty"`
	// Doc is the etag of run.json, which is sealed by this.
	Doc string `json:"doc,omitempty"`
	// Key names the key that the journal is sealed with; "" where it is not.
	Key string `json:"key,omitempty"`
}

func storeError(err error) error {
	if fault.Is(err, fault.Cancelled) {
		return err
	}
	return fault.Store(err)
}
