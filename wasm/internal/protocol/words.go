package protocol

// The closed sets of words that cross. Each is a type of its own here and a union
// in TypeScript, so that a word that is none of them does not compile.

// EventType says what an Event tells.
type EventType string

// The words of EventType.
const (
	EventTurnStarted          EventType = "turn.started" // once for each turn, before all else of it
	EventTurnChanged          EventType = "turn.changed" // its phase, notes or messages; the turn is told whole
	EventTurnText             EventType = "turn.text"
	EventTurnReasoning        EventType = "turn.reasoning"
	EventTurnEnded            EventType = "turn.ended"
	EventReviewOpened         EventType = "review.opened"
	EventReviewChanged        EventType = "review.changed"
	EventReviewClosed         EventType = "review.closed"
	EventRunState             EventType = "run.state"
	EventExec                 EventType = "exec"
	EventQuestionOpened       EventType = "question.opened"
	EventQuestionClosed       EventType = "question.closed"
	EventNotice               EventType = "notice"
	EventState                EventType = "state" // everything anew
	EventActionsChanged       EventType = "actions.changed"
	EventConversationsChanged EventType = "conversations.changed"
)

// Mode is how an instruction is worked on.
type Mode string

// The words of Mode.
const (
	ModePlan  Mode = "plan"  // a model makes a plan
	ModeAgent Mode = "agent" // a model calls tools, and what it did becomes a plan
)

// TurnPhase says how far a turn is.
type TurnPhase string

// The words of TurnPhase.
const (
	PhaseAsking     TurnPhase = "asking" // it waits for the model
	PhaseStreaming  TurnPhase = "streaming"
	PhaseRepairing  TurnPhase = "repairing"
	PhaseSimulating TurnPhase = "simulating"
	PhaseDone       TurnPhase = "done"
)

// TurnOutcome is how a turn ended.
type TurnOutcome string

// The words of TurnOutcome.
const (
	TurnPlan      TurnOutcome = "plan"
	TurnAnswer    TurnOutcome = "answer"
	TurnQuestion  TurnOutcome = "question"
	TurnFailed    TurnOutcome = "failed"
	TurnCancelled TurnOutcome = "cancelled"
)

// AttachmentKind says what a person attached to an instruction.
type AttachmentKind string

// The words of AttachmentKind.
const (
	AttachNote    AttachmentKind = "note"
	AttachFolder  AttachmentKind = "folder"
	AttachTag     AttachmentKind = "tag"
	AttachHeading AttachmentKind = "heading"
	AttachImage   AttachmentKind = "image"
)

// Level is how much something matters to the person.
type Level string

// The words of Level.
const (
	LevelInfo  Level = "info"
	LevelWarn  Level = "warn"
	LevelError Level = "error"
)

// CallStatus says how far a call is, or how it ended.
type CallStatus string

// The words of CallStatus.
const (
	CallRunning   CallStatus = "running"
	CallOK        CallStatus = "ok"
	CallError     CallStatus = "error"
	CallTimeout   CallStatus = "timeout"
	CallCancelled CallStatus = "cancelled"
	CallSkipped   CallStatus = "skipped"
	CallUnknown   CallStatus = "unknown" // of an old run whose records do not say
)

// Risk is the most that a plan or a call does; it is computed, and never taken from the plan.
type Risk string

// The words of Risk.
const (
	RiskReadOnly Risk = "read-only"
	RiskWrites   Risk = "writes"
	RiskCommands Risk = "commands"
)

// RunKind says what a run does.
type RunKind string

// The words of RunKind.
const (
	KindRun    RunKind = "run"    // it carries out a plan
	KindRevert RunKind = "revert" // it undoes another run
	KindFinish RunKind = "finish" // it makes the rest of a run that a crash cut short
	KindAgent  RunKind = "agent"  // it records what an agent did at once, such as a command
	KindStaged RunKind = "staged" // it makes the changes that a command made in a working copy
)

// RunPhase says how far a run is.
type RunPhase string

// The words of RunPhase.
const (
	RunRunning    RunPhase = "running"
	RunPaused     RunPhase = "paused"
	RunCancelling RunPhase = "cancelling"
	RunFinished   RunPhase = "finished"
)

// RunOutcome is how a run ended.
type RunOutcome string

// The words of RunOutcome.
const (
	OutcomeOK         RunOutcome = "ok"
	OutcomePartial    RunOutcome = "partial"
	OutcomeFailed     RunOutcome = "failed"
	OutcomeCancelled  RunOutcome = "cancelled"
	OutcomeConflict   RunOutcome = "conflict"
	OutcomeUnfinished RunOutcome = "unfinished" // it has not ended, or nobody knows how
	OutcomeUnderway   RunOutcome = "underway"   // in the history alone: somebody carries it out now
	OutcomeWaiting    RunOutcome = "waiting"    // in the history alone: a question of it is open
)

