package protocol

// Event tells of something while the core works. Exactly one of the pointers is
// set, by Type. The panel's state is a pure fold over State and events.
type Event struct {
	Type EventType `json:"type"`
	// At is when, in RFC 3339 with milliseconds.
	At string `json:"at"`

	Turn     *Turn           `json:"turn,omitempty"`     // turn.started, turn.changed, turn.ended
	Delta    *Delta          `json:"delta,omitempty"`    // turn.text, turn.reasoning
	Review   *Review         `json:"review,omitempty"`   // review.opened, review.changed
	Run      *RunState       `json:"run,omitempty"`      // run.state
	Exec     *ExecutionEvent `json:"exec,omitempty"`     // exec
	Question *Question       `json:"question,omitempty"` // question.opened, question.closed
	Notice   *Notice         `json:"notice,omitempty"`   // notice
	State    *State          `json:"state,omitempty"`    // state: everything anew
	Actions  []Action        `json:"actions,omitempty"`  // actions.changed
	Talks    []Conversation  `json:"talks,omitempty"`    // conversations.changed
	RunID    string          `json:"runId,omitempty"`    // review.closed
	NotRun   *NotRun         `json:"notRun,omitempty"`   // review.closed, where the plan is kept
}

// Turn is one exchange: what the person said and what became of it. Outcome is
// set once it is done.
type Turn struct {
	ID           string      `json:"id"`
	Conversation string      `json:"conversation"`
	Text         string      `json:"text"`
	Phase        TurnPhase   `json:"phase"`
	Outcome      TurnOutcome `json:"outcome,omitempty"`
	Reply        string      `json:"reply"`
	Reasoning    string      `json:"reasoning,omitempty"`
	Run          string      `json:"run,omitempty"`
	Problem      *Problem    `json:"problem,omitempty"`
	Usage        *Usage      `json:"usage,omitempty"`
	Notes        []Message   `json:"notes,omitempty"` // "streaming is off for this endpoint", …
	Mode         Mode        `json:"mode,omitempty"`
	// Attached are the attachments of the instruction.
	Attached  []Attachment `json:"attached,omitempty"`
	Meanwhile `tstype:",extends"`
	// Findings tell what the plan found.
	Findings  *Findings `json:"findings,omitempty"`
	Ending    `tstype:",extends"`
	TracesURL string `json:"tracesUrl,omitempty"`
	StartedAt string `json:"startedAt,omitempty"`
}

// Ending says what may follow a turn that has ended, or was wrong in it.
type Ending struct {
	// CanContinue is true for an agent's turn that was stopped or reached a limit.
	CanContinue bool `json:"canContinue,omitempty"`
	// Hollow: Reply says that notes were changed, and this turn has changed none and
	// plans to change none.
	Hollow bool `json:"hollow,omitempty"`
}

// Meanwhile has what comes up during a turn. Of the messages of the person, Steered
// joined it, and Queued wait for its end.
type Meanwhile struct {
	Steered []string `json:"steered,omitempty"`
	Queued  []string `json:"queued,omitempty"`
	// Waiting says why the model is asked again only later; nil while nothing waits.
	Waiting *Waiting `json:"waiting,omitempty"`
}

// Waiting says why a turn waits before it asks its model again, and until when, in
// RFC 3339 with milliseconds.
type Waiting struct {
	Text  Message `json:"text"`
	Until string  `json:"until"`
}

// Usage is the cost of a turn.
type Usage struct {
	Input  int     `json:"input"`
	Output int     `json:"output"`
	Cached int     `json:"cached,omitempty"`
	Cost   float64 `json:"cost,omitempty"` // in the price table's currency, 0 when no price is known
	Priced bool    `json:"priced,omitempty"`
}

// Delta is text that arrived for a turn.
type Delta struct {
	Turn string `json:"turn"`
	Text string `json:"text"`
}

// Notice is a short message for the person.
type Notice struct {
	Level Level   `json:"level"`
	Text  Message `json:"text"`
	Run   string  `json:"run,omitempty"`
}

// ExecutionEvent is an event of a run (docs/design/tool-calls.md#events).
type ExecutionEvent struct {
	Type      string `json:"type"` // run.started … run.finished
	RunID     string `json:"runId"`
	Timestamp string `json:"timestamp"`
	Level     Level  `json:"level"`
	Message   string `json:"message"`
	CallID    string `json:"callId,omitempty"`
	StepID    string `json:"stepId,omitempty"`
	Tool      string `json:"tool,omitempty"`
	// Payload is JSON by type; see the fields of CallView for step events.
	Call *CallView `json:"call,omitempty"`
	Text *Message  `json:"text,omitempty"`
	// Progress is set for step.progress: of one call, or without callId of a
	// step's calls.
	Progress *StepProgress `json:"progress,omitempty"`
}

