package protocol

// HostMethods is what the core may ask of the shell. Paths and their meaning
// are those of package host. Text crosses as JSON strings; a file that is not
// valid UTF-8 crosses as bytes (Blob).
type HostMethods struct {
	VaultStat      StatCall      `json:"vault.stat"`
	VaultRead      ReadCall      `json:"vault.read"`
	VaultReads     ReadsCall     `json:"vault.reads"`
	VaultList      ListCall      `json:"vault.list"`
	VaultWalk      ListCall      `json:"vault.walk"`
	VaultBacklinks BacklinksCall `json:"vault.backlinks"`
	VaultApply     ApplyCall     `json:"vault.apply"`
	VaultApplyAll  ApplyAllCall  `json:"vault.applyAll"`

	EditorState EditorStateCall `json:"editor.state"`

	WorkspaceContext WorkspaceContextCall `json:"workspace.context"`
	WorkspaceOpen    OpenCall             `json:"workspace.open"`
	WorkspaceFocus   FocusCall            `json:"workspace.focus"`

	CommandsList CommandsListCall `json:"commands.list"`
	CommandsRun  CommandsRunCall  `json:"commands.run"`

	VaultSince    SinceCall    `json:"vault.since"`
	VaultMetadata MetadataCall `json:"vault.metadata"`

	SandboxRun       SandboxCall          `json:"sandbox.run"`
	PluginsInstalled PluginsInstalledCall `json:"plugins.installed"`

	StoreAppend StoreWriteCall `json:"store.append"`
	StoreWrite  StoreWriteCall `json:"store.write"`
	StoreRead   ReadCall       `json:"store.read"`
	StoreList   ListCall       `json:"store.list"`
	StoreRemove PathCall       `json:"store.remove"`

	HTTPOpen  HTTPOpenCall `json:"http.open"`
	HTTPRead  HTTPReadCall `json:"http.read"`
	HTTPClose HTTPRefCall  `json:"http.close"`

	SecretHas   SecretCall      `json:"secret.has"`
	SecretAllow SecretAllowCall `json:"secret.allow"`
	SecretPrint SecretPrintCall `json:"secret.print"`

	DeviceKey DeviceKeyCall `json:"device.key"`

	OwnerSelf  OwnerSelfCall  `json:"owner.self"`
	OwnerGone  OwnerGoneCall  `json:"owner.gone"`
	OwnerQuiet OwnerQuietCall `json:"owner.quiet"`
}

// PathRef names a path.
type PathRef struct {
	Path string `json:"path"`
}

// PathCall is a method on a path that answers nothing.
type PathCall struct {
	Params PathRef `json:"params"`
	Result Empty   `json:"result"`
}

// Info describes one entry (package host).
type Info struct {
	Path  string `json:"path"`
	Kind  string `json:"kind"`
	Size  int64  `json:"size"`
	CTime int64  `json:"ctime"`
	MTime int64  `json:"mtime"`
}

// StatCall is the method vault.stat.
type StatCall struct {
	Params PathRef `json:"params"`
	Result Info    `json:"result"`
}

// Content is a file's bytes: Text when they are valid UTF-8 (a BOM is part of
// the text), otherwise the batch's blob of that index. Blob is -1 for text.
type Content struct {
	Text string `json:"text"`
	Blob int    `json:"blob"`
}

// ReadCall is the methods vault.read and store.read.
type ReadCall struct {
	Params PathRef `json:"params"`
	Result Content `json:"result"`
}

// Infos is a list of entries, sorted by path, without hidden ones.
type Infos struct {
	Entries []Info `json:"entries"`
}

// ListCall is the methods vault.list, vault.walk and store.list.
type ListCall struct {
	Params PathRef `json:"params"`
	Result Infos   `json:"result"`
}

// Paths is a list of paths.
type Paths struct {
	Paths []string `json:"paths"`
}