// Origin says why a run does not count as one of this device.
type Origin string

// The words of Origin.
const (
	OriginUnsealed Origin = "unsealed" // it has no seal
	OriginForeign  Origin = "foreign"  // it has that of another device, or of this one before it lost its key
	OriginChanged  Origin = "changed"  // it was changed since
	// OriginElsewhere says that another device made it: nothing of it is changed or
	// removed here.
	OriginElsewhere Origin = "elsewhere"
)

// Stands says at what point a run was cut short.
type Stands string

// The words of Stands.
const (
	StandsInterrupted  Stands = "interrupted"  // it was cut short while it ran
	StandsTakingBack   Stands = "takingBack"   // while it was taken back
	StandsBringingBack Stands = "bringingBack" // while that was undone
	StandsLive         Stands = "live"         // it goes on elsewhere
)

// RecoveryChoice is a person's choice for a run that did not end.
type RecoveryChoice string

// The words of RecoveryChoice.
const (
	RecoverFinish RecoveryChoice = "finish" // go on with what was approved
	RecoverRevert RecoveryChoice = "revert" // take it back, to the end where that was begun
	RecoverBring  RecoveryChoice = "bring"  // bring back what was being taken back
	RecoverKeep   RecoveryChoice = "keep"   // leave it as it is
)

// Settlement is how a person settles a conflict.
type Settlement string

// The words of Settlement.
const (
	ChooseKeep    Settlement = "keep"    // leave the file as it is now
	ChooseRestore Settlement = "restore" // put back what was before the run; a later edit is saved beside it
	ChooseMerged  Settlement = "merged"  // the text given
)

// FileStatus says what happens to a path.
type FileStatus string

// The words of FileStatus.
const (
	FileCreate FileStatus = "create"
	FileModify FileStatus = "modify"
	FileRename FileStatus = "rename"
	FileTrash  FileStatus = "trash"
	FileMkdir  FileStatus = "mkdir"
	FileRmdir  FileStatus = "rmdir"
)

// Tone is the kind of a line of the summary, which highlights it.
type Tone string

// The words of Tone.
const (
	ToneCreate  Tone = "create"
	ToneModify  Tone = "modify"
	ToneRename  Tone = "rename"
	ToneDelete  Tone = "delete"
	ToneFolder  Tone = "folder"
	ToneCommand Tone = "command"
	ToneRuns    Tone = "runs" // what may run or load by itself
	ToneRead    Tone = "read"
	ToneOpen    Tone = "open"
)

// AmendmentKind names a way to change a plan in review.
type AmendmentKind string

// The words of AmendmentKind.
const (
	AmendDrop  AmendmentKind = "drop"  // a path is left out
	AmendKeep  AmendmentKind = "keep"  // a path is not left out any more
	AmendHunks AmendmentKind = "hunks" // the indexes rejected on a path
	AmendEdit  AmendmentKind = "edit"  // a path's text
	AmendPlan  AmendmentKind = "plan"  // the plan's JSON anew
	AmendReset AmendmentKind = "reset" // a path is as the plan has it
	AmendAgain AmendmentKind = "again" // nothing; it is simulated on the vault as it is now
	AmendAll   AmendmentKind = "all"   // a step's limit is taken out
	// AmendWithout takes the refused steps out of the plan, and those that need them.
	AmendWithout AmendmentKind = "without"
	// AmendOnce lets the refused steps be done, by this plan alone (Halted.MayAllow).
	AmendOnce AmendmentKind = "once"
)

// QuestionKind names a thing that the core asks the person for.
type QuestionKind string

// The words of QuestionKind.
const (
	AskAllow      QuestionKind = "allow"      // leave for a call
	AskParameters QuestionKind = "parameters" // the parameters of a saved action
	AskKey        QuestionKind = "key"        // leave to send a key somewhere
	AskCost       QuestionKind = "cost"       // leave for what model steps cost
)

// FieldKind says which values a field takes.
type FieldKind string

// The words of FieldKind.
const (
	FieldText     FieldKind = "text"
	FieldLongtext FieldKind = "longtext"
	FieldFolder   FieldKind = "folder"
	FieldNote     FieldKind = "note"
	FieldDate     FieldKind = "date"
	FieldChoice   FieldKind = "choice"
)

// ActionKind says what a saved action is made of.
type ActionKind string

