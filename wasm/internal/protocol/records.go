package protocol

// RecordsMethods are those of ServerMethods that concern the undo records as a whole.
type RecordsMethods struct {
	RunsList Method[RunsQuery, Runs] `json:"runs.list"`
	// The result has the runs that are left.
	RunsClear  Method[Clear, Runs]    `json:"runs.clear"`
	RecordsGet Method[Empty, Records] `json:"records.get"`
	// It is refused while a run did not end.
	RecordsDelete Method[Empty, Records]             `json:"records.delete"`
	RecordsCopy   Method[RecordsCopy, RecordsCopied] `json:"records.copy"`
}

// RecordsKind says where the undo records of a vault are (host.StoreKind).
type RecordsKind string

// The words of RecordsKind.
const (
	RecordsOPFS   RecordsKind = "opfs"      // in this device's storage for the app
	RecordsIDB    RecordsKind = "indexeddb" // in a database of the app
	RecordsFolder RecordsKind = "folder"    // in the plugin's folder
)

// Records tells of the undo records that this device has of this vault.
type Records struct {
	Kind  RecordsKind `json:"kind"`
	Where string      `json:"where,omitempty"` // the folder, or the name of the vault in the storage
	Runs  int         `json:"runs"`
	Bytes int64       `json:"bytes"`
	// Persisted says that the system has promised to keep them when it needs room.
	Persisted bool `json:"persisted"`
	// Flushes says that they survive a power cut.
	Flushes bool `json:"flushes"`
	// ReadOnly says that another window writes them.
	ReadOnly bool `json:"readOnly,omitempty"`
	// Unfinished lists the goals of runs that are under way, or were cut short and
	// not decided about: as long as there is one, nothing is deleted.
	Unfinished []string `json:"unfinished,omitempty"`
}

// RecordsCopy asks for a copy of the records in a new folder of the vault.
type RecordsCopy struct {
	Folder string `json:"folder"`
}

// RecordsCopied is the copy. Runs that did not end are not in it: they are Left.
type RecordsCopied struct {
	Folder string   `json:"folder"`
	Runs   int      `json:"runs"`
	Bytes  int64    `json:"bytes"`
	Left   []string `json:"left,omitempty"`
}
