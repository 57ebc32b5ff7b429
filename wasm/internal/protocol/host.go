package protocol

// HostMethods are the core's requests to the app's side. Paths and their meaning
// are those of package host. Text crosses as JSON strings; a file that is not
// valid UTF-8 crosses as bytes (Blob).
type HostMethods struct {
	VaultStat Method[PathRef, Info]    `json:"vault.stat"`
	VaultRead Method[PathRef, Content] `json:"vault.read"`
	// vault.read of several files at once.
	VaultReads     Method[Paths, Contents] `json:"vault.reads"`
	VaultList      Method[PathRef, Infos]  `json:"vault.list"`
	VaultWalk      Method[PathRef, Infos]  `json:"vault.walk"`
	VaultBacklinks Method[PathRef, Paths]  `json:"vault.backlinks"`
	VaultApply     Method[Op, Info]        `json:"vault.apply"`
	VaultApplyAll  Method[Ops, AllApplied] `json:"vault.applyAll"`

	EditorState Method[Empty, EditorState] `json:"editor.state"`

	WorkspaceContext Method[Empty, WorkspaceContext] `json:"workspace.context"`
	WorkspaceOpen    Method[Open, Empty]             `json:"workspace.open"`
	WorkspaceFocus   Method[Focus, Empty]            `json:"workspace.focus"`

	CommandsList Method[Empty, CommandList]     `json:"commands.list"`
	CommandsRun  Method[CommandRun, CommandRan] `json:"commands.run"`

	VaultSince    Method[Since, Changed]          `json:"vault.since"`
	VaultMetadata Method[MetadataPaths, Metadata] `json:"vault.metadata"`

	SandboxRun       Method[Sandbox, Sandboxed]      `json:"sandbox.run"`
	PluginsInstalled Method[Empty, InstalledPlugins] `json:"plugins.installed"`

	StoreAppend Method[StoreWrite, Empty] `json:"store.append"`
	StoreWrite  Method[StoreWrite, Empty] `json:"store.write"`
	StoreRead   Method[PathRef, Content]  `json:"store.read"`
	StoreList   Method[PathRef, Infos]    `json:"store.list"`
	StoreRemove Method[PathRef, Empty]    `json:"store.remove"`

	// A refusal by CORS, or a connection that fails before the first byte, is
	// NETWORK_ERROR.
	HTTPOpen Method[HTTPRequest, HTTPResponse] `json:"http.open"`
	HTTPRead Method[HTTPRef, HTTPChunk]        `json:"http.read"`
	// Aborts what is still under way.
	HTTPClose Method[HTTPRef, Empty] `json:"http.close"`

	SecretHas   Method[SecretName, SecretHas]   `json:"secret.has"`
	SecretAllow Method[SecretAllow, Empty]      `json:"secret.allow"`
	SecretPrint Method[SecretName, SecretPrint] `json:"secret.print"`

	DeviceKey Method[Empty, DeviceKey] `json:"device.key"`

	OwnerSelf Method[Empty, Owner]          `json:"owner.self"`
	OwnerGone Method[WindowRef, WindowGone] `json:"owner.gone"`
	// Answers when nothing is under way any more that a former core of this window
	// has asked the host to write.
	OwnerQuiet Method[Empty, Empty] `json:"owner.quiet"`
}

// PathRef names a path.
type PathRef struct {
	Path string `json:"path"`
}

// Info describes one entry (package host).
type Info struct {
	Path  string    `json:"path"`
	Kind  EntryKind `json:"kind"`
	Size  int64     `json:"size"`
	CTime int64     `json:"ctime"`
	MTime int64     `json:"mtime"`
}

// Content is a file's bytes: Text when they are valid UTF-8 (a BOM is part of
// the text), otherwise the batch's blob of that index. Blob is -1 for text.
type Content struct {
	Text string `json:"text"`
	Blob int    `json:"blob"`
}

// Infos is a list of entries, sorted by path, without hidden ones.
type Infos struct {
	Entries []Info `json:"entries"`
}

// Paths is a list of paths.
type Paths struct {
	Paths []string `json:"paths"`
}

// Position is a place in a text: line from 0, UTF-16 code units in it.
type Position struct {
	Line int `json:"line"`
	Ch   int `json:"ch"`
}

// Selection is a range of text; From is before To.
type Selection struct {
	From Position `json:"from"`
	To   Position `json:"to"`
}

