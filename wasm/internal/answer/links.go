package answer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// open begins a bracket, or reads a whole wikilink.
func (in *inline) open(image bool) {
	start := in.at
	if image {
		start++
	}
	if strings.HasPrefix(in.s[start:], "[[") && in.wiki(start, image) || in.page != nil && in.footnote() {
		return
	}
	in.flush()
	in.brackets = append(in.brackets, bracket{piece: len(in.pieces), at: start + 1, image: image})
	in.pieces = append(in.pieces, piece{node: Node{Kind: "text", Text: in.s[in.at : start+1]}})
	in.at = start + 1
}

// wiki reads "[[note#heading|words]]", with "!" an embed: a link as well.
func (in *inline) wiki(start int, embed bool) bool {
	end := in.find("]]", start+2)
	if end < 0 || end-start > maxWiki {
		return false
	}
	inner := in.s[start+2 : end]
	if strings.ContainsAny(inner, "\n[") {
		return false
	}
	target, alias, has := strings.Cut(inner, "|")
	target = strings.TrimSuffix(target, "\\") // in a table the bar is escaped
	path, ok := in.target(strings.TrimSpace(target), false)
	if !ok {
		return false
	}
	n := Node{Kind: "note", To: path, Embed: embed, Kids: in.marked(path)}
	if has && strings.TrimSpace(alias) != path && strings.TrimSpace(alias) != "" {
		n.Kids, n.Where = in.marked(alias), path
	}
	in.at = end + 2
	in.add(n)
	return true
}

// maxWiki is how long a wikilink may be, in bytes.
const maxWiki = 2000

