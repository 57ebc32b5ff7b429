package protocol

// ServerMethods is what the shell may ask of the core: each field is a method,
// its name the JSON name.
type ServerMethods struct {
	Hello     HelloCall     `json:"hello"`
	Configure ConfigureCall `json:"configure"`
	State     StateCall     `json:"state"`

	Send SendCall `json:"send"` // type an instruction, or steer a working agent
	Stop StopCall `json:"stop"` // end the model's stream or the run

	ReviewGet     ReviewGetCall     `json:"review.get"`
	ReviewOpen    ReviewOpenCall    `json:"review.open"`
	ReviewFile    ReviewFileCall    `json:"review.file"`
	ReviewAmend   ReviewAmendCall   `json:"review.amend"`
	ReviewApprove ReviewApproveCall `json:"review.approve"`
	ReviewClose   ReviewCloseCall   `json:"review.close"`

	RunPause  RunCall    `json:"run.pause"`
	RunResume RunCall    `json:"run.resume"`
	RunRest   RunRefCall `json:"run.rest"` // review of what failed or was not reached
	RunRevert RevertCall `json:"run.revert"`
	RunsList  RunsCall   `json:"runs.list"`
	RunGet    RunGetCall `json:"run.get"`
	RunVerify VerifyCall `json:"run.verify"`
	RunReplay ReplayCall `json:"run.replay"`
	RunsClear ClearCall  `json:"runs.clear"`

	RecoveryResolve RecoveryCall `json:"recovery.resolve"`

	ActionsList   ActionsCall      `json:"actions.list"`
	ActionSave    ActionSaveCall   `json:"actions.save"`
	ActionRename  ActionRenameCall `json:"actions.rename"`
	ActionRemove  ActionRefCall    `json:"actions.remove"`
	ActionRestore ActionRefCall    `json:"actions.restore"` // shows a hidden one again
	ActionRun     ActionRunCall    `json:"actions.run"`
	ActionsExport ExportCall       `json:"actions.export"`
	ActionsImport ImportCall       `json:"actions.import"`

	ActionGet    ActionGetCall    `json:"action.get"`
	ActionPut    ActionPutCall    `json:"action.put"`
	ActionsOrder ActionsOrderCall `json:"actions.order"`
	ActionCanvas ActionCanvasCall `json:"action.canvas"` // as a JSON Canvas file
	ActionStep   ActionStepCall   `json:"action.step"`   // a call becomes a step

	ConversationsList  ConversationsCall      `json:"conversations.list"`
	ConversationGet    ConversationGetCall    `json:"conversation.get"`
	ConversationRename ConversationRenameCall `json:"conversation.rename"`
	ConversationRemove ConversationRefCall    `json:"conversation.remove"`
	ConversationExport ConversationExportCall `json:"conversation.export"` // review of a note

	UsageGet      UsageCall       `json:"usage.get"`
	UsageExport   UsageExportCall `json:"usage.export"`
	PricesDefault PricesCall      `json:"prices.default"`
	ModelsList    ModelsCall      `json:"models.list"`
	SecretsList   SecretsCall     `json:"secrets.list"`
	PluginsSearch PluginsCall     `json:"plugins.search"`

	TraceGet TraceCall `json:"trace.get"`

	AttachmentGet AttachmentCall `json:"attachment.get"`
	RunExport     RunExportCall  `json:"run.export"` // the replay bundle

	ReplyDraw  ReplyDrawCall  `json:"reply.draw"`  // a model's words, as they are drawn
	ReplyCheck ReplyCheckCall `json:"reply.check"` // what they would do in a note

	Answer   AnswerCall   `json:"answer"` // to a question the core asked
	Tools    ToolsCall    `json:"tools.list"`
	TestConn TestConnCall `json:"connection.test"`
	Estimate EstimateCall `json:"estimate"`
	Hidden   HiddenCall   `json:"hidden"`
}

// Hello opens the connection. A Contract other than the core's own is refused.
type Hello struct {
	Contract string   `json:"contract"`
	Platform Platform `json:"platform"`
	Settings Settings `json:"settings"`
}

// Welcome answers Hello. Recoveries are runs that a crash left unfinished.
type Welcome struct {
	Contract string `json:"contract"`
	Version  string `json:"version"`
	State    State  `json:"state"`
}

// State is all that a panel needs to draw itself from nothing.
type State struct {
	Turn       *Turn        `json:"turn,omitempty"`   // the turn that is under way, or was last
	Review     *Review      `json:"review,omitempty"` // the open review
	Run        *RunState    `json:"run,omitempty"`    // the run under way, or the last of this start
	LastRun    *RunSummary  `json:"lastRun,omitempty"`
	Actions    []Action     `json:"actions"`
	Recoveries []RunSummary `json:"recoveries"`
	Questions  []Question   `json:"questions"`
	Demo       bool         `json:"demo"`  // the model is the scripted demonstration
	Ready      bool         `json:"ready"` // a model is configured
}