// BacklinksCall is the method vault.backlinks.
type BacklinksCall struct {
	Params PathRef `json:"params"`
	Result Paths   `json:"result"`
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

// ApplyCall is the method vault.apply.
type ApplyCall struct {
	Params Op   `json:"params"`
	Result Info `json:"result"`
}

// Ops is several writes that do not wait for each other: each goes its own way,
// as if it had been asked for alone.
type Ops struct {
	Ops []Op `json:"ops"`
}

// Applied is what became of one of them: one of the two is set.
type Applied struct {
	Info    *Info    `json:"info,omitempty"`
	Problem *Problem `json:"problem,omitempty"`
}

// AllApplied is what became of each, in their order.
type AllApplied struct {
	Results []Applied `json:"results"`
}

// ApplyAllCall is the method vault.applyAll.
type ApplyAllCall struct {
	Params Ops        `json:"params"`
	Result AllApplied `json:"result"`
}

// EditorState is the active note's editor; Path is "" when there is none.
type EditorState struct {
	Path      string    `json:"path"`
	Selection Selection `json:"selection"`
	Text      string    `json:"text"`
}

// EditorStateCall is the method editor.state.
type EditorStateCall struct {
	Params Empty       `json:"params"`
	Result EditorState `json:"result"`
}

// WorkspaceContext is what the person is looking at.
type WorkspaceContext struct {
	ActivePath string   `json:"activePath"`
	ViewType   string   `json:"viewType"`
	OpenPaths  []string `json:"openPaths"`
}

// WorkspaceContextCall is the method workspace.context.
type WorkspaceContextCall struct {
	Params Empty            `json:"params"`
	Result WorkspaceContext `json:"result"`
}

// Open shows a file.
type Open struct {
	Path    string `json:"path"`
	NewPane bool   `json:"newPane"`
}

// OpenCall is the method workspace.open.
type OpenCall struct {
	Params Open  `json:"params"`
	Result Empty `json:"result"`
}

// Focus gives a pane the keyboard: editor, left, right, panel.
type Focus struct {
	Pane string `json:"pane"`
}

// FocusCall is the method workspace.focus.
type FocusCall struct {
	Params Focus `json:"params"`
	Result Empty `json:"result"`
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

// CommandsListCall is the method commands.list.
type CommandsListCall struct {
	Params Empty       `json:"params"`
	Result CommandList `json:"result"`
}

// CommandRun runs a command of the palette.
type CommandRun struct {
	ID string `json:"id"`
}

// CommandRan says whether the command's own check let it run.
type CommandRan struct {
	OK bool `json:"ok"`
}

// CommandsRunCall is the method commands.run.
type CommandsRunCall struct {
	Params CommandRun `json:"params"`
	Result CommandRan `json:"result"`
}

// StoreWrite writes to the plugin's own store; the bytes are the batch's blob
// of that index.
type StoreWrite struct {
	Path string `json:"path"`
	Blob int    `json:"blob"`
}

// StoreWriteCall is the methods store.append and store.write.
type StoreWriteCall struct {
	Params StoreWrite `json:"params"`
	Result Empty      `json:"result"`
}

// HTTPRequest asks the shell to send a request. A header value may hold
// {{secret:NAME}}; the shell puts the secret in, so that it never enters the
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

// HTTPOpenCall is the method http.open. A refusal by CORS or a failed
// connection before the first byte is NETWORK_ERROR.
type HTTPOpenCall struct {
	Params HTTPRequest  `json:"params"`
	Result HTTPResponse `json:"result"`
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

// HTTPReadCall is the method http.read.
type HTTPReadCall struct {
	Params HTTPRef   `json:"params"`
	Result HTTPChunk `json:"result"`
}

// HTTPRefCall is the method http.close: aborts what is still under way.
type HTTPRefCall struct {
	Params HTTPRef `json:"params"`
	Result Empty   `json:"result"`
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

// SecretAllowCall is the method secret.allow.
type SecretAllowCall struct {
	Params SecretAllow `json:"params"`
	Result Empty       `json:"result"`
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

// SecretPrintCall is the method secret.print.
type SecretPrintCall struct {
	Params SecretName  `json:"params"`
	Result SecretPrint `json:"result"`
}

// SecretCall is the method secret.has.
type SecretCall struct {
	Params SecretName `json:"params"`
	Result SecretHas  `json:"result"`
}

// DeviceKey is the key of this device, which is kept outside of the vault: 32
// bytes in hexadecimal.
type DeviceKey struct {
	Key string `json:"key"`
}

// DeviceKeyCall is the method device.key.
type DeviceKeyCall struct {
	Params Empty     `json:"params"`
	Result DeviceKey `json:"result"`
}
