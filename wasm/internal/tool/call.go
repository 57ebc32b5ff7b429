package tool

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"github.com/google/uuid"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/digest"
	"embedded-agent/wasm/internal/fault"
)

// Call is the envelope of one tool invocation (docs/design/tool-calls.md#calls), with
// its arguments materialised.
type Call struct {
	CallID string `json:"callId"`
	RunID  string `json:"runId"`
	StepID string `json:"stepId"`
	Tool   string `json:"tool"`
	// Version is the tool's; the envelope's toolRegistryVersion says which
	// registry it came from.
	Version string `json:"version"`

	Args     Args   `json:"args"`
	ArgsHash string `json:"argsHash,omitempty"`

	Attempt    int    `json:"attempt"`
	TimeoutMs  int64  `json:"timeoutMs,omitempty"`
	DeadlineAt string `json:"deadlineAt,omitempty"`
	Cancelable bool   `json:"cancellable"`

	Iteration *Iteration `json:"iteration,omitempty"`
	LoopID    string     `json:"loopId,omitempty"`

	CreatedAt           string `json:"createdAt"`
	PlannerVersion      string `json:"plannerVersion,omitempty"`
	ExecutorVersion     string `json:"executorVersion"`
	ToolRegistryVersion string `json:"toolRegistryVersion"`

	Preview  string `json:"preview,omitempty"`
	Risk     Risk   `json:"riskLevel"`
	Category string `json:"category,omitempty"`

	Policy         PolicySnapshot `json:"policy"`
	ConfirmationID string         `json:"confirmationId,omitempty"`

	// LogicalID is the call_id (docs/design/tool-calls.md#identity): it names the logical call and
	// groups its attempts. Seq is the order of expansion in a plan, or the
	// source order in a turn.
	LogicalID string `json:"call_id"`
	Seq       int    `json:"seq"`
}

// Iteration is the foreach context of a call.
type Iteration struct {
	Index     int    `json:"index"`
	ItemName  string `json:"itemName"`
	ItemValue any    `json:"itemValue"`
}

// PolicySnapshot is the policy at the time of a call.
type PolicySnapshot struct {
	ConfirmationsRequired bool    `json:"confirmationsRequired"`
	Sandbox               Sandbox `json:"sandbox"`
	Limits                Limits  `json:"limits"`
}

// Sandbox is where a call may go. AllowedRoots are folders ("/" is the whole
// vault); DenyPatterns refuse a path that contains one, or matches it as a
// glob.
type Sandbox struct {
	Enabled      bool     `json:"enabled"`
	AllowedRoots []string `json:"allowedRoots"`
	DenyPatterns []string `json:"denyPatterns"`
}

// Limits are the caps of a run. Zero durations mean no limit of their own.
type Limits struct {
	MaxConcurrency int   `json:"maxConcurrency"`
	MaxAttempts    int   `json:"maxAttempts"`
	MaxBackoffMs   int64 `json:"maxBackoffMs"`
	MaxTimeoutMs   int64 `json:"maxTimeoutMs"`
	MaxCalls       int   `json:"maxCalls"`
	MaxOutputBytes int   `json:"maxOutputBytes"`
}

// Status is how a call ended.
type Status string

// The statuses (docs/design/tool-calls.md#results).
const (
	OK           Status = "ok"
	StatusError  Status = "error"
	TimedOut     Status = "timeout"
	WasCancelled Status = "cancelled"
	Skipped      Status = "skipped"
)

