package history

import (
	"context"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/regex"
	"embedded-agent/wasm/internal/tool"
)

// attachmentName matches the names that a file beside a run may have: nothing that leads
// out of its folder.
var attachmentName = regex.Lazy(`^[A-Za-z0-9_-][A-Za-z0-9._-]*$`)

// attachment reads an output that was kept beside a run, or beside a turn that
// led to none.
func (h *History) attachment(ctx context.Context, run, file string) ([]byte, error) {
	missing := fault.New(fault.NotFound, "error.attachment.missing", nil)
	if ids.CheckRun(run) != nil || !attachmentName().MatchString(file) {
		return nil, missing
	}
	for _, dir := range []string{Dir(run), TurnDir(run)} {
		data, err := h.deps.Store.Read(ctx, dir+"/"+AttachFolder+"/"+file)
		if err == nil || !fault.Is(err, fault.NotFound) {
			return data, err
		}
	}
	return nil, missing
}

// AttachmentGet shows one, as it was kept: redacted.
func (h *History) AttachmentGet(ctx context.Context, p protocol.AttachmentRef) (protocol.AttachmentText, error) {
	data, err := h.attachment(ctx, p.Run, p.File)
	return protocol.AttachmentText{Run: p.Run, File: p.File, Text: string(data)}, err
}

// KeptOf gives a model what its own run or turn has kept.
func (h *History) KeptOf(run string) func(context.Context, string) ([]byte, error) {
	return func(ctx context.Context, name string) ([]byte, error) { return h.attachment(ctx, run, name) }
}

// attachedTo lists what was kept of a call's output.
func attachedTo(list []tool.Attachment) []protocol.AttachedOutput {
	var out []protocol.AttachedOutput
	for _, a := range list {
		if _, file, ok := strings.Cut(a.URL, "&file="); ok {
			out = append(out, protocol.AttachedOutput{File: file, Bytes: a.Bytes})
		}
	}
	return out
}
