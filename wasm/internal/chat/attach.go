package chat

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"path"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
	"embedded-agent/wasm/internal/transaction"
)

// Bounds of what goes along with an instruction: bytes of one attachment and of
// all, names in a folder or of a tag, images, and the bytes of an image file.
const (
	maxAttachment  = 24 << 10
	MaxAttachments = 96 << 10
	MaxAttached    = 32
	maxTagged      = 200
	maxImages      = 8
	maxImageFile   = 30 << 20
)

// texts gathers the text and the names that go along with an instruction.
// What cannot be read, and what is cut, is told by note.
func (at *attachments) texts(ctx context.Context, p protocol.Send, note func(protocol.Message)) ([]planner.Attached, error) {
	var out []planner.Attached
	left := MaxAttachments
	for i, a := range p.Attached {
		if a.Kind == "image" {
			continue
		}
		if i >= MaxAttached {
			note(protocol.Message{Key: "turn.attachedMany", Params: map[string]string{"n": strconv.Itoa(MaxAttached)}})
			break
		}
		found, err := at.attach(ctx, a)
		if err := ctx.Err(); err != nil {
			return nil, fault.From(err)
		}
		if err != nil {
			note(at.leftOut(a, err))
			continue
		}
		text, cut := planner.CutText(found.Text, min(maxAttachment, left))
		left -= len(text)
		if found.Cut = found.Cut || cut; found.Cut {
			note(protocol.Message{Key: "turn.attachedCut", Params: map[string]string{"name": nameOf(a)}})
		}
		found.Text = text
		out = append(out, found)
	}
	return out, nil
}

// leftOut says why something that was attached does not go along.
func (at *attachments) leftOut(a protocol.Attachment, err error) protocol.Message {
	if a.Path != "" && at.deps.Guard.Policy().MaySee(a.Path) != nil {
		return protocol.Message{Key: "turn.attachedHidden", Params: map[string]string{"name": nameOf(a)}}
	}
	return protocol.Message{Key: "turn.attachedGone", Params: map[string]string{"name": nameOf(a), "detail": at.deps.Out.Redact(fault.From(err).Error())}}
}

// nameOf is how a person knows an attachment.
func nameOf(a protocol.Attachment) string {
	switch {
	case a.Kind == "tag":
		return "#" + strings.TrimPrefix(a.Name, "#")
	case a.Kind == "heading":
		return a.Path + "#" + a.Name
	case a.Path == "" && a.Name != "":
		return a.Name
	}
	return a.Path
}

// attach reads one attachment, with the tools that a plan would read it with:
// what the policy hides from them is hidden here.
func (at *attachments) attach(ctx context.Context, a protocol.Attachment) (planner.Attached, error) {
	out := planner.Attached{Kind: string(a.Kind), Path: a.Path, Name: a.Name}
	if a.Path != "" && a.Path != "/" {
		if err := at.deps.Guard.Policy().MaySee(a.Path); err != nil {
			return out, err
		}
	}
	var found struct {
		Content   string                  `json:"content"`
		Files     []struct{ Path string } `json:"files"`
		Notes     []struct{ Path string } `json:"notes"`
		Truncated bool                    `json:"truncated"`
	}
	var err error
	switch a.Kind {
	case "note":
		err = at.look(ctx, builtin.ReadFile, tool.Args{"path": a.Path}, &found)
	case "heading":
		err = at.look(ctx, builtin.ReadFile, tool.Args{"path": a.Path, "heading": a.Name}, &found)
	case "folder":
		err = at.look(ctx, builtin.ListFiles, tool.Args{"folder": a.Path, "limit": maxTagged}, &found)
	case "tag":
		tag := strings.TrimPrefix(a.Name, "#")
		err = at.look(ctx, builtin.Query, tool.Args{"tags": []any{tag}, "limit": maxTagged}, &found)
	default:
		err = fault.New(fault.Validation, "error.attachment.kind", fault.P{"kind": string(a.Kind)})
	}
	out.Text, out.Cut = found.Content, found.Truncated
	var names []string
	for _, f := range append(found.Files, found.Notes...) {
		names = append(names, f.Path)
	}
	if len(names) > 0 {
		out.Text = strings.Join(names, "\n")
	}
	return out, err
}

