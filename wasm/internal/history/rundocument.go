package history

import (
	"encoding/json"
	"time"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// Run is run.json: all that a run was, before its first call.
type Run struct {
	Version      string                `json:"version"`
	RunID        string                `json:"runId"`
	Device       string                `json:"device,omitempty"` // that made it (host.DeviceName)
	Kind         protocol.RunKind      `json:"kind"`
	Goal         string                `json:"goal"`
	Instruction  string                `json:"instruction,omitempty"`
	Action       string                `json:"action,omitempty"`
	Plan         json.RawMessage       `json:"plan,omitempty"`
	Policy       tool.PolicySnapshot   `json:"policy"`
	Registry     string                `json:"toolRegistryVersion"`
	Now          time.Time             `json:"now"`
	Amendments   *overlay.Amendments   `json:"amendments,omitempty"`
	Editor       *host.EditorState     `json:"editor,omitempty"`
	Confirmation *Confirmation         `json:"confirmation,omitempty"`
	Files        []protocol.FileChange `json:"files"`
	Prior        map[int]*tool.Result  `json:"prior,omitempty"`
	Frozen       map[string]tool.Data  `json:"frozen,omitempty"`
	From         int                   `json:"from,omitempty"`
	Calls        int                   `json:"calls"`
	About
	Redacted bool `json:"redacted,omitempty"`

	etag string // of its bytes, as it was read back
}

// About names the run that another one is about.
type About struct {
	Reverts   string `json:"reverts,omitempty"`
	Only      string `json:"only,omitempty"` // the one path of it that is reverted
	Continues string `json:"continues,omitempty"`
}

// Confirmation is the approval as it is kept.
type Confirmation struct {
	ID        string `json:"confirmationId"`
	Approval  string `json:"approval"`
	At        string `json:"at"`
	Automatic bool   `json:"automatic"`
	// LeftOut lists what the review said the plan would leave alone.
	LeftOut []protocol.LeftOut `json:"leftOut,omitempty"`
	// Once has the refusals, by step, that the person lifted for this plan.
	Once policy.Once `json:"once,omitempty"`
}
