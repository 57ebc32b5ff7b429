package safeyaml

import "strings"

// Simple decodes what most values are without the YAML library, at a fraction of its
// cost: a plain or quoted text, a number, a truth value, a block or flow list of
// those. false means that the library must look.
func Simple(raw []byte) (any, bool) {
	s := string(raw)
	if strings.IndexByte(s, '\n') >= 0 {
		return simpleBlockList(s)
	}
	if strings.HasPrefix(s, "[") {
		return simpleFlowList(s)
	}
	return SimpleScalar(s)
}

// SimpleScalar is Simple for a value that is no list.
func SimpleScalar(s string) (any, bool) {
	if s == "" || s == "~" {
		return nil, true
	}
	switch s[0] {
	case '"':
		if len(s) < 2 || quotedEnd(s[1:], '"') != len(s)-1 || !knownEscapes(s) {
			return nil, false
		}
		return Unescape(s[1 : len(s)-1]), true
	case '\'':
		inner := s[1:]
		if len(s) < 2 || s[len(s)-1] != '\'' || strings.Contains(strings.ReplaceAll(inner[:len(inner)-1], "''", ""), "'") {
			return nil, false
		}
		return strings.ReplaceAll(inner[:len(inner)-1], "''", "'"), true
	case '[', ']', '{', '}', '&', '*', '!', '|', '>', '%', '@', '`', '#', ',', '?', ':':
		return nil, false
	case '-':
		if len(s) == 1 || s[1] == ' ' {
			return nil, false
		}
	}
	if strings.Contains(s, ": ") || strings.HasSuffix(s, ":") || strings.Contains(s, " #") || strings.IndexByte(s, '\t') >= 0 {
		return nil, false
	}
	return PlainScalar(s)
}

// PlainScalar gives an unquoted text's value; false for numbers that readers
// disagree about.
func PlainScalar(s string) (any, bool) {
	c := s[0]
	if (c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.') && !plainDecimal(s) {
		return s, plainDate(s)
	}
	return Plain(s), true
}

// plainDecimal says whether a text is a decimal number in its usual form.
func plainDecimal(s string) bool {
	t := strings.TrimPrefix(s, "-")
	whole, frac, dot := strings.Cut(t, ".")
	if whole == "" || len(t) > 15 || len(whole) > 1 && whole[0] == '0' || dot && frac == "" {
		return false
	}
	for i := range len(whole) {
		if whole[i] < '0' || whole[i] > '9' {
			return false
		}
	}
	for i := range len(frac) {
		if frac[i] < '0' || frac[i] > '9' {
			return false
		}
	}
	return true
}

// plainDate says whether a text is a date or date and time, which stay text.
func plainDate(s string) bool {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' || len(s) > 25 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && strings.IndexByte("-T: +.Z", c) < 0 {
			return false
		}
	}
	return true
}

func simpleBlockList(s string) (any, bool) {
	list := []any{}
	indent := -1
	for i, line := range strings.Split(s, "\n") {
		line = strings.TrimRight(line, " \t\r")
		if i == 0 && line == "" {
			continue
		}
		text := strings.TrimLeft(line, " ")
		if indent < 0 {
			indent = len(line) - len(text)
		}
		item, ok := strings.CutPrefix(text, "- ")
		if text == "-" {
			item, ok = "", true
		}
		if !ok || len(line)-len(text) != indent {
			return nil, false
		}
		v, ok := SimpleScalar(strings.TrimSpace(item))
		if !ok {
			return nil, false
		}
		list = append(list, v)
	}
	return list, true
}

func simpleFlowList(s string) (any, bool) {
	if s[len(s)-1] != ']' {
		return nil, false
	}
	inner := strings.TrimSpace(s[1 : len(s)-1])
	list := []any{}
	if inner == "" {
		return list, true
	}
	for rest, more := inner, true; more; {
		var item string
		var ok bool
		if item, rest, more, ok = cutFlowItem(strings.TrimSpace(rest)); !ok {
			return nil, false
		}
		v, ok := SimpleScalar(item)
		if !ok {
			return nil, false
		}
		list = append(list, v)
	}
	return list, true
}

// cutFlowItem cuts the first element off what is left of a flow list, and says
// whether another follows. The YAML library takes no question mark at the end of
// an element, so that lists of texts, in quotes or not, are cut here.
func cutFlowItem(s string) (item, rest string, more, ok bool) {
	end := 0
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		end = 1 + quotedEnd(s[1:], s[0])
	}
	if comma := strings.IndexByte(s[end:], ','); comma >= 0 {
		item, rest, more = s[:end+comma], s[end+comma+1:], true
	} else {
		item = s
	}
	item = strings.TrimSpace(item)
	if item == "" || strings.ContainsAny(item[min(end, len(item)):], "\"'[]{}#") {
		return "", "", false, false
	}
	return item, rest, more, true
}

// quotedEnd gives the length of a text with the quote that ends it, 0 where none does.
func quotedEnd(s string, quote byte) int {
	for i := 0; i < len(s); i++ {
		if quote == '"' && s[i] == '\\' {
			i++
			continue
		}
		if s[i] != quote {
			continue
		}
		if quote == '\'' && i+1 < len(s) && s[i+1] == quote {
			i++
			continue
		}
		return i + 1
	}
	return 0
}
