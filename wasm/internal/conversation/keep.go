package conversation

import (
	"encoding/json"
	"strings"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/finding"
	"embedded-agent/wasm/internal/llm"
)

// maxTurn bounds a turn's record, in bytes; longText is where a text of a
// message is cut when it is larger. Of what a plan found the first rows are kept, of
// at most maxFindings bytes: the plan, which is kept too, finds the others again.
const (
	maxTurn     = 512 << 10
	longText    = 8 << 10
	maxFindings = 192 << 10
)

// kept gives a turn as it may be written: redacted, without the bytes of images,
// and not too long.
func (l *Library) kept(t *Turn) (*Turn, error) {
	out, err := clone(t)
	if err != nil {
		return nil, err
	}
	for i, m := range out.Messages {
		out.Messages[i].Content = l.blocks(m.Content)
	}
	for i := range out.Shown.Attached {
		out.Shown.Attached[i].Data = ""
	}
	out.Shown.Findings = finding.Within(out.Shown.Findings, maxFindings)
	for i := range out.Staged {
		out.Staged[i].Output, out.Staged[i].Attachments = map[string]any{}, nil
	}
	staged, err := json.Marshal(out.Staged)
	if err != nil {
		return nil, err
	}
	if err := l.clean(&out); err != nil {
		return nil, err
	}
	// What is staged is kept word for word or not at all.
	if after, err := json.Marshal(out.Staged); err != nil || string(after) != string(staged) || len(staged) > maxTurn {
		out.Staged, out.Lost = nil, true
	}
	return shorten(out), nil
}

// blocks gives the blocks of a message that are kept. Reasoning goes back to a
// provider word for word or not at all.
func (l *Library) blocks(blocks []llm.Block) []llm.Block {
	var out []llm.Block
	for _, b := range blocks {
		switch b.Type {
		case llm.BlockImage:
			b = llm.Text(i18n.English("conversation.image", nil))
		case llm.BlockThinking, llm.BlockOpaque:
			if text := b.Thinking + b.Signature + string(b.Raw); l.redact(text) != text {
				continue
			}
		}
		out = append(out, b)
	}
	return out
}

// clean redacts every text in a turn.
func (l *Library) clean(t **Turn) error {
	b, err := llm.Marshal(*t)
	if err != nil {
		return err
	}
	var tree any
	if err := json.Unmarshal(b, &tree); err != nil {
		return err
	}
	if b, err = llm.Marshal(redactTree(tree, l.redact)); err != nil {
		return err
	}
	*t = &Turn{}
	return json.Unmarshal(b, *t)
}

func redactTree(v any, redact func(string) string) any {
	switch v := v.(type) {
	case string:
		return redact(v)
	case map[string]any:
		for k, e := range v {
			v[k] = redactTree(e, redact)
		}
	case []any:
		for i := range v {
			v[i] = redactTree(v[i], redact)
		}
	}
	return v
}

// shorten cuts long texts of a turn that is too large; where that is not enough
// what was said is kept, and what the tools gave is not.
func shorten(t *Turn) *Turn {
	if size(t) <= maxTurn {
		return t
	}
	for _, m := range t.Messages {
		for i, b := range m.Content {
			if b.Type == llm.BlockText && len(b.Text) > longText {
				m.Content[i].Text = cut(b.Text, longText)
			}
		}
	}
	if size(t) <= maxTurn {
		return t
	}
	t.Messages = []llm.Message{llm.UserMessage(cut(t.Shown.Text, longText))}
	if t.Shown.Reply != "" {
		t.Messages = append(t.Messages, llm.AssistantMessage(llm.Text(cut(t.Shown.Reply, longText))))
	}
	if size(t) > maxTurn {
		t.Shown.Text, t.Shown.Reply, t.Shown.Reasoning = cut(t.Shown.Text, 4*longText), cut(t.Shown.Reply, 4*longText), ""
		t.Shown.Steered, t.Shown.Queued, t.Waiting = nil, nil, nil
	}
	return t
}

func size(t *Turn) int {
	b, err := llm.Marshal(t)
	if err != nil {
		return 0
	}
	return len(b)
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + " …"
}