// HelloCall is the method hello.
type HelloCall struct {
	Params Hello   `json:"params"`
	Result Welcome `json:"result"`
}

// ConfigureCall is the method configure: the settings have changed.
type ConfigureCall struct {
	Params Settings `json:"params"`
	Result State    `json:"result"`
}

// StateCall is the method state.
type StateCall struct {
	Params Empty `json:"params"`
	Result State `json:"result"`
}

// Mode is how an instruction is worked on.
const (
	ModePlan  = "plan"
	ModeAgent = "agent"
)

// Send is one message of the person. DryRun asks for a review that cannot be
// approved. UseSelection offers the selection to the model.
type Send struct {
	Text         string `json:"text"`
	Mode         string `json:"mode"`
	DryRun       bool   `json:"dryRun"`
	UseSelection bool   `json:"useSelection"`
	Conversation string `json:"conversation"`
	// Queue keeps the message for after the present turn instead of steering.
	Queue bool `json:"queue,omitempty"`
	// Attached goes along with the words. OmitActive leaves the active note out.
	Attached   []Attachment `json:"attached,omitempty"`
	OmitActive bool         `json:"omitActive,omitempty"`
	// Model, where set, is used instead of the settings' model, this once.
	Model string `json:"model,omitempty"`
	// Continue goes on with an agent's turn that was stopped; Text may be empty.
	Continue bool `json:"continue,omitempty"`
	// Replace takes the last turn of the conversation out before this one:
	// regenerate, or edit and resend.
	Replace bool `json:"replace,omitempty"`
}

// Attachment is something a person gave along with an instruction. Kind: "note",
// "folder", "tag", "heading", "image". Name is the tag or heading. An image has
// a Path in the vault, or Data in base64 with its Type.
type Attachment struct {
	Kind string `json:"kind"`
	Path string `json:"path,omitempty"`
	Name string `json:"name,omitempty"`
	Data string `json:"data,omitempty"`
	Type string `json:"type,omitempty"` // the media type, such as image/png
}

// Accepted names the turn that a message began or joined.
type Accepted struct {
	Turn string `json:"turn"`
}

// SendCall is the method send. It answers at once; events tell the rest.
type SendCall struct {
	Params Send     `json:"params"`
	Result Accepted `json:"result"`
}

// Stop ends what is under way: a turn, a review's simulation, or a run. An
// empty id means all.
type Stop struct {
	ID string `json:"id"`
}

// StopCall is the method stop.
type StopCall struct {
	Params Stop  `json:"params"`
	Result Empty `json:"result"`
}

// RunRef names a run (and its review).
type RunRef struct {
	Run string `json:"run"`
}

// RunCall is a method on a run that answers nothing.
type RunCall struct {
	Params RunRef `json:"params"`
	Result Empty  `json:"result"`
}

// RunRefCall is a method on a run that opens another.
type RunRefCall struct {
	Params RunRef `json:"params"`
	Result RunRef `json:"result"`
}

// Replay goes through a run again as it was recorded: its conversations with a
// model, then its plan. Nothing is asked or written. With Review, what it comes
// to opens as a review that cannot be approved.
type Replay struct {
	Run    string `json:"run"`
	Review bool   `json:"review,omitempty"`
}

// ReplayCall is the method run.replay. The result is the review that it opened;
// without one, the run itself.
type ReplayCall struct {
	Params Replay `json:"params"`
	Result RunRef `json:"result"`
}

// Revert takes a run back: all of it, or one path. Choices settle conflicts by
// path: "keep" (leave it as it is now), "restore" (put back what was before the
// run; a later edit is saved beside it), or "merged" (the text given). With
// Review nothing is done: a review of what would be is opened. So it is, whether
// asked for or not, for a run that is not sealed by this device.
type Revert struct {
	Run     string           `json:"run"`
	Path    string           `json:"path,omitempty"`
	Choices []ConflictChoice `json:"choices,omitempty"`
	Review  bool             `json:"review,omitempty"`
}

// ConflictChoice is a person's decision on one path. Now is the etag of what
// the decision was made on (Conflict.NowEtag); a path that is different by then
// is a conflict again.
type ConflictChoice struct {
	Path   string `json:"path"`
	Now    string `json:"now"`
	Choice string `json:"choice"`
	Text   string `json:"text,omitempty"`
}

// The choices.
const (
	ChooseKeep    = "keep"
	ChooseRestore = "restore"
	ChooseMerged  = "merged"
)