// shut ends a bracket: a link or an image where an address follows that may be
// followed, and text otherwise.
func (in *inline) shut() {
	if len(in.brackets) == 0 {
		in.literal(in.at + 1)
		return
	}
	top := len(in.brackets) - 1
	b := in.brackets[top]
	in.brackets = in.brackets[:top]
	dead := top < in.around[btoi(b.image)]
	in.around[0], in.around[1] = min(in.around[0], top), min(in.around[1], top)
	to, title, end, ok := destination(in.s, in.at+1)
	if !ok && in.page != nil {
		to, end, ok = in.reference(b.at)
	}
	if !ok || dead {
		in.literal(in.at + 1)
		return
	}
	n, follows := in.follow(to)
	if b.image {
		n = in.image(to, in.s[b.at:in.at], n, follows)
		in.text.Reset()
	} else if !follows {
		in.literal(in.at + 1) // the address follows as text
		return
	} else {
		in.flush()
		kids := in.resolve(in.pieces[b.piece+1:])
		n.Kids = kids
		n = saying(n, wordsOf(kids))
	}
	in.around[btoi(b.image)] = len(in.brackets)
	in.pieces = in.pieces[:b.piece]
	in.at = end
	in.add(n)
	if title != "" {
		in.add(literal("unseen", title))
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// image makes what stands in the place of a picture: its words, its address, and
// whether it may be loaded. A picture of the vault is a link to it.
func (in *inline) image(to, alt string, n Node, follows bool) Node {
	if follows && n.Kind == "note" {
		n.Embed, n.Kids = true, in.marked(n.To)
		if alt != "" && alt != n.To {
			n.Kids, n.Where = in.marked(strings.ReplaceAll(alt, "\n", " ")), n.To
		}
		return n
	}
	out := Node{Kind: "image", To: shown(to), Kids: in.marked(strings.ReplaceAll(alt, "\n", " "))}
	if host, ok := web(to); ok && in.public(host) {
		out.To, out.Where, out.Load = to, host, true
	}
	return out
}

// wordsOf gives what nodes say, as plain text, as far as it is needed to compare
// it with an address.
func wordsOf(nodes []Node) string {
	var b strings.Builder
	var walk func([]Node)
	walk = func(nodes []Node) {
		for _, n := range nodes {
			if b.Len() > 4000 {
				return
			}
			if len(n.Kids) == 0 {
				b.WriteString(n.Text)
			}
			walk(n.Kids)
		}
	}
	walk(nodes)
	return b.String()
}

// destination reads "(address "title")" of a link, with the offset after it. The
// title keeps its marks.
func destination(s string, at int) (to, title string, end int, ok bool) {
	if at >= len(s) || s[at] != '(' {
		return "", "", 0, false
	}
	at = skipSpace(s, at+1)
	raw, at, ok := addressIn(s, at)
	if !ok {
		return "", "", 0, false
	}
	spaced := skipSpace(s, at)
	if spaced < len(s) && spaced > at && strings.IndexByte(`"'(`, s[spaced]) >= 0 {
		shut := s[spaced]
		if shut == '(' {
			shut = ')'
		}
		n := strings.IndexByte(s[spaced+1:min(len(s), spaced+1+maxTitle)], shut)
		if n < 0 {
			return "", "", 0, false
		}
		title = s[spaced : spaced+n+2]
		spaced = skipSpace(s, spaced+n+2)
	}
	if spaced >= len(s) || s[spaced] != ')' {
		return "", "", 0, false
	}
	return decoded(raw), title, spaced + 1, true
}

// maxTitle is how long the title of a link may be, in bytes.
const maxTitle = 2000

// addressIn reads an address: in "<…>", or up to a space or the bracket that it
// did not open.
func addressIn(s string, at int) (string, int, bool) {
	if at < len(s) && s[at] == '<' {
		for i := at + 1; i < len(s); i++ {
			switch s[i] {
			case '>':
				return s[at+1 : i], i + 1, true
			case '<', '\n':
				return "", 0, false
			case '\\':
				i++
			}
		}
		return "", 0, false
	}
	depth := 0
	i := at
	for ; i < len(s); i++ {
		c := s[i]
		if c == '\\' && i+1 < len(s) && isPunct(s[i+1]) {
			i++
			continue
		}
		if c == '(' {
			if depth++; depth > maxNesting {
				return "", 0, false
			}
		}
		if c == ')' {
			if depth == 0 {
				break
			}
			depth--
		}
		if c <= ' ' {
			break
		}
	}
	return s[at:min(i, len(s))], min(i, len(s)), depth == 0
}

func skipSpace(s string, at int) int {
	for at < len(s) && isSpace(s[at]) {
		at++
	}
	return at
}

// decoded takes the escapes and entities out of an address, as who follows it
// would.
func decoded(s string) string {
	if !strings.ContainsAny(s, "\\&") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] == '\\' && i+1 < len(s) && isPunct(s[i+1]) {
			b.WriteByte(s[i+1])
			i += 2
			continue
		}
		if s[i] == '&' {
			if text, n := entityAt(s[i:]); n > 0 {
				b.WriteString(text)
				i += n
				continue
			}
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

func (in *inline) entity() {
	text, n := entityAt(in.s[in.at:])
	if n == 0 {
		in.literal(in.at + 1)
		return
	}
	in.text.WriteString(text)
	in.at += n
}

// entities are the names that people and models write; another stays as it was
// written, which hides nothing.
var entities = map[string]string{
	"amp": "&", "lt": "<", "gt": ">", "quot": `"`, "apos": "'", "nbsp": "\u00a0", "copy": "©", "reg": "®", "trade": "™",
	"hellip": "…", "mdash": "—", "ndash": "–", "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”", "laquo": "«", "raquo": "»",
	"larr": "←", "rarr": "→", "uarr": "↑", "darr": "↓", "harr": "↔", "times": "×", "divide": "÷", "deg": "°", "plusmn": "±",
	"le": "≤", "ge": "≥", "ne": "≠", "middot": "·", "bull": "•", "euro": "€", "pound": "£", "sect": "§", "para": "¶",
	"colon": ":", "sol": "/", "lpar": "(", "rpar": ")", "lbrack": "[", "rbrack": "]", "excl": "!", "Tab": "\t", "NewLine": "\n",
}

// entityAt reads an entity, by name or number, and its length; 0 where there is
// none.
func entityAt(s string) (string, int) {
	end := strings.IndexByte(s[:min(len(s), 12)], ';')
	if end < 2 {
		return "", 0
	}
	name := s[1:end]
	if name[0] != '#' {
		text, ok := entities[name]
		if !ok {
			return "", 0
		}
		return text, end + 1
	}
	digits, base := name[1:], 10
	if digits != "" && digits[0]|0x20 == 'x' {
		digits, base = digits[1:], 16
	}
	c := 0
	for _, d := range digits {
		v := strings.IndexRune("0123456789abcdef", unicode.ToLower(d))
		if v < 0 || v >= base {
			return "", 0
		}
		c = c*base + v
	}
	if digits == "" || c == 0 || c > unicode.MaxRune || !utf8.ValidRune(rune(c)) {
		return "", 0
	}
	return string(rune(c)), end + 1
}