// look makes one reading call outside of any run.
func (at *attachments) look(ctx context.Context, name string, args tool.Args, to any) error {
	e, err := at.deps.Registry.Get(name, "")
	if err != nil {
		return err
	}
	pol := at.deps.Guard.Policy()
	scene := transaction.Scene{Now: at.deps.Now()}
	data, err := e.Run(ctx, at.deps.Transactions.Env(scene, at.deps.Transactions.Looking(scene.Now, pol).For("look"), pol), args)
	if err != nil {
		return err
	}
	text, err := canon.Encode(data)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

// imageTypes are the image files that go to models, by extension.
var imageTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
	".bmp": "image/bmp", ".avif": "image/avif", ".heic": "image/heic",
}

// sent are those that providers take; others are made into one of them.
var sent = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// images gives the attached images as they go to the model, within limits. What
// is left out is told by note.
func (at *attachments) images(ctx context.Context, m *model, p protocol.Send) ([]llm.Block, error) {
	var out []llm.Block
	for _, a := range p.Attached {
		if a.Kind != "image" {
			continue
		}
		params := map[string]string{"name": nameOf(a), "host": m.host(), "model": m.name, "n": strconv.Itoa(maxImages)}
		if !m.sees() {
			m.Note(protocol.Message{Key: "turn.noImages", Params: params})
			return nil, nil
		}
		if len(out) == maxImages {
			m.Note(protocol.Message{Key: "turn.imagesMany", Params: params})
			break
		}
		b, err := at.image(ctx, a)
		if err := ctx.Err(); err != nil {
			return nil, fault.From(err)
		}
		if err != nil {
			m.Note(at.leftOut(a, err))
			continue
		}
		out = append(out, b)
	}
	return out, nil
}

// image gives one image within the limits.
func (at *attachments) image(ctx context.Context, a protocol.Attachment) (llm.Block, error) {
	b := llm.Image(a.Type, a.Data)
	if a.Data == "" {
		data, err := at.deps.Guard.Visible().Vault.Read(ctx, a.Path)
		if err != nil {
			return b, err
		}
		b = llm.Image(imageTypes[strings.ToLower(path.Ext(a.Path))], base64.StdEncoding.EncodeToString(data))
	}
	if !strings.HasPrefix(b.MIMEType, "image/") || b.Data == "" {
		return b, fault.New(fault.Validation, "error.attachment.image", fault.P{"name": nameOf(a)})
	}
	if len(b.Data) > base64.StdEncoding.EncodedLen(maxImageFile) {
		return b, fault.New(fault.Validation, "error.attachment.large", fault.P{"name": nameOf(a), "mb": strconv.Itoa(maxImageFile >> 20)})
	}
	limits := at.limits()
	if at.deps.Model.Images != nil {
		return at.deps.Model.Images.Fit(ctx, b, limits)
	}
	if !sent[b.MIMEType] || len(b.Data) > base64.StdEncoding.EncodedLen(agent.DefaultImageLimits.MaxBytes) {
		return b, fault.New(fault.Validation, "error.attachment.image", fault.P{"name": nameOf(a)})
	}
	return b, nil
}

// limits are those of the settings.
func (at *attachments) limits() agent.ImageLimits {
	limits := agent.DefaultImageLimits
	if n := at.deps.Guard.Settings().ImageMaxPixels; n > 0 {
		limits.MaxWidth, limits.MaxHeight = n, n
	}
	return limits
}

// withoutData are attachments as a turn keeps them: without the bytes of images.
func withoutData(as []protocol.Attachment) []protocol.Attachment {
	out := make([]protocol.Attachment, len(as))
	for i, a := range as {
		a.Data = ""
		out[i] = a
	}
	return out
}
