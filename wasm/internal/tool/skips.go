package tool

import (
	"sync"

	"embedded-agent/i18n"
)

// Skip is something that a call, or a loop, was to work on and left alone.
type Skip struct {
	Path string
	Why  *Error
}

// reasons are the words for why a note is left alone, by the error that says the
// same of a call about that note only. An error that is not here is not about one
// note, or needs its own words.
var reasons = map[string]string{
	"tools.front.invalid":    "skip.front",
	"tools.front.refused":    "skip.frontKept",
	"tools.front.loose":      "skip.frontKept",
	"tools.note.binary":      "skip.notText",
	"tools.note.tooLarge":    "skip.tooLarge",
	"tools.note.notMarkdown": "skip.notMarkdown",
	"tools.note.missing":     "skip.missing",
	"error.vault.notFound":   "skip.missing",
	"error.vault.isFolder":   "skip.folder",
	"error.path.denied":      "skip.kept",
	"error.path.unseen":      "skip.kept",
	"error.path.hidden":      "skip.kept",
	"error.path.outside":     "skip.kept",
	"error.path.absolute":    "skip.kept",
	"review.dropped":         "skip.dropped",
	"agent.limit.tokens":     "skip.budget",
	"agent.limit.cost":       "skip.budget",
	"tools.export.cycle":     "skip.cycle",
	"tools.export.picture":   "skip.picture",
	"tools.export.other":     "skip.other",
	"tools.export.remote":    "skip.remote",
	"tools.export.html":      "skip.html",
	"tools.export.long":      "skip.long",
	"tools.compare.not":      "skip.compare",
	"tools.list.number":      "skip.number",
}

// Reason gives the key of the words for why a note is left alone; "" where the
// error is not one that leaves out a note.
func Reason(e *Error) string { return reasons[e.Key] }

// Data gives the skip as tools and loops tell it.
func (s *Skip) Data() map[string]any {
	reason := s.Why.Error()
	if key := Reason(s.Why); key != "" {
		reason = i18n.English(key, nil)
	}
	return map[string]any{"path": s.Path, "reason": reason}
}

// keys finds the key of a reason by its English words, which outputs hold.
var keys = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, key := range reasons {
		out[i18n.English(key, nil)] = key
	}
	return out
})

// Told is a skip as an output tells it. Key is that of the reason's words; "" for
// a reason that is not one of the catalogue.
type Told struct{ Path, Key, Reason string }

// SkippedIn gives what an output says that its call left out, and how many it was
// to work on; nothing for a tool that leaves nothing out.
func SkippedIn(d Data) (skipped []Told, looked int) {
	list, ok := d["skipped"].([]any)
	if !ok {
		return nil, 0
	}
	for _, e := range list {
		m, ok := e.(map[string]any)
		if !ok {
			continue
		}
		t := Told{}
		t.Path, _ = m["path"].(string)
		t.Reason, _ = m["reason"].(string)
		t.Key = keys()[t.Reason]
		skipped = append(skipped, t)
	}
	return skipped, Args(d).Int("looked")
}