// The words of ActionKind.
const (
	ActionPlan     ActionKind = "plan"     // a fixed plan
	ActionTemplate ActionKind = "template" // a plan with parameters
	ActionPrompt   ActionKind = "prompt"   // it asks a model
)

// UsageFormat is how the ledger is written down.
type UsageFormat string

// The words of UsageFormat.
const (
	UsageCSV  UsageFormat = "csv"
	UsageJSON UsageFormat = "json"
)

// Pane is a part of the window.
type Pane string

// The words of Pane.
const (
	PaneEditor Pane = "editor"
	PaneLeft   Pane = "left"
	PaneRight  Pane = "right"
	PanePanel  Pane = "panel"
)

// Provider says who runs the model.
type Provider string

// The words of Provider.
const (
	ProviderOpenAI    Provider = "openai"
	ProviderAnthropic Provider = "anthropic"
	ProviderCustom    Provider = "custom" // an endpoint that speaks like OpenAI's
	ProviderText      Provider = "text"   // one whose model can only write text
	ProviderDemo      Provider = "demo"   // the scripted demonstration
)

// Confirm says which plans are asked about before they run.
type Confirm string

// The words of Confirm.
const (
	ConfirmAlways Confirm = "always"
	ConfirmWrites Confirm = "writes" // those that change something
	ConfirmNever  Confirm = "never"
)

// EntryKind says what a path of the vault leads to.
type EntryKind string

// The words of EntryKind.
const (
	EntryFile   EntryKind = "file"
	EntryFolder EntryKind = "folder"
	EntryNone   EntryKind = "" // nothing is there
)

// SpanKind says what a stretch of a trace was spent on.
type SpanKind string

// The words of SpanKind.
const (
	SpanRun    SpanKind = "run"
	SpanModel  SpanKind = "model"
	SpanPolicy SpanKind = "policy"
	SpanTool   SpanKind = "tool"
)

// ProblemCode says what kind of error a problem is
// (docs/design/tool-calls.md#errors). The words are those of package fault.
type ProblemCode string

// The words of ProblemCode.
const (
	CodeValidation   ProblemCode = "VALIDATION_ERROR"
	CodeDenied       ProblemCode = "POLICY_DENIED"
	CodeNotFound     ProblemCode = "NOT_FOUND"
	CodeConflict     ProblemCode = "CONFLICT"
	CodePrecondition ProblemCode = "PRECONDITION_FAILED"
	CodeAuth         ProblemCode = "AUTH_REQUIRED"
	CodeRateLimit    ProblemCode = "RATE_LIMIT"
	CodeProvider     ProblemCode = "PROVIDER_ERROR"
	CodeNetwork      ProblemCode = "NETWORK_ERROR"
	CodeSandbox      ProblemCode = "SANDBOX_ERROR"
	CodeTimeout      ProblemCode = "TIMEOUT"
	CodeCancelled    ProblemCode = "CANCELLED"
	CodeInternal     ProblemCode = "INTERNAL_ERROR"
)

// ReplyKind says how a part of an answer is drawn. Blocks come first, then what
// stands in lines.
type ReplyKind string

// The words of ReplyKind.
const (
	ReplyParagraph ReplyKind = "paragraph"
	ReplyTight     ReplyKind = "tight" // a list item's text
	ReplyHeading   ReplyKind = "heading"
	ReplyList      ReplyKind = "list"
	ReplyItem      ReplyKind = "item"
	ReplyQuote     ReplyKind = "quote"
	ReplyCallout   ReplyKind = "callout"
	ReplyTitle     ReplyKind = "title"
	ReplyCode      ReplyKind = "code"
	ReplyMath      ReplyKind = "math"
	ReplySource    ReplyKind = "source" // a block that a rendering would hide or interpret
	ReplyPlain     ReplyKind = "plain"  // what is past the limits
	ReplyRule      ReplyKind = "rule"
	ReplyTable     ReplyKind = "table"
	ReplyRow       ReplyKind = "row"
	ReplyCell      ReplyKind = "cell"

	ReplyWords     ReplyKind = "text"
	ReplyMark      ReplyKind = "mark" // a character that nobody would see, as its name
	ReplyEmphasis  ReplyKind = "emphasis"
	ReplyStrong    ReplyKind = "strong"
	ReplyStrike    ReplyKind = "strike"
	ReplyHighlight ReplyKind = "highlight"
	ReplyVerbatim  ReplyKind = "verbatim" // code
	ReplyFormula   ReplyKind = "formula"
	ReplyUnseen    ReplyKind = "unseen" // what a rendering would hide
	ReplyBreak     ReplyKind = "break"
	ReplyLink      ReplyKind = "link"
	ReplyNote      ReplyKind = "note"
	ReplyImage     ReplyKind = "image"
)
