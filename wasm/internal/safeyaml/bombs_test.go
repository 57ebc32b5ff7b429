package safeyaml_test

import (
	"fmt"
	"strings"
)

// bomb makes a text of about n bytes that is there to cost more than its length.
type bomb func(n int) string

// repeated is a text between a head and a tail.
func repeated(head, unit, tail string) bomb {
	return func(n int) string {
		return head + strings.Repeat(unit, max(1, (n-len(head)-len(tail))/len(unit))) + tail
	}
}

// numbered repeats a line with its number for %[1]d.
func numbered(head, line, tail string) bomb {
	return func(n int) string {
		var b strings.Builder
		b.WriteString(head)
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, line, i)
		}
		return b.String() + tail
	}
}

// laughs is a list of lists of lists by aliases: so many levels, so many uses of
// the level below in each. It does not grow with n.
func laughs(levels, uses int, open, item, shut string) bomb {
	return func(int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "a0: &a0 %s%s%s\n", open, strings.Repeat("lol, ", uses), shut)
		for i := 1; i < levels; i++ {
			fmt.Fprintf(&b, "a%d: &a%d %s", i, i, open)
			for j := range uses {
				fmt.Fprintf(&b, item, i-1, j)
			}
			b.WriteString(shut + "\n")
		}
		fmt.Fprintf(&b, "tags: *a%d\n", levels-1)
		return b.String()
	}
}

// stairs is a mapping in a mapping, each line one further to the right.
func stairs(line string) bomb {
	return func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString(strings.Repeat(" ", i) + line + "\n")
		}
		return b.String()
	}
}

// merges is a chain of mappings, each merging the one before twice.
func merges(levels int) bomb {
	return func(int) string {
		var b strings.Builder
		b.WriteString("m0: &m0 {x: 1, y: 2}\n")
		for i := 1; i < levels; i++ {
			fmt.Fprintf(&b, "m%d: &m%d {<<: [*m%d, *m%d], k%d: *m%d}\n", i, i, i-1, i-1, i, i-1)
		}
		return b.String()
	}
}

