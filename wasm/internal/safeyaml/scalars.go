package safeyaml

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The tags that a text may bear to be read as what it does not look like.
const (
	tagText    = "!!str"
	tagNull    = "!!null"
	tagBool    = "!!bool"
	tagInteger = "!!int"
	tagFloat   = "!!float"
)

// scalarOf gives a text's value. The library's own reading is not used: it takes
// forms of YAML 1.1 (0777, 1_000), which Obsidian shows as they are written.
func scalarOf(n *yaml.Node) (any, error) {
	tag := ""
	if n.Style&yaml.TaggedStyle != 0 {
		tag = n.ShortTag()
	}
	switch tag {
	case tagNull, tagBool, tagInteger, tagFloat:
		v := Plain(n.Value)
		if !is(v, tag) {
			return nil, at(n, fmt.Sprintf("%q is no %s", n.Value, tag))
		}
		return v, nil
	case tagText:
		return n.Value, nil
	}
	if n.Style&^yaml.TaggedStyle != 0 { // in quotes, or a block
		return n.Value, nil
	}
	return Plain(n.Value), nil
}

func is(v any, tag string) bool {
	switch v.(type) {
	case nil:
		return tag == tagNull
	case bool:
		return tag == tagBool
	case float64:
		return tag == tagInteger || tag == tagFloat
	}
	return false
}

// Plain gives an unquoted text's value by the core schema of YAML 1.2 (10.3.2).
// Infinity and what is no number are text, since JSON has neither.
func Plain(s string) any {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return nil
	case "true", "True", "TRUE":
		return true
	case "false", "False", "FALSE":
		return false
	case ".nan", ".NaN", ".NAN":
		return fmt.Sprint(math.NaN())
	case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF":
		return fmt.Sprint(math.Inf(1))
	case "-.inf", "-.Inf", "-.INF":
		return fmt.Sprint(math.Inf(-1))
	}
	if f, ok := number(s); ok {
		return f
	}
	return s
}

func number(s string) (float64, bool) {
	switch {
	case strings.HasPrefix(s, "0x"):
		return whole(s[2:], 16)
	case strings.HasPrefix(s, "0o"):
		return whole(s[2:], 8)
	case !decimal(s):
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

func whole(s string, base int) (float64, bool) {
	n, err := strconv.ParseUint(s, base, 64)
	return float64(n), err == nil
}

// decimal says whether a text is a number in tens: [-+]? ( \. [0-9]+ | [0-9]+
// ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
func decimal(s string) bool {
	s = unsigned(s)
	mantissa, exponent, power := s, "", false
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent, power = s[:i], unsigned(s[i+1:]), true
	}
	before, fraction, _ := strings.Cut(mantissa, ".")
	return before+fraction != "" && digits(before) && digits(fraction) && digits(exponent) && power == (exponent != "")
}

func unsigned(s string) string {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		return s[1:]
	}
	return s
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
