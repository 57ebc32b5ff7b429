package builtin

import (
	"regexp"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/regex"
)

// groupRef is a reference to a group in a replacement: $1, ${1}, ${name}, $<name>,
// $& for the whole match, and $$ for a dollar sign.
var groupRef = regex.Lazy(`\$(?:\$|&|\d{1,2}|\{(\w+)\}|<(\w+)>)`)

// groupTemplate gives a replacement as package regexp reads it. There "$1st" is
// a group named "1st", and a group that is not there is empty: text would be lost
// without a word. Here digits end a number, as in most editors; a group that the
// expression has not is VALIDATION_ERROR; any other dollar sign is one.
func groupTemplate(replace string, re *regexp.Regexp) (string, error) {
	var b strings.Builder
	at := 0
	for _, m := range groupRef().FindAllStringSubmatchIndex(replace, -1) {
		b.WriteString(strings.ReplaceAll(replace[at:m[0]], "$", "$$"))
		at = m[1]
		ref := replace[m[0]:m[1]]
		name, rest := ref[1:], ""
		switch {
		case name == "$":
			b.WriteString("$$")
			continue
		case name == "&":
			name = "0"
		case m[2] >= 0:
			name = replace[m[2]:m[3]]
		case m[4] >= 0:
			name = replace[m[4]:m[5]]
		case len(name) == 2 && !hasGroup(re, name): // $10 of one group: $1 and a nought
			name, rest = name[:1], name[1:]
		}
		if !hasGroup(re, name) {
			return "", fault.New(fault.Validation, "tools.replace.group", fault.P{"group": name})
		}
		b.WriteString("${" + name + "}" + rest)
	}
	b.WriteString(strings.ReplaceAll(replace[at:], "$", "$$"))
	return b.String(), nil
}

// hasGroup says whether an expression has a group of that number or name.
func hasGroup(re *regexp.Regexp, name string) bool {
	if n, err := strconv.Atoi(name); err == nil {
		return n <= re.NumSubexp()
	}
	return re.SubexpIndex(name) >= 0
}