// Reverted is how a revert went. Conflicts are paths where the person must
// choose: nothing was written there. Review is the review that was opened
// instead; then nothing was written at all.
type Reverted struct {
	Review    string     `json:"review,omitempty"`
	Run       string     `json:"run"` // the revert is a run itself
	Restored  []string   `json:"restored"`
	Merged    []string   `json:"merged"`
	Kept      []string   `json:"kept"`
	Gone      []string   `json:"gone"` // not there any more: deleted or moved away since
	Conflicts []Conflict `json:"conflicts"`
	NotUndone []Message  `json:"notUndone"` // commands
	Problem   *Problem   `json:"problem,omitempty"`
}

// Conflict is a path that was edited since in a way that cannot be merged.
type Conflict struct {
	Path   string `json:"path"`
	Before string `json:"before"` // what the run found
	After  string `json:"after"`  // what the run left
	Now    string `json:"now"`
	// NowEtag names the bytes that Now shows; "" when nothing is there.
	NowEtag string `json:"nowEtag"`
	// Binary conflicts are told by facts, without texts: what a restore would put
	// back, and what is there now. A side without a file has none.
	Binary      bool       `json:"binary,omitempty"`
	BeforeFacts *FileFacts `json:"beforeFacts,omitempty"`
	NowFacts    *FileFacts `json:"nowFacts,omitempty"`
}

// RevertCall is the method run.revert.
type RevertCall struct {
	Params Revert   `json:"params"`
	Result Reverted `json:"result"`
}

// RunsQuery asks for past runs, newest first.
type RunsQuery struct {
	Text    string `json:"text,omitempty"`
	Kind    string `json:"kind,omitempty"`    // run, revert, replay
	Outcome string `json:"outcome,omitempty"` // ok, partial, failed, cancelled, conflict
	Limit   int    `json:"limit,omitempty"`
}

// Runs is a list of past runs with the bytes they take.
type Runs struct {
	Runs  []RunSummary `json:"runs"`
	Bytes int64        `json:"bytes"`
}

// RunsCall is the method runs.list.
type RunsCall struct {
	Params RunsQuery `json:"params"`
	Result Runs      `json:"result"`
}

// RunGetCall is the method run.get.
type RunGetCall struct {
	Params RunRef    `json:"params"`
	Result RunDetail `json:"result"`
}

// Verified says whether a run's records are whole and unchanged, and whose they
// are (RunSummary.Origin).
type Verified struct {
	Origin   string    `json:"origin,omitempty"`
	OK       bool      `json:"ok"`
	Records  int       `json:"records"`
	Problems []Message `json:"problems"`
}

// VerifyCall is the method run.verify.
type VerifyCall struct {
	Params RunRef   `json:"params"`
	Result Verified `json:"result"`
}

// Clear removes past runs: the one named, or all.
type Clear struct {
	Run string `json:"run,omitempty"`
}

// ClearCall is the method runs.clear. The answer is what is left.
type ClearCall struct {
	Params Clear `json:"params"`
	Result Runs  `json:"result"`
}

// Recovery is a person's choice for a run that a crash left unfinished.
type Recovery struct {
	Run    string `json:"run"`
	Choice string `json:"choice"`
}

// The choices: go on with what was approved, take it back (to the end, where
// that was begun), bring back what was being taken back, leave it as it is.
const (
	RecoverFinish = "finish"
	RecoverRevert = "revert"
	RecoverBring  = "bring"
	RecoverKeep   = "keep"
)

// Where a run stands that did not end: it was cut short while it ran, while it
// was taken back, or while that was undone; or it goes on elsewhere.
const (
	StandsInterrupted  = "interrupted"
	StandsTakingBack   = "takingBack"
	StandsBringingBack = "bringingBack"
	StandsLive         = "live"
)

// RecoveryCall is the method recovery.resolve.
type RecoveryCall struct {
	Params Recovery `json:"params"`
	Result Reverted `json:"result"`
}

// Question is something the core needs from the person while it works: leave
// for a call that cannot be simulated, or a parameter of a saved action.
type Question struct {
	ID     string  `json:"id"`
	Kind   string  `json:"kind"` // "allow", "parameters", "key"
	Text   Message `json:"text"`
	Reason Message `json:"reason"`
	Tool   string  `json:"tool,omitempty"`
	Args   string  `json:"args,omitempty"`
	// Requests are those that a yes lets out, each whole; Commands those that it
	// runs, as they are known to the app.
	Requests []RequestView `json:"requests,omitempty"`
	Commands []CommandView `json:"commands,omitempty"`
	Fields   []Field       `json:"fields,omitempty"`
	Options  []Message     `json:"options,omitempty"`
}

