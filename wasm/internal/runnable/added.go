package runnable

import "strings"

// Added gives what a text has that the one before had not: new places, and those
// whose own text changed. A file that goes to another kind of name, as from .txt
// to .md, has all of it anew.
func Added(from string, before []byte, path string, after []byte) []Found {
	if from == "" {
		from = path
	}
	now := Find(path, after)
	if len(now) == 0 || before == nil {
		return now
	}
	type key struct {
		kind                  Kind
		what, around, content string
	}
	had := map[key]int{}
	if extension(from) == extension(path) {
		for _, f := range Find(from, before) {
			had[key{f.Kind, f.What, f.around, f.content}]++
		}
	}
	var out []Found
	for _, f := range now {
		k := key{f.Kind, f.What, f.around, f.content}
		if had[k] > 0 {
			had[k]--
			continue
		}
		out = append(out, f)
	}
	return out
}

func extension(path string) string {
	// Windows takes dots and spaces from the end of a name.
	name := strings.TrimRight(path[strings.LastIndexByte(path, '/')+1:], " .")
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		return strings.ToLower(name[dot+1:])
	}
	return ""
}
