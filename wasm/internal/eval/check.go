//go:build !js

package eval

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/note"
)

// check is one line of a task's accept: what it looks at, and what must be found there.
//
//	exists PATH               the file is there
//	gone PATH                 it is not
//	contains PATH: TEXT       its text contains TEXT, in any case and with any spaces
//	lacks PATH: TEXT          it does not
//	property PATH: NAME=TEXT  the property has this value, or a list with it
//	unchanged PATH            every byte is as it was
//	new FOLDER: N             N files were made in the folder, with any names
//	any PATH                  the file may be anything
//
// PATH and FOLDER may have * for any part of a name. A file that no line names must be
// as it was, and no other file may be new.
type check struct {
	kind, path, text string
}

// kinds are the words that a check may begin with, and whether a text follows.
var kinds = map[string]bool{
	"exists": false, "gone": false, "contains": true, "lacks": true, "property": true, "unchanged": false, "new": true, "any": false,
}

func readCheck(line string) (check, error) {
	kind, rest, _ := strings.Cut(line, " ")
	texts, known := kinds[kind]
	c := check{kind: kind, path: rest}
	if texts {
		var found bool
		c.path, c.text, found = strings.Cut(rest, ": ")
		known = known && found
	}
	if !known || c.path == "" {
		return check{}, fmt.Errorf("%q is no check", line)
	}
	return c, nil
}

func (c check) String() string {
	if c.text == "" {
		return c.kind + " " + c.path
	}
	return c.kind + " " + c.path + ": " + c.text
}

// vaults have the vault's text by path, before and after: a task is graded by them.
type vaults struct{ before, after map[string]string }

// texts gives the files of a vault, without its folders.
func texts(s hosttest.Snapshot) map[string]string {
	out := map[string]string{}
	for path, data := range s {
		if !strings.HasSuffix(path, "/") {
			out[path] = string(data)
		}
	}
	return out
}

// wrong says what is wrong with the vault, a line each.
func (v vaults) wrong(t *Task) []string {
	if t.Accept == nil {
		return differences(t.wanted(), v.after)
	}
	var out []string
	for _, c := range t.Accept {
		if !v.holds(c) {
			out = append(out, "not so: "+c.String())
		}
	}
	for _, p := range slices.Sorted(maps.Keys(v.before)) {
		if text, there := v.after[p]; !named(t.Accept, p) && (!there || text != v.before[p]) {
			out = append(out, "it was to stay as it was: "+p)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(v.after)) {
		if !has(v.before, p) && !named(t.Accept, p) {
			out = append(out, "nobody asked for it: "+p)
		}
	}
	return out
}

// named says whether a check is about a file.
func named(all []check, p string) bool {
	return slices.ContainsFunc(all, func(c check) bool {
		if c.kind == "new" {
			return like(c.path, path.Dir(p))
		}
		return like(c.path, p)
	})
}

// like says whether a path fits a pattern of path.Match.
func like(pattern, p string) bool {
	ok, err := path.Match(pattern, p)
	return err == nil && ok
}

// holds says whether a check holds: for one file at least that its path fits, and for
// gone, lacks and unchanged for each.
func (v vaults) holds(c check) bool {
	if c.kind == "new" {
		n := 0
		for p := range v.after {
			if !has(v.before, p) && like(c.path, path.Dir(p)) {
				n++
			}
		}
		return fmt.Sprint(n) == c.text
	}
	found, right := 0, 0
	for p, text := range v.after {
		if like(c.path, p) {
			found++
			if c.fits(text, v.before[p]) {
				right++
			}
		}
	}
	switch c.kind {
	case "gone":
		return found == 0
	case "any":
		return true
	case "lacks":
		return right == found
	case "unchanged":
		return right == found && found > 0
	}
	return right > 0
}

// fits says whether a file's text is as a check has it.
func (c check) fits(text, before string) bool {
	switch c.kind {
	case "contains":
		return strings.Contains(folded(text), folded(c.text))
	case "lacks":
		return !strings.Contains(folded(text), folded(c.text))
	case "unchanged":
		return text == before
	case "property":
		name, value, _ := strings.Cut(c.text, "=")
		return propertyIs(text, name, value)
	}
	return true
}

// folded gives a text in small letters, with one space between words.
func folded(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }

// propertyIs says whether a property of a note has a value, or is a list with it.
func propertyIs(text, name, value string) bool {
	front, err := note.ParseFront([]byte(text)).Values()
	if err != nil {
		return false
	}
	list, isList := front[name].([]any)
	if !isList {
		list = []any{front[name]}
	}
	return has(front, name) && slices.ContainsFunc(list, func(v any) bool { return folded(fmt.Sprint(v)) == folded(value) })
}

// differences lists where a vault is not as it was wanted.
func differences(want, got map[string]string) []string {
	var out []string
	for _, p := range slices.Sorted(maps.Keys(want)) {
		switch text, there := got[p]; {
		case !there:
			out = append(out, "it is not there: "+p)
		case text != want[p]:
			out = append(out, fmt.Sprintf("%s is\n%s\nnot\n%s", p, short(text), short(want[p])))
		}
	}
	for _, p := range slices.Sorted(maps.Keys(got)) {
		if !has(want, p) {
			out = append(out, "nobody asked for it: "+p)
		}
	}
	return out
}

// maxShown bounds how much of a file is printed, in bytes.
const maxShown = 400

func short(s string) string {
	if len(s) > maxShown {
		return strings.ToValidUTF8(s[:maxShown], "") + "…"
	}
	return s
}

// unsaid lists the lines that an answer lacks, and those that it must not have.
func (t *Task) unsaid(answer string) []string {
	var out []string
	for _, line := range t.Answer {
		if !strings.Contains(folded(answer), folded(line)) {
			out = append(out, "the answer does not say: "+line)
		}
	}
	for _, line := range t.Not {
		if strings.Contains(folded(answer), folded(line)) {
			out = append(out, "the answer says: "+line)
		}
	}
	return out
}