// Result is the envelope of an outcome (docs/design/tool-calls.md#results).
type Result struct {
	CallID  string `json:"callId"`
	RunID   string `json:"runId"`
	StepID  string `json:"stepId"`
	Tool    string `json:"tool"`
	Version string `json:"version"`
	Attempt int    `json:"attempt"`

	Status Status `json:"status"`
	OK     bool   `json:"ok"`

	Data Data `json:"data,omitempty"`
	// DataHash is the SHA-256 of the data as it is recorded: redacted, its long
	// texts by their hashes. It is set where a result is read back.
	DataHash string       `json:"dataHash,omitempty"`
	Error    *ResultError `json:"error,omitempty"`

	StartedAt  string `json:"startedAt"`
	EndedAt    string `json:"endedAt"`
	DurationMs int64  `json:"durationMs"`

	Effects     *Effects `json:"effects,omitempty"`
	UserMessage string   `json:"userMessage,omitempty"`

	LogicalID   string       `json:"call_id"`
	Cached      bool         `json:"cached,omitempty"`
	Truncated   bool         `json:"truncated,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	// SecretScope is the scope a secret was resolved from; never its value.
	SecretScope string `json:"secretScope,omitempty"`

	// Recorded: the failure is that of the simulation, which every attempt of the
	// call carries out.
	Recorded bool `json:"-"`

	// Fault is the error as a value, with the key and parameters the panel
	// shows; Error is its form in the log.
	Fault *Error `json:"-"`
}

// ResultError is the error part of a Result.
type ResultError struct {
	Code        fault.Code        `json:"code"`
	Message     string            `json:"message"`
	Details     map[string]any    `json:"details,omitempty"`
	Retryable   bool              `json:"retryable,omitempty"`
	RetryAfterS float64           `json:"retry_after_s,omitempty"`
	Key         string            `json:"key,omitempty"`
	Params      map[string]string `json:"params,omitempty"`
}

// Effects are the changes that were observed, not the ones intended.
type Effects struct {
	Observed []string       `json:"sideEffectsObserved,omitempty"`
	Created  []PathKind     `json:"created,omitempty"`
	Modified []ModifiedPath `json:"modified,omitempty"`
	Deleted  []DeletedPath  `json:"deleted,omitempty"`
	Renamed  []RenamedPath  `json:"renamed,omitempty"`
}

// PathKind is a path that came to be.
type PathKind struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
}

// ModifiedPath is a file whose bytes changed.
type ModifiedPath struct {
	Path       string `json:"path"`
	Kind       string `json:"kind"`
	BeforeEtag string `json:"beforeEtag,omitempty"`
	AfterEtag  string `json:"afterEtag,omitempty"`
}

// DeletedPath is a path that went.
type DeletedPath struct {
	Path    string `json:"path"`
	Kind    string `json:"kind"`
	Trashed bool   `json:"trashed,omitempty"`
}

// RenamedPath is a path that moved.
type RenamedPath struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Attachment is a payload kept beside the result.
type Attachment struct {
	Kind        string `json:"kind"` // blob, image, table
	URL         string `json:"url"`
	ContentType string `json:"content_type,omitempty"`
	Bytes       int64  `json:"bytes,omitempty"`
}

// NewResultError gives the log's form of an error.
func NewResultError(e *Error) *ResultError {
	return &ResultError{
		Code: e.Code, Message: e.Error(), Details: e.Data, Retryable: e.Retryable,
		RetryAfterS: e.RetryAfterS, Key: e.Key, Params: e.Params,
	}
}

// WithFault gives the result with its error as a value again, as it is missing
// in one that was read back from the log; r itself when it lacks nothing.
func (r *Result) WithFault() *Result {
	if r.Fault != nil || r.Error == nil {
		return r
	}
	whole, e := *r, r.Error
	whole.Fault = fault.New(e.Code, e.Key, e.Params)
	whole.Fault.Data, whole.Fault.Retryable, whole.Fault.RetryAfterS = e.Details, e.Retryable, e.RetryAfterS
	return &whole
}

// StatusOf gives the status that an error amounts to.
func StatusOf(e *Error) Status {
	switch {
	case e == nil:
		return OK
	case e.Code == fault.Timeout:
		return TimedOut
	case e.Code == fault.Cancelled:
		return WasCancelled
	}
	return StatusError
}

// Identify sets ArgsHash, LogicalID and CallID from the tool, the canonical
// arguments, Seq, RunID and Attempt (docs/design/tool-calls.md#identity). It fails when the arguments
// are not JSON.
func (c *Call) Identify() error {
	buf := make([]byte, 0, 512)
	buf = append(buf, c.Tool...)
	buf = append(buf, '@')
	buf = append(buf, c.Version...)
	buf = append(buf, 0)
	buf, err := canon.Append(buf, map[string]any(c.Args))
	if err != nil {
		return fault.New(fault.Validation, "error.tool.args", fault.P{"tool": c.Tool, "problems": err.Error()})
	}
	h := digest.New()
	h.Write(buf)
	sum := h.Sum(nil)
	c.ArgsHash = hex.EncodeToString(sum)
	// The sequence number is hashed on top, so that a large argument is hashed
	// once.
	seq := append(sum, 0)
	seq = binary.BigEndian.AppendUint64(seq, uint64(c.Seq))
	id := digest.Sum256(seq)
	c.LogicalID = "call_" + hex.EncodeToString(id[:16])
	c.SetAttempt(c.Attempt)
	return nil
}

// SetAttempt numbers the attempt, from 1, and derives CallID: the UUIDv5 of
// runId, call_id and attempt.
func (c *Call) SetAttempt(n int) {
	c.Attempt = n
	ns, err := uuid.Parse(c.RunID)
	if err != nil {
		ns = uuid.NewSHA1(uuid.NameSpaceOID, []byte(c.RunID))
	}
	c.CallID = uuid.NewSHA1(ns, []byte(c.LogicalID+"#"+strconv.Itoa(n))).String()
}
