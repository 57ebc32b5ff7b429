package tool

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Deed says which words tell a person what a call did: "Renamed Soil → Earth". The
// words are the messages "deed.KEY", of a call that went well, and "deed.KEY.doing",
// of one that goes on or did not go well, or whose output does not say enough.
//
// The other fields name properties from which the words' parameters come: of the
// output, or where it has none, of the arguments. "a|b|c" is a of the output, or b or
// c of the arguments.
type Deed struct {
	Key   string
	Name  string // {name}: the note that a path leads to, by its name
	To    string // {to}: the same
	Text  string // {text}: as it is; of an address, its host
	Count string // {n}: a number, or the length of a list; of a list of one note, {name} is that note
	// Did is the property of the output that is false, or 0, where a call that went
	// well had nothing to do.
	Did string
	// Moved are the words where Name and To are one name in two folders; {to} is then
	// the folder.
	Moved string
	// Writing are the words of a call that writes, of a tool with Facts.WritesWith.
	Writing *Deed
}

// longest bounds a {text}, in runes.
const longest = 60

// Told gives the message of a call: out is nil unless it went well. The key is "" of
// a tool that has no words.
func (t *Tool) Told(args Args, out Data) (key string, params map[string]string) {
	d := &t.Deed
	if with := t.Facts.WritesWith; d.Writing != nil && with != "" && args.Bool(with) {
		d = d.Writing
	}
	if d.Key == "" {
		return "", nil
	}
	of := func(property string) any { return valueOf(property, args, out) }
	if out != nil && d.Did != "" && nothing(out[d.Did]) {
		return "deed.nothing", nil
	}
	params, key = map[string]string{}, "deed."+d.Key
	if d.Name != "" {
		params["name"] = nameOf(pathIn(of(d.Name)))
	}
	if to := pathIn(of(d.To)); d.To != "" {
		params["to"] = nameOf(to)
		if d.Moved != "" && params["name"] == params["to"] {
			key, params["to"] = "deed."+d.Moved, to[:strings.LastIndexByte(to, '/')+1]
		}
		if params["to"] == "" {
			params["to"] = "/"
		}
	}
	if d.Text != "" {
		params["text"] = textOf(d.Text, of(d.Text))
	}
	n, first, counted := count(out[d.Count])
	if out == nil || d.Count != "" && !counted || d.Name != "" && params["name"] == "" {
		return key + ".doing", params
	}
	if counted {
		params["n"] = strconv.Itoa(n)
	}
	if name := nameOf(first); name != "" && d.Name == "" {
		params["name"] = name
	}
	return key, params
}

// valueOf gives a property of the output, or of the arguments.
func valueOf(property string, args Args, out Data) any {
	given, asked, two := strings.Cut(property, "|")
	if !two {
		asked = given
	}
	if v, ok := out[given]; ok {
		return v
	}
	for name := range strings.SplitSeq(asked, "|") {
		if v, ok := args[name]; ok {
			return v
		}
	}
	return nil
}

func nothing(v any) bool {
	n, _, counted := count(v)
	return v == false || counted && n == 0
}

// count gives a number, or how long a list is and the path of its first.
func count(v any) (n int, first string, ok bool) {
	switch v := v.(type) {
	case int:
		return v, "", true
	case int64:
		return int(v), "", true
	case float64:
		return int(v), "", true
	case json.Number:
		n, err := v.Int64()
		return int(n), "", err == nil
	case []string:
		if len(v) == 1 {
			first = v[0]
		}
		return len(v), first, true
	case []any:
		if len(v) == 1 {
			first = pathIn(v[0])
		}
		return len(v), first, true
	case []map[string]any:
		if len(v) == 1 {
			first = pathIn(v[0])
		}
		return len(v), first, true
	}
	return 0, "", false
}

// pathIn gives a path: as it is, or as the property of an entry of a list.
func pathIn(v any) string {
	if entry, ok := v.(map[string]any); ok {
		v = entry["path"]
	}
	path, _ := v.(string)
	return path
}

// nameOf gives the name that a person knows a file by. That of a note has no ending.
func nameOf(path string) string {
	path = strings.TrimSuffix(path, "/")
	return strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".md")
}

// textOf gives a text in one short line.
func textOf(property string, v any) string {
	text, _ := v.(string)
	if property == "url" {
		if _, rest, ok := strings.Cut(text, "://"); ok {
			text, _, _ = strings.Cut(rest, "/")
		}
	}
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) > longest {
		text = string([]rune(text)[:longest]) + "…"
	}
	return text
}
