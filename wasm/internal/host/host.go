// Package host holds the ports: what the core may ask of whatever it runs in
// (Obsidian, the playground, a folder on disk, a test).
//
// Tools never see a host directly. They get a Vault that is either the overlay
// (simulation) or the journaled vault (a run); both implement the same
// interface, so a tool cannot tell, and cannot get around, which one it has.
//
// Paths are relative to the vault's root, with "/" between the parts, no
// leading or trailing slash; the root itself is "". Bytes are the file's bytes
// as they are: BOM, CRLF and invalid UTF-8 included.
package host

import (
	"context"
	"encoding/hex"

	"embedded-agent/wasm/internal/digest"
	"embedded-agent/wasm/internal/moment"
)

// Kind says what a path is.
type Kind string

// The kinds of entries in a vault.
const (
	File   Kind = "file"
	Folder Kind = "folder"
)

// Info describes one entry. Times are milliseconds since 1970; zero when the
// host does not know.
type Info struct {
	Path  string `json:"path"`
	Kind  Kind   `json:"kind"`
	Size  int64  `json:"size"`
	CTime int64  `json:"ctime"`
	MTime int64  `json:"mtime"`
}

// OpKind is one of the things that can happen to a path.
type OpKind string

// The operations. OpTrash follows the person's trash setting where the host
// has one. OpRemove deletes for good; only a revert uses it, on files whose
// bytes are in the journal.
const (
	OpCreate OpKind = "create" // a file that is not there yet
	OpModify OpKind = "modify" // a file whose bytes are Before
	OpRename OpKind = "rename" // a file or folder, to To; no link is touched
	OpTrash  OpKind = "trash"  // a file whose bytes are Before, or a folder
	OpRemove OpKind = "remove" // a file whose bytes are Before
	OpMkdir  OpKind = "mkdir"  // a folder whose parent exists
	OpRmdir  OpKind = "rmdir"  // an empty folder
)

// Position is a place in a text: line from 0, and UTF-16 code units from the
// start of that line (as editors count).
type Position struct {
	Line int `json:"line"`
	Ch   int `json:"ch"`
}

// Range is a selection; From is before To.
type Range struct {
	From Position `json:"from"`
	To   Position `json:"to"`
}

// Op is one write. The host checks before it writes: a create refuses an
// existing path, a modify, trash or remove refuses bytes other than Before,
// each with CONFLICT. Caret, where set, is where the cursor goes when the note
// is open. Follows marks a consequence of the call's main change, such as a
// link that follows a rename; the host does not look at it.
type Op struct {
	Kind    OpKind
	Path    string
	To      string
	Before  []byte
	Data    []byte
	Caret   *Range
	Follows bool
}

// Vault is the notes. Every method returns *fault.Error values: NOT_FOUND,
// CONFLICT, CANCELLED, INTERNAL_ERROR for failures of the disk.
type Vault interface {
	// Stat describes one entry; NOT_FOUND when nothing is there. The root
	// exists always.
	Stat(ctx context.Context, path string) (Info, error)
	// Read gives a file's bytes; of an open note with unsaved edits, the
	// editor's text.
	Read(ctx context.Context, path string) ([]byte, error)
	// List gives the entries directly inside a folder, sorted by path, without
	// hidden ones.
	List(ctx context.Context, folder string) ([]Info, error)
	// Walk gives every entry below a folder ("" for all), sorted by path,
	// without hidden ones.
	Walk(ctx context.Context, folder string) ([]Info, error)
	// Backlinks gives the files that may link to the path: at least all that
	// do. The caller reads them to know.
	Backlinks(ctx context.Context, path string) ([]string, error)
	// Apply makes one write and gives the entry as it is then (for a rename, at
	// its new path; for trash and rmdir, the zero Info).
	Apply(ctx context.Context, op Op) (Info, error)
}