// StepProgress is how far something is: Done of Total. A step that looks for
// something says how many it has Found so far.
type StepProgress struct {
	Done  int `json:"done"`
	Total int `json:"total"`
	Found int `json:"found,omitempty"`
	// Text says it in words.
	Text Message `json:"text"`
}

// CallView is one call as the run log shows it.
type CallView struct {
	CallID     string     `json:"callId"`
	StepID     string     `json:"stepId"`
	Tool       string     `json:"tool"`
	Index      int        `json:"index"` // of the iteration; -1 without foreach
	Attempt    int        `json:"attempt"`
	Status     CallStatus `json:"status"`
	Args       string     `json:"args"`   // JSON, redacted, shortened
	Result     string     `json:"result"` // JSON, redacted, shortened
	DurationMs int64      `json:"durationMs"`
	Cached     bool       `json:"cached,omitempty"`
	Preview    string     `json:"preview,omitempty"`
	Risk       Risk       `json:"risk,omitempty"`
	Paths      []string   `json:"paths,omitempty"` // what it changed
	Problem    *Problem   `json:"problem,omitempty"`
	// Deed says what the call did, or is to do; nil of a tool that has no words for it.
	Deed       *Message `json:"deed,omitempty"`
	SecretFrom string   `json:"secretScope,omitempty"`
	Pins       []string `json:"pins,omitempty"` // the names of what an agent's step pinned
	// Run is where Attached, the outputs that were too long, are kept.
	Run      string           `json:"run,omitempty"`
	Attached []AttachedOutput `json:"attached,omitempty"`
}

// RunState is how far a run is. Outcome is set once it is finished.
type RunState struct {
	Run     string        `json:"run"`
	State   RunPhase      `json:"state"`
	Outcome RunOutcome    `json:"outcome,omitempty"`
	Done    int           `json:"done"`
	Failed  int           `json:"failed"`
	Skipped int           `json:"skipped"`
	Total   int           `json:"total"`
	LeftMs  int64         `json:"leftMs,omitempty"` // estimated time left
	Text    Message       `json:"text"`             // "7 of 10 notes made"
	Summary []SummaryLine `json:"summary,omitempty"`
	LeftOut []LeftOut     `json:"leftOut,omitempty"` // as the review had it
	// Findings are the outputs of a plan that wrote, and has come to its end.
	Findings *Findings `json:"findings,omitempty"`
	Problem  *Problem  `json:"problem,omitempty"`
	Goal     string    `json:"goal"`
	Can      Can       `json:"can"`
	Kind     RunKind   `json:"kind"`
}

// Can says what may be pressed for a run.
type Can struct {
	Revert  bool `json:"revert"`
	Rest    bool `json:"rest"`
	Save    bool `json:"save"`
	Pause   bool `json:"pause"`
	Cancel  bool `json:"cancel"`
	Recover bool `json:"recover"`
}

// RunSummary is one line of the history.
type RunSummary struct {
	Run        string     `json:"run"`
	Kind       RunKind    `json:"kind"`
	Goal       string     `json:"goal"`
	StartedAt  string     `json:"startedAt"`
	EndedAt    string     `json:"endedAt,omitempty"`
	Outcome    RunOutcome `json:"outcome"`
	Files      int        `json:"files"`
	Calls      int        `json:"calls"`
	Bytes      int64      `json:"bytes"`
	Reverts    string     `json:"reverts,omitempty"`    // the run this one took back
	RevertedBy string     `json:"revertedBy,omitempty"` // the run that took this one back
	Text       Message    `json:"text"`
	Can        Can        `json:"can"`
	// Of a run that did not end: where it stands, and what can be chosen.
	Stands  Stands           `json:"stands,omitempty"`
	Choices []RecoveryChoice `json:"choices,omitempty"`
	// Origin is "" where this device has sealed the run's records, and nobody has
	// changed them since; what is of elsewhere is carried out by a review alone.
	Origin Origin `json:"origin,omitempty"`
}

// RunDetail is a past run opened.
type RunDetail struct {
	Summary RunSummary   `json:"summary"`
	Files   []FileChange `json:"files"` // what was written; of a run that has not ended, what was approved
	// NotWritten counts the files that were approved and not written, since the
	// run ended before.
	NotWritten int        `json:"notWritten,omitempty"`
	LeftOut    []LeftOut  `json:"leftOut,omitempty"`
	Calls      []CallView `json:"calls"`
	Plan       string     `json:"plan"`
}
