package protocol

// ServerMethods are the app's side's requests to the core: each field is a method,
// its name the JSON name.
type ServerMethods struct {
	Hello Method[Hello, Welcome] `json:"hello"`
	// The settings have changed.
	Configure Method[Settings, State] `json:"configure"`
	State     Method[Empty, State]    `json:"state"`

	// Types an instruction, or steers a working agent. It answers at once; events
	// tell the rest.
	Send Method[Send, Accepted] `json:"send"`
	// Ends the wait before the model is asked again (Turn.Waiting).
	TurnRetry Method[TurnRef, Empty] `json:"turn.retry"`
	// Ends the model's stream or the run.
	Stop Method[Stop, Empty] `json:"stop"`

	ReviewMethods `tstype:",extends"`

	RunPause  Method[RunRef, Empty] `json:"run.pause"`
	RunResume Method[RunRef, Empty] `json:"run.resume"`
	// Opens the review of what failed or was not reached.
	RunRest   Method[RunRef, RunRef]    `json:"run.rest"`
	RunRevert Method[Revert, Reverted]  `json:"run.revert"`
	RunGet    Method[RunRef, RunDetail] `json:"run.get"`
	RunVerify Method[RunRef, Verified]  `json:"run.verify"`
	// The result is the review that it opened; without one, the run itself.
	RunReplay      Method[Replay, RunRef] `json:"run.replay"`
	RecordsMethods `tstype:",extends"`

	RecoveryResolve Method[Recovery, Reverted] `json:"recovery.resolve"`

	ActionsList  Method[Empty, ActionList]        `json:"actions.list"`
	ActionSave   Method[ActionSave, Action]       `json:"actions.save"`
	ActionRename Method[ActionRename, ActionList] `json:"actions.rename"`
	ActionRemove Method[ActionRef, ActionList]    `json:"actions.remove"`
	// Shows a hidden one again.
	ActionRestore Method[ActionRef, ActionList] `json:"actions.restore"`
	// Opens a review.
	ActionRun     Method[ActionRun, Accepted] `json:"actions.run"`
	ActionsExport Method[Export, Exported]    `json:"actions.export"`
	ActionsImport Method[Import, Imported]    `json:"actions.import"`

	ActionGet    Method[ActionRef, ActionDetail]  `json:"action.get"`
	ActionPut    Method[ActionPut, ActionDetail]  `json:"action.put"`
	ActionsOrder Method[ActionsOrder, ActionList] `json:"actions.order"`
	// The action as a JSON Canvas file.
	ActionCanvas Method[ActionRef, Exported] `json:"action.canvas"`
	// A call becomes a step.
	ActionStep Method[ActionStep, ActionDetail] `json:"action.step"`

	ConversationMethods `tstype:",extends"`

	UsageGet    Method[Empty, UsageReport]    `json:"usage.get"`
	UsageExport Method[UsageExport, Document] `json:"usage.export"`
	// The price table that comes with the plugin, as JSON.
	PricesDefault Method[Empty, Document]       `json:"prices.default"`
	ModelsList    Method[Empty, Models]         `json:"models.list"`
	SecretsList   Method[Empty, Secrets]        `json:"secrets.list"`
	PluginsSearch Method[PluginsQuery, Plugins] `json:"plugins.search"`

	TraceGet Method[RunRef, Trace] `json:"trace.get"`

	AttachmentGet Method[AttachmentRef, AttachmentText] `json:"attachment.get"`
	// The bundle that can be replayed elsewhere.
	RunExport Method[RunRef, Document] `json:"run.export"`

	// A model's words, as they are drawn.
	ReplyDraw Method[ReplyText, ReplyTree] `json:"reply.draw"`
	// What they would do in a note.
	ReplyCheck Method[ReplyText, ReplyInsert] `json:"reply.check"`

	// Answers a question that the core asked.
	Answer   Method[Answer, Empty]           `json:"answer"`
	Tools    Method[Empty, ToolList]         `json:"tools.list"`
	TestConn Method[Empty, TestResult]       `json:"connection.test"`
	Estimate Method[EstimateText, Estimated] `json:"estimate"`
	// Tells which of some paths are never sent, because the settings keep them out
	// of sight.
	Hidden Method[Paths, Paths] `json:"hidden"`
}

// ReviewMethods are those of ServerMethods that concern the open review.
type ReviewMethods struct {
	ReviewGet Method[RunRef, Review] `json:"review.get"`
	// Checks and simulates a plan on the vault as it is now, without a model
	// having to make it, and opens its review.
	ReviewOpen Method[PlanAgain, RunRef] `json:"review.open"`
	ReviewFile Method[FileRef, FileView] `json:"review.file"`
	// The plan is simulated again.
	ReviewAmend Method[Amendment, Review] `json:"review.amend"`
	// Answers when the run has begun; events tell the rest.
	ReviewApprove Method[Approve, RunRef] `json:"review.approve"`
	// A no to what is shown.
	ReviewClose Method[RunRef, Empty] `json:"review.close"`
	// Keeps what the person is writing, for when the review is opened again.
	ReviewDraft Method[ReviewDrafts, Empty] `json:"review.draft"`
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
	NotRun     []NotRun     `json:"notRun"` // the newest last; the open review is among them
	Demo       bool         `json:"demo"`   // the model is the scripted demonstration
	Ready      bool         `json:"ready"`  // a model is configured
}