// Op is one write (package host, Op).
type Op struct {
	Kind   string     `json:"kind"`
	Path   string     `json:"path"`
	To     string     `json:"to,omitempty"`
	Before *Content   `json:"before,omitempty"`
	Data   *Content   `json:"data,omitempty"`
	Caret  *Selection `json:"caret,omitempty"`
}

// Ops is several writes that do not wait for each other: each goes its own way,
// as if it had been asked for alone.
type Ops struct {
	Ops []Op `json:"ops"`
}

// Applied is the outcome of one of them: one of the two is set.
type Applied struct {
	Info    *Info    `json:"info,omitempty"`
	Problem *Problem `json:"problem,omitempty"`
}

// AllApplied has the outcome of each, in their order.
type AllApplied struct {
	Results []Applied `json:"results"`
}

// EditorState is the active note's editor; Path is "" when there is none.
type EditorState struct {
	Path      string    `json:"path"`
	Selection Selection `json:"selection"`
	Text      string    `json:"text"`
}

// WorkspaceContext says what the person is looking at.
type WorkspaceContext struct {
	ActivePath string   `json:"activePath"`
	ViewType   string   `json:"viewType"`
	OpenPaths  []string `json:"openPaths"`
}

// Open shows a file.
type Open struct {
	Path    string `json:"path"`
	NewPane bool   `json:"newPane"`
}

// Focus gives a pane the keyboard.
type Focus struct {
	Pane Pane `json:"pane"`
}

// CommandInfo is one command of the palette.
type CommandInfo struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// CommandList is the palette.
type CommandList struct {
	Commands []CommandInfo `json:"commands"`
}

// CommandRun runs a command of the palette.
type CommandRun struct {
	ID string `json:"id"`
}

// CommandRan says whether the command's own check let it run.
type CommandRan struct {
	OK bool `json:"ok"`
}

// StoreWrite writes to the plugin's own store; the bytes are the batch's blob
// of that index.
type StoreWrite struct {
	Path string `json:"path"`
	Blob int    `json:"blob"`
}

// HTTPRequest asks the app's side to send a request. A header value may hold
// {{secret:NAME}}; the app's side puts the secret in, so that it never enters the
// core, and only for an address that the person allowed for it on this device
// (SecretAllow): otherwise the request is AUTH_REQUIRED and nothing is sent.
// Buffered uses the host's own client, which obeys no CORS, cannot stream, and
// follows redirects. The secrets are taken out of the answer, unless they are
// ordinary words; with Redact those too, as in a refusal.
type HTTPRequest struct {
	Method   string            `json:"method"`
	URL      string            `json:"url"`
	Headers  map[string]string `json:"headers"`
	Body     string            `json:"body"`
	Buffered bool              `json:"buffered"`
	Redact   bool              `json:"redact"`
}

// HTTPResponse is the head of an answer; its body is read by HTTPRead.
type HTTPResponse struct {
	Handle  int               `json:"handle"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
}

// HTTPRef names an open answer.
type HTTPRef struct {
	Handle int `json:"handle"`
}

// HTTPChunk is the next bytes of an answer: the batch's blob of that index;
// Done (with Blob -1) at the end.
type HTTPChunk struct {
	Blob int  `json:"blob"`
	Done bool `json:"done"`
}

// SecretName names a secret of the host's secret store.
type SecretName struct {
	Name string `json:"name"`
}

// SecretHas says whether there is a value, and the origins (scheme, host and
// port) that the person lets this device send it to; Redirects are those of them
// where it may go by the app's own client, which follows redirects.
type SecretHas struct {
	Has       bool     `json:"has"`
	Hosts     []string `json:"hosts"`
	Redirects []string `json:"redirects"`
}

// SecretAllow lets this device send a secret to an origin, since a person said
// yes to it. It is kept on the device, outside of the vault and of data.json.
type SecretAllow struct {
	Name      string `json:"name"`
	Host      string `json:"host"`
	Redirects bool   `json:"redirects"`
}

// SecretPrint lets the core find a secret in a text without knowing it: its
// length in bytes of UTF-8, and two polynomial hashes of it modulo 2^31-1, each
// with a random base. Length 0 is a secret that is not to be looked for: there
// is none, or it is an ordinary word.
type SecretPrint struct {
	Length int      `json:"length"`
	Bases  []uint32 `json:"bases"`
	Hashes []uint32 `json:"hashes"`
}

// DeviceKey is the key of this device, which is kept outside of the vault: 32
// bytes in hexadecimal.
type DeviceKey struct {
	Key string `json:"key"`
}
