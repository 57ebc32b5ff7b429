package protocol

// Since asks what has changed since a generation that an earlier answer gave;
// 0 asks for every file. A long answer comes in pages: Page is that of the
// answer before, 0 at first.
type Since struct {
	Generation int64 `json:"generation"`
	Page       int64 `json:"page"`
}

// Changed has the entries that changed. All means that the app's side does not know (a new
// start, or too long ago): then Changed is every entry, in no order, over as
// many pages as it takes. What changes while the pages are read is told to who
// asks then with Generation, which is that of the first page. A Generation of 0
// means that the app's side does not follow changes yet. Page is 0 on the last page.
type Changed struct {
	Generation int64 `json:"generation"`
	All        bool  `json:"all"`
	Page       int64 `json:"page"`
	// Open are the notes that an editor holds: it may have text that is not in
	// the file, and no change tells of that.
	Open    []string `json:"open"`
	Removed []string `json:"removed"`
	Changed []Info   `json:"changed"`
}

// MetadataPaths asks for what the app's metadata cache knows of notes.
type MetadataPaths struct {
	Paths []string `json:"paths"`
}

// Metadata has the cache's rows of notes, in the order asked for.
type Metadata struct {
	Files []FileMetadata `json:"files"`
}

// FileMetadata is one note as the app's cache has it. Stale (with nothing else)
// means that the cache is behind the file: read the file. Size and MTime are
// those of the file that the cache was made of.
type FileMetadata struct {
	Path  string `json:"path"`
	Size  int64  `json:"size"`
	MTime int64  `json:"mtime"`
	Stale bool   `json:"stale,omitempty"`
	// Tags are those of the text, with "#"; those of the properties are there.
	Tags []string `json:"tags,omitempty"`
	// Links are link paths as written, without headings or aliases.
	Links []string `json:"links,omitempty"`
	// Properties is the front matter as JSON, "" without any.
	Properties string `json:"properties,omitempty"`
	// Tasks is how many task items there are; their text is in the file.
	Tasks int `json:"tasks,omitempty"`
}

// Sandbox is a script to be run where it can do no harm. Input is JSON.
type Sandbox struct {
	Script string `json:"script"`
	// Input is the batch's blob of that index, which is JSON.
	Input    int    `json:"input"`
	Now      string `json:"now"` // RFC 3339; the script's only clock
	MaxSteps int64  `json:"maxSteps"`
	MaxMs    int    `json:"maxMs"`
	MaxMB    int    `json:"maxMb"`
	// Locale is a Locale as JSON, for dates; empty is English. As a text, since the
	// same one comes with every script and is read once.
	Locale string `json:"locale,omitempty"`
}

// Sandboxed is the result of a script: Output is JSON. Error says what is wrong with
// the script, in English; a sandbox that had to be killed is SANDBOX_ERROR.
type Sandboxed struct {
	Output string `json:"output"`
	Error  string `json:"error,omitempty"`
	Steps  int64  `json:"steps"`
}

// InstalledPlugin is a community plugin that is in the vault.
type InstalledPlugin struct {
	ID      string `json:"id"`
	Enabled bool   `json:"enabled"`
}

// InstalledPlugins is all of them.
type InstalledPlugins struct {
	Plugins []InstalledPlugin `json:"plugins"`
}

// Contents is the bytes of files in the order asked for, end to end in the
// batch's blob of that index. A size of -1 is a file that could not be read:
// reading it alone says why. Unsaved are the places of those whose bytes are an
// editor's, and not in the file yet.
type Contents struct {
	Sizes   []int `json:"sizes"`
	Unsaved []int `json:"unsaved"`
	Blob    int   `json:"blob"`
}