// EditorState is the active note's editor. Path is "" when no note is open in
// an editor; Hidden, that one is open and may not be seen (package sight).
type EditorState struct {
	Path      string `json:"path"`
	Selection Range  `json:"selection"`
	Text      string `json:"text"` // the selected text
	Hidden    bool   `json:"hidden,omitempty"`
}

// Editor is the active note. Writes to it are Ops on its path.
type Editor interface {
	State(ctx context.Context) (EditorState, error)
}

// WorkspaceState says what the person is looking at.
type WorkspaceState struct {
	ActivePath string   `json:"activePath"`
	ViewType   string   `json:"viewType"`
	OpenPaths  []string `json:"openPaths"`
}

// Workspace is the panes.
type Workspace interface {
	Context(ctx context.Context) (WorkspaceState, error)
	// Open shows a file; newPane opens it beside.
	Open(ctx context.Context, path string, newPane bool) error
	// Focus gives a pane the keyboard: "editor", "left", "right" or "panel".
	Focus(ctx context.Context, pane string) error
}

// Command is one entry of the host's command palette.
type Command struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Commands is the host's command palette: best effort, an internal interface
// of the app.
type Commands interface {
	List(ctx context.Context) ([]Command, error)
	// Run executes a command; false means that the command's own check said
	// no, or that it is not there.
	Run(ctx context.Context, id string) (bool, error)
}

// Store is the plugin's own folder: run folders, settings, caches. Paths are
// relative to it. It is not part of the vault and no tool sees it. Data is
// durable against a crash of the app when a method returns, not against a
// power cut (the app's interface has no fsync).
type Store interface {
	// Append adds to the end of a file and makes it, with its folders, when it
	// is missing. A crash can leave any prefix of data.
	Append(ctx context.Context, path string, data []byte) error
	// Write replaces a file. A crash can leave any prefix of data.
	Write(ctx context.Context, path string, data []byte) error
	// Read gives a whole file, NOT_FOUND when it is missing.
	Read(ctx context.Context, path string) ([]byte, error)
	// List gives the entries directly inside a folder; a missing folder is
	// empty.
	List(ctx context.Context, folder string) ([]Info, error)
	// Remove deletes a file, or a folder with all that is in it; what is
	// missing is removed already.
	Remove(ctx context.Context, path string) error
}

// Device keeps this device's own records: outside of the vault, so that it neither
// travels with the notes nor comes with somebody else's.
type Device interface {
	// Key gives 32 random bytes, made and kept at the first call. Without a
	// place to keep them it is an error that says so.
	Key(ctx context.Context) ([]byte, error)
}

// Platform tells the core where it runs.
type Platform struct {
	Name       string `json:"name"` // linux, mac, win, android, ios, folder
	AppVersion string `json:"appVersion"`
	Language   string `json:"language"` // BCP 47
	ConfigDir  string `json:"configDir"`
	// LinkFormat and MarkdownLinks are the person's link settings: how a link
	// to a note is written ("shortest", "relative", "absolute").
	LinkFormat    string `json:"linkFormat"`
	MarkdownLinks bool   `json:"markdownLinks"`
	// Dates writes and reads dates in the app's language; nil is English.
	Dates *moment.Locale `json:"-"`
}

// Host is all ports together. Changes, Metadata, Commands, Editor, Workspace,
// Sandbox, Plugins, Device and Owners are nil where the host has none.
type Host struct {
	Vault     Vault
	Changes   Changes
	Metadata  Metadata
	Editor    Editor
	Workspace Workspace
	Commands  Commands
	Store     Store
	Sandbox   Sandbox
	Plugins   Plugins
	Device    Device
	Owners    Owners
	Platform  Platform
}

// Etag names a file's bytes: the SHA-256 in hexadecimal. A file that is not
// there has the etag "".
func Etag(data []byte) string {
	sum := digest.Sum256(data)
	var out [64]byte
	hex.Encode(out[:], sum[:])
	return string(out[:])
}
