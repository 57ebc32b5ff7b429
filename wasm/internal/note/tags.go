package note

import (
	"bytes"
	"slices"
	"strings"
)

// AllTags lists the note's tags without "#", those of the front matter first,
// each once (case is ignored), as written. values is what d.Values gave; nil
// for a front matter that cannot be read.
func (d *Doc) AllTags(values map[string]any) []string {
	var out []string
	seen := map[string]bool{}
	add := func(t string) {
		t = strings.TrimPrefix(strings.TrimSpace(t), "#")
		if key := strings.ToLower(t); t != "" && !seen[key] {
			seen[key] = true
			out = append(out, t)
		}
	}
	for _, t := range FrontTags(values) {
		add(t)
	}
	for _, t := range d.Tags {
		add(t.Name)
	}
	return out
}

// FrontTags lists the tags of the front matter as written: the properties
// "tags" and "tag", each a list or a text with commas or spaces between.
func FrontTags(values map[string]any) []string {
	var out []string
	for _, key := range tagKeys(values) {
		switch v := values[key].(type) {
		case string:
			out = append(out, strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })...)
		case []any:
			for _, e := range v {
				if s, ok := e.(string); ok {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// tagKeys gives the properties that hold tags.
func tagKeys(values map[string]any) []string {
	var out []string
	for k := range values {
		if low := strings.ToLower(k); low == "tags" || low == "tag" {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// HasTag says whether tag is want or nested below it ("a/b" is below "a").
func HasTag(tag, want string) bool {
	tag, want = strings.ToLower(strings.TrimPrefix(tag, "#")), strings.ToLower(strings.TrimPrefix(want, "#"))
	return tag == want || strings.HasPrefix(tag, want+"/")
}

// RenameTag gives the tag under its new name: "a/b" with "a" renamed to "c" is
// "c/b". Another tag stays as it is.
func RenameTag(tag, from, to string) string {
	if !HasTag(tag, from) {
		return tag
	}
	parts := strings.Split(tag, "/")
	return strings.Join(append([]string{to}, parts[strings.Count(from, "/")+1:]...), "/")
}

// AddTags gives the note with tags in its front matter; those that it has
// already, there or in the text, are not added again.
func AddTags(data []byte, tags []string) ([]byte, error) {
	d := Parse(data)
	values, err := d.Loose()
	if err != nil {
		return nil, errFront(err)
	}
	have := d.AllTags(values)
	key := "tags"
	if keys := tagKeys(values); len(keys) > 0 {
		key = keys[0]
	}
	list := frontList(values[key])
	changed := false
	for _, t := range tags {
		t = strings.TrimPrefix(strings.TrimSpace(t), "#")
		if t == "" || slices.ContainsFunc(have, func(h string) bool { return strings.EqualFold(h, t) }) {
			continue
		}
		have, list, changed = append(have, t), append(list, t), true
	}
	if !changed {
		return data, nil
	}
	return SetProperty(data, key, list)
}

// frontList gives a tag property as a list.
func frontList(v any) []any {
	switch v := v.(type) {
	case []any:
		return slices.Clone(v)
	case string:
		return anyList(FrontTags(map[string]any{"tags": v}))
	}
	return nil
}

// MapTags gives the note with each tag, in the front matter and in the text,
// replaced by what change gives: another tag, or "" to take it out. What is
// twice in the front matter afterwards stays once, where something changed. The
// number of changes is given too.
func MapTags(data []byte, change func(tag string) string) ([]byte, int, error) {
	d := Parse(data)
	n := 0
	var edits Edits
	for _, t := range d.Tags {
		to := change(t.Name)
		if to == t.Name {
			continue
		}
		n++
		if to != "" {
			edits.Replace(t.Span, "#"+to)
			continue
		}
		s := t.Span
		if s.Start > 0 && (data[s.Start-1] == ' ' || data[s.Start-1] == '\t') && (s.End == len(data) || isSpace(data[s.End])) {
			s.Start-- // the space before goes along
		} else if s.End < len(data) && data[s.End] == ' ' {
			s.End++
		}
		edits.Replace(s, "")
	}
	values, err := d.Loose()
	if err != nil {
		if n == 0 {
			return data, 0, nil // nothing asks for this front matter
		}
		return nil, 0, errFront(err)
	}
	out := edits.Apply(data)
	for _, key := range tagKeys(values) {
		var value any
		var changed int
		if text, ok := values[key].(string); ok {
			value, changed = mapText(text, change)
		} else {
			value, changed = mapList(frontList(values[key]), change)
		}
		if changed == 0 {
			continue
		}
		n += changed
		if out, err = SetProperty(out, key, value); err != nil {
			return nil, 0, err
		}
	}
	return out, n, nil
}

// mapText changes the tags in a text with commas or spaces between them, and
// leaves what is between them; where all go, there is no value.
func mapText(text string, change func(string) string) (any, int) {
	tags := FrontTags(map[string]any{"tags": text})
	list, n := mapList(anyList(tags), change)
	if n == 0 {
		return text, 0
	}
	if len(list) == 0 {
		return nil, n
	}
	if len(list) < len(tags) { // one went: what was between is no longer known
		separator := " "
		if strings.Contains(text, ",") {
			separator = ", "
		}
		left := make([]string, len(list))
		for i, t := range list {
			left[i], _ = t.(string)
		}
		return strings.Join(left, separator), n
	}
	var b strings.Builder
	for i, tag := range tags {
		at := strings.Index(text, tag)
		to, _ := list[i].(string)
		b.WriteString(text[:at] + to)
		text = text[at+len(tag):]
	}
	return b.String() + text, n
}

func mapList(list []any, change func(string) string) ([]any, int) {
	out := []any{}
	seen := map[string]bool{}
	n := 0
	for _, e := range list {
		s, ok := e.(string)
		if !ok {
			out = append(out, e)
			continue
		}
		bare := strings.TrimPrefix(s, "#")
		to := change(bare)
		if to != bare {
			n++
			s = to
		}
		key := strings.ToLower(strings.TrimPrefix(s, "#"))
		if s == "" || seen[key] {
			continue
		}
		seen[key] = true
		out = append(out, s)
	}
	return out, n
}

// DedupeTags gives the note with each tag of the front matter once.
func DedupeTags(data []byte) ([]byte, int, error) {
	values, err := ParseFront(data).Loose()
	if err != nil {
		return nil, 0, errFront(err)
	}
	out, n := data, 0
	for _, key := range tagKeys(values) {
		old, ok := values[key].([]any)
		if !ok {
			continue
		}
		list, _ := mapList(old, func(t string) string { return t })
		if len(list) == len(old) {
			continue
		}
		n += len(old) - len(list)
		if out, err = SetProperty(out, key, list); err != nil {
			return nil, 0, err
		}
	}
	return out, n, nil
}

// maxTag is how long a tag may be that is written, in bytes: it may come into
// very many places.
const maxTag = 1_000

// ValidTag says whether a text can be a tag.
func ValidTag(t string) bool {
	if len(t) > maxTag {
		return false
	}
	d := Parse([]byte("#" + t))
	return len(d.Tags) == 1 && d.Tags[0].Name == t && !bytes.HasPrefix([]byte(t), []byte("/"))
}