// bombs are texts that YAML libraries are known to suffer from, and relatives of
// each that cost this one more than their length.
var bombs = map[string]bomb{
	"aliases of aliases":             laughs(10, 9, "[", "*a%[1]d, ", "]"),
	"aliases of aliases, 40 levels":  laughs(40, 2, "[", "*a%[1]d, ", "]"),
	"aliases of aliases in mappings": laughs(10, 9, "{", "k%[2]d: *a%[1]d, ", "}"),
	"aliases as keys":                laughs(10, 9, "{", "? *a%[1]d : %[2]d, ", "}"),
	"a long text named often": func(n int) string {
		return "a: &a " + strings.Repeat("x", n/2) + "\nb: [" + strings.Repeat("*a,", n/6) + "]"
	},
	"a chain of merges":               merges(60),
	"a list within itself":            func(int) string { return "a: &a [*a]" },
	"a mapping within itself":         func(int) string { return "a: &a {b: *a}" },
	"two lists within each other":     func(int) string { return "a: &a [*b]\nb: &b [*a]" },
	"a merge of itself":               func(int) string { return "a: &a\n  <<: *a\n" },
	"an anchor used before it is set": func(int) string { return "a: *x\nb: &x [*x, *x]" },
	"the same anchor again and again": repeated("", "- &a [*a, *a]\n", ""),
	"open brackets":                   repeated("a: ", "[", ""),
	"brackets":                        func(n int) string { return "a: " + strings.Repeat("[", n/2) + strings.Repeat("]", n/2) },
	"open braces":                     repeated("a: ", "{", ""),
	"mappings in one line":            repeated("a: ", "{a: ", ""),
	"braces and brackets":             repeated("a: ", "[{a: ", ""),
	"brackets line by line":           repeated("a: ", "[\n ", ""),
	"quoted keys in brackets":         repeated("a: ", `["a": `, ""),
	"dashes":                          repeated("", "- ", ""),
	"dashes below a key":              repeated("a:\n ", "- ", ""),
	"dashes with keys":                repeated("", "- a: ", ""),
	"question marks":                  repeated("", "? ", ""),
	"questions and dashes":            repeated("", "? - ", ""),
	"keys in keys in one line":        repeated("", "a: ", ""),
	"question marks in brackets":      repeated("a: [", "? ", "]"),
	"stairs of keys":                  stairs("a:"),
	"stairs of dashes":                stairs("-"),
	"stairs of questions":             stairs("?"),
	"commas":                          repeated("a: [", ",", "]"),
	"commas in braces":                repeated("a: {", ",", "}"),
	"anchors without a value":         repeated("a: ", "&a ", ""),
	"anchors line by line":            repeated("a:\n", " &a\n", " 1"),
	"ampersands":                      repeated("a: ", "&", ""),
	"asterisks":                       repeated("a: ", "*", ""),
	"tags without a value":            repeated("a: ", "!t ", ""),
	"tags line by line":               repeated("a:\n", " !t\n", " 1"),
	"exclamation marks":               repeated("a: ", "!", ""),
	"a long tag":                      repeated("a: !", "t", " 1"),
	"anchored entries":                numbered("", "k%[1]d: &a v\n", ""),
	"anchored items":                  repeated("a:\n", "  - &x 1\n", ""),
	"aliases":                         repeated("a: &x 1\nb:\n", "  - *x\n", ""),
	"merges":                          repeated("a: &a {x: 1}\nb:\n", "  <<: *a\n", ""),
	"merges in a list":                repeated("a: &a {x: 1}\nb:\n  <<: [", "*a,", "]"),
	"many keys":                       numbered("", "k%[1]d: [v]\n", ""),
	"many keys in braces":             numbered("a: {", "k%[1]d: 1, ", "}"),
	"one key again and again":         repeated("", "a: &x 1\n", ""),
	"question keys":                   repeated("", "? a\n: b\n", ""),
	"many items in brackets":          repeated("a: [", "'a',", "'b']"),
	"items of tags":                   repeated("a:\n", "  - !t x\n", ""),
	"a long key":                      repeated("", "k", ": [v]"),
	"a long key of brackets":          repeated("a: {", "[]", ": 1}"),
	"a long text":                     repeated("a: &x ", "x", ""),
	"a long quoted text":              repeated("a: &x \"", `\x41`, "\""),
	"a quoted text that never ends":   repeated("a: &x \"", "x\n", ""),
	"apostrophes":                     repeated("a: &x '", "''", "'"),
	"a literal block":                 repeated("a: &x |\n", "  x\n", ""),
	"a folded block":                  repeated("a: &x >\n", "  x\n\n", ""),
	"block marks":                     repeated("a: ", "|\n", ""),
	"block marks with numbers":        repeated("a: &x |9", "9", "\n x"),
	"comments":                        repeated("a: &x 1\n", "# c\n", ""),
	"comments behind items":           repeated("a:\n", "  - [1] # c\n", ""),
	"comments in brackets":            repeated("a: [", "\n # c\n", "]"),
	"documents":                       repeated("a: &x 1\n", "---\n", ""),
	"documents with values":           repeated("", "--- [1]\n", ""),
	"document ends":                   repeated("a: &x 1\n", "...\n", ""),
	"directives":                      repeated("", "%YAML 1.2\n", "---\na: &x 1"),
	"colons":                          repeated("a: &x ", ":", ""),
	"colons in braces":                repeated("a: {", "a:", "}"),
	"blanks":                          repeated("a: &x", " ", "1"),
	"tabs":                            repeated("a: &x ", "\t", ""),
	"empty lines":                     repeated("a: &x 1\n", "\n", ""),
	"carriage returns":                repeated("a: &x 1\r", "\r", ""),
	"digits":                          repeated("a: &x ", "9", ""),
	"underscores in a number":         repeated("a: &x 1", "_", ""),
	"hexadecimal digits":              repeated("a: &x 0x", "f", ""),
	"an exponent":                     repeated("a: &x 1e", "9", ""),
	"base64":                          repeated("a: !!binary ", "QUFB", ""),
	"lines of one text":               repeated("a: [x]\nb: x\n", "  y\n", ""),
	"Chinese":                         repeated("a: &x ", "漢", ""),
	"zero bytes":                      repeated("a: &x ", "\x00", ""),
	"bytes that are no text":          repeated("a: &x ", "\xff", ""),
	"emoji keys":                      numbered("", "😀%[1]d: [v]\n", ""),
}