// Send is one message of the person. DryRun asks for a review that cannot be
// approved. UseSelection offers the selection to the model.
type Send struct {
	Text         string `json:"text"`
	Mode         Mode   `json:"mode"`
	DryRun       bool   `json:"dryRun"`
	UseSelection bool   `json:"useSelection"`
	// NoSelection says that the person sends it although it names a selection and
	// nothing is selected.
	NoSelection  bool   `json:"noSelection,omitempty"`
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

// Attachment is something a person gave along with an instruction. Name is
// the tag or heading. An image has a Path in the vault, or Data in base64 with its
// Type.
type Attachment struct {
	Kind AttachmentKind `json:"kind"`
	Path string         `json:"path,omitempty"`
	Name string         `json:"name,omitempty"`
	Data string         `json:"data,omitempty"`
	Type string         `json:"type,omitempty"` // the media type, such as image/png
}

// Accepted names the turn that a message began or joined.
type Accepted struct {
	Turn string `json:"turn"`
}

// TurnRef names a turn.
type TurnRef struct {
	Turn string `json:"turn"`
}

// Stop ends what is under way: a turn, a review's simulation, or a run. An
// empty id means all.
type Stop struct {
	ID string `json:"id"`
}

// RunRef names a run (and its review).
type RunRef struct {
	Run string `json:"run"`
}

// Replay goes through a run again as it was recorded: its conversations with a
// model, then its plan. Nothing is asked or written. With Review, what it comes
// to opens as a review that cannot be approved.
type Replay struct {
	Run    string `json:"run"`
	Review bool   `json:"review,omitempty"`
}

// Revert takes a run back: all of it, or one path. Choices settle conflicts by
// path. With Review nothing is done: a review of what would be is opened. So it is, whether
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
	Path   string     `json:"path"`
	Now    string     `json:"now"`
	Choice Settlement `json:"choice"`
	Text   string     `json:"text,omitempty"`
}

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
	// Did says in sentences what was written: how many files and folders were
	// removed, restored and moved back.
	Did     []Message `json:"did"`
	Problem *Problem  `json:"problem,omitempty"`
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

// RunsQuery asks for past runs, newest first.
type RunsQuery struct {
	Text    string     `json:"text,omitempty"`
	Kind    RunKind    `json:"kind,omitempty"`
	Outcome RunOutcome `json:"outcome,omitempty"`
	Limit   int        `json:"limit,omitempty"`
}

// Runs is a list of past runs with the bytes they take.
type Runs struct {
	Runs  []RunSummary `json:"runs"`
	Bytes int64        `json:"bytes"`
}

// Verified says whether a run's records are whole and unchanged, and whose they
// are (RunSummary.Origin).
type Verified struct {
	Origin   Origin    `json:"origin,omitempty"`
	OK       bool      `json:"ok"`
	Records  int       `json:"records"`
	Problems []Message `json:"problems"`
}

// Clear removes past runs: the one named, or all.
type Clear struct {
	Run string `json:"run,omitempty"`
}

// Recovery is a person's choice for a run that a crash left unfinished.
type Recovery struct {
	Run    string         `json:"run"`
	Choice RecoveryChoice `json:"choice"`
}

// Question is something the core needs from the person while it works: leave
// for a call that cannot be simulated, or a parameter of a saved action.
type Question struct {
	ID     string       `json:"id"`
	Kind   QuestionKind `json:"kind"`
	Text   Message      `json:"text"`
	Reason Message      `json:"reason"`
	Tool   string       `json:"tool,omitempty"`
	Args   string       `json:"args,omitempty"`
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
	Name    string    `json:"name"`
	Label   Message   `json:"label"`
	Kind    FieldKind `json:"kind"`
	Value   string    `json:"value"`
	Choices []string  `json:"choices,omitempty"`
	// Optional values may stay empty.
	Optional bool `json:"optional,omitempty"`
}

// Answer answers a Question: yes or no, and values by field name.
type Answer struct {
	ID     string            `json:"id"`
	Yes    bool              `json:"yes"`
	Values map[string]string `json:"values,omitempty"`
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

// TestResult has the findings of a connection test.
type TestResult struct {
	OK       bool      `json:"ok"`
	Findings []Message `json:"findings"`
	Models   []string  `json:"models"`
	Problem  *Problem  `json:"problem,omitempty"`
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
