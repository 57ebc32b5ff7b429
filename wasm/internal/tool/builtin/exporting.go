package builtin

import (
	"encoding/base64"
	"errors"
	"strings"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/notepage"
	"embedded-agent/wasm/internal/tool"
)

// exporter is the notepage.Source of one call: the vault.
type exporter struct {
	merger
	scope    scope
	texts    map[string][]byte
	pictures int // bytes of those in the page
}

const (
	// maxPicture is the largest picture file that goes into a page, in bytes.
	maxPicture = 1 << 20
	// maxPictures is how much all of them may have.
	maxPictures = 5 << 20
)

// paths gives the notes that go into the file.
func (e *exporter) paths() []string {
	out := make([]string, len(e.scope.infos))
	for i := range out {
		out[i] = e.scope.infos[i].Path
	}
	return out
}

// load reads a note, once.
func (e *exporter) load(path string) ([]byte, error) {
	if text, ok := e.texts[path]; ok {
		return text, nil
	}
	info, err := e.env.Vault.Stat(e.ctx, path)
	if err != nil {
		return nil, err
	}
	text, err := e.merger.take(info)
	if err != nil {
		return nil, err
	}
	if e.texts == nil {
		e.texts = map[string][]byte{}
	}
	e.texts[path] = text
	return text, nil
}

// Resolve implements notepage.Source.
func (e *exporter) Resolve(linkpath, from string) string {
	return note.Resolve(e.names, linkpath, from)
}

// Text implements notepage.Source. A note that a tool would leave out is away.
func (e *exporter) Text(path string) ([]byte, error) {
	text, err := e.load(path)
	if err != nil && tool.Reason(fault.From(err)) != "" {
		return nil, errors.Join(notepage.ErrAway, err)
	}
	return text, err
}

// Part implements notepage.Source.
func (e *exporter) Part(path string, text []byte, sub string) ([]byte, bool) {
	part, err := embedded(path, text, sub)
	return part, err == nil
}

// Picture implements notepage.Source.
func (e *exporter) Picture(path string) (string, notepage.Lack, error) {
	kind := imageType(path)
	if kind == "" {
		return "", notepage.Kind, nil
	}
	info, err := e.env.Vault.Stat(e.ctx, path)
	if err != nil {
		return "", 0, err
	}
	if info.Size > maxPicture || e.pictures+int(info.Size) > maxPictures {
		return "", notepage.Picture, nil
	}
	data, err := e.env.Vault.Read(e.ctx, path)
	if err != nil {
		return "", 0, err
	}
	if len(data) > maxPicture || e.pictures+len(data) > maxPictures {
		return "", notepage.Picture, nil
	}
	e.pictures += len(data)
	e.merger.read = append(e.merger.read, data)
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data), 0, nil
}

// Moved implements notepage.Source.
func (e *exporter) Moved(text []byte, from string) []byte {
	return relocate(e.env, e.names, from, e.to).text(text)
}

// lacks are the errors of what is not in the file; each has its words as the
// reason of what is left out.
var lacks = map[notepage.Lack]*fault.Error{
	notepage.Missing: fault.New(fault.NotFound, "tools.note.missing", nil),
	notepage.Cycle:   fault.New(fault.Precondition, "tools.export.cycle", nil),
	notepage.Picture: fault.New(fault.Precondition, "tools.export.picture", nil),
	notepage.Kind:    fault.New(fault.Precondition, "tools.export.other", nil),
	notepage.Remote:  fault.New(fault.Precondition, "tools.export.remote", nil),
	notepage.HTML:    fault.New(fault.Precondition, "tools.export.html", nil),
	notepage.Long:    fault.New(fault.Precondition, "tools.export.long", nil),
}

// Left implements notepage.Source.
func (e *exporter) Left(path string, why notepage.Lack) {
	e.scope.left = append(e.scope.left, tool.Skip{Path: path, Why: lacks[why]})
}

// Say implements notepage.Source, in the person's language.
func (e *exporter) Say(why notepage.Lack, name string) string {
	key := "bundled.export.left"
	switch why {
	case notepage.Missing:
		key = "bundled.export.missing"
	case notepage.Cycle:
		key = "bundled.export.cycle"
	}
	return strings.ReplaceAll(i18n.Bundled(e.env.Platform.Language)(key), "{name}", name)
}