// RequestView is a request to the web as it is shown before it leaves: all that
// is sent, nothing cut. Shown is the host as people read it, where that is not
// how it is written in the address (xn--…). Bytes counts the body.
type RequestView struct {
	Method  string       `json:"method"`
	URL     string       `json:"url"`
	Host    string       `json:"host"`
	Shown   string       `json:"shown,omitempty"`
	Headers []HeaderView `json:"headers,omitempty"`
	Body    string       `json:"body,omitempty"`
	Bytes   int          `json:"bytes"`
	Keys    []KeyView    `json:"keys,omitempty"`
}

// HeaderView is a header of a request. A key in it stands there by its name.
type HeaderView struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// KeyView is a key that a request carries: its name, and whether this device
// has not yet been allowed to send it there (New), or to send it there by the
// app's own client, which follows redirects (Redirects).
type KeyView struct {
	Name      string `json:"name"`
	New       bool   `json:"new,omitempty"`
	Redirects bool   `json:"redirects,omitempty"`
}

// CommandView is a command of the app: its id, and its name in the palette.
type CommandView struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Field is one value that is asked for.
type Field struct {
	Name    string   `json:"name"`
	Label   Message  `json:"label"`
	Kind    string   `json:"kind"` // text, longtext, folder, note, date, choice
	Value   string   `json:"value"`
	Choices []string `json:"choices,omitempty"`
	// Optional values may stay empty.
	Optional bool `json:"optional,omitempty"`
}

// Answer answers a Question: yes or no, and values by field name.
type Answer struct {
	ID     string            `json:"id"`
	Yes    bool              `json:"yes"`
	Values map[string]string `json:"values,omitempty"`
}

// AnswerCall is the method answer.
type AnswerCall struct {
	Params Answer `json:"params"`
	Result Empty  `json:"result"`
}

// ToolInfo describes a tool for the selector.
type ToolInfo struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Lifecycle   string `json:"lifecycle"`
	Category    string `json:"category"`
	SideEffects string `json:"sideEffects"`
	Description string `json:"description"`
	Enabled     bool   `json:"enabled"`
	Simulable   bool   `json:"simulable"`
	Pinned      bool   `json:"pinned,omitempty"`
	// Auth is "" for tools without secrets, otherwise "set" or "missing"; Scope
	// is where the secret was found: device, vault, organisation.
	Auth  string `json:"auth,omitempty"`
	Scope string `json:"secretScope,omitempty"`
	// Replacement is the tool to use instead of a deprecated one; UsedBy the
	// names of the saved actions that use it.
	Replacement string   `json:"replacement,omitempty"`
	UsedBy      []string `json:"usedBy,omitempty"`
	// Refused says why the policy would not let it run.
	Refused *Message `json:"refused,omitempty"`
}

// ToolList is every tool.
type ToolList struct {
	Tools []ToolInfo `json:"tools"`
}

// ToolsCall is the method tools.list.
type ToolsCall struct {
	Params Empty    `json:"params"`
	Result ToolList `json:"result"`
}

// TestResult is what a test connection found out.
type TestResult struct {
	OK       bool      `json:"ok"`
	Findings []Message `json:"findings"`
	Models   []string  `json:"models"`
	Problem  *Problem  `json:"problem,omitempty"`
}

// TestConnCall is the method connection.test.
type TestConnCall struct {
	Params Empty      `json:"params"`
	Result TestResult `json:"result"`
}

// EstimateText is a text whose size in tokens is asked for; with Send, also
// what sending that would take.
type EstimateText struct {
	Text string `json:"text"`
	Send *Send  `json:"send,omitempty"`
}

// Estimated is a snippet of a text, for showing, and its estimated tokens.
type Estimated struct {
	Snippet string `json:"snippet"`
	Tokens  int    `json:"tokens"`
	// Prompt is all that would be sent, in tokens; Window what the model takes
	// (0 when not known); Cost of the input, in Currency, when Priced.
	Prompt   int     `json:"prompt"`
	Window   int     `json:"window"`
	Cost     float64 `json:"cost"`
	Priced   bool    `json:"priced"`
	Currency string  `json:"currency"`
	// PricesOf is the day of the price table, YYYY-MM-DD.
	PricesOf string `json:"pricesOf,omitempty"`
}

// EstimateCall is the method estimate.
type EstimateCall struct {
	Params EstimateText `json:"params"`
	Result Estimated    `json:"result"`
}

// HiddenCall is the method hidden: which of some paths are never sent, because
// the settings keep them out of sight.
type HiddenCall struct {
	Params Paths `json:"params"`
	Result Paths `json:"result"`
}
