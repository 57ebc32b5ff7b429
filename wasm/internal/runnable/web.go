package runnable

import (
	"strings"

	"golang.org/x/net/html"
)

// elements of HTML that act by themselves, or bring a page along.
var elements = map[string]bool{
	"script": true, "iframe": true, "frame": true, "frameset": true, "object": true, "embed": true, "applet": true, "webview": true,
	"portal": true, "form": true, "meta": true, "base": true, "link": true, "style": true, "foreignobject": true, "animate": true,
	"set": true, "use": true, "fencedframe": true,
}

// loading are attributes whose address is loaded without a click.
var loading = map[string]bool{
	"src": true, "srcset": true, "poster": true, "background": true, "data": true, "lowsrc": true, "dynsrc": true, "xlink:href": true,
	"imagesrcset": true, "archive": true, "codebase": true, "profile": true, "manifest": true, "classid": true, "style": true,
	"srcdoc": true, "values": true, "to": true, "from": true, "icon": true, "fill": true, "filter": true, "mask": true, "cite": false,
}

// html finds elements and attributes that act or load. Where a tag ends is not
// asked: quotes that never close make readers disagree about it.
func (s *scan) html() {
	first := -1
	for at := 0; ; {
		i := strings.IndexByte(s.text[at:], '<')
		if i < 0 || s.over() {
			break
		}
		begin := at + i
		at = begin + 1
		name := letters(s.text[at:])
		if name == "" {
			continue
		}
		if first < 0 {
			first = begin
		}
		name = strings.ToLower(name)
		if !elements[name] {
			continue
		}
		end := tagEnd(s.text, begin)
		if name == "script" || name == "style" {
			if i := indexFold(s.text[at:], "/"+name); i >= 0 {
				end = max(end, at+i)
			} else {
				end = len(s.text)
			}
		}
		s.add(Page, "<"+name+">", begin, end)
		if at += len(name); name == "script" || name == "style" {
			at = end
		}
		if name == "link" || name == "use" || name == "base" {
			s.attribute("src", begin, valueAt(s.text, begin, "href"))
		}
	}
	if first >= 0 {
		s.attributes(first)
		s.styles(first)
	}
}

func letters(t string) string {
	n := 0
	for n < len(t) && (t[n]|0x20 >= 'a' && t[n]|0x20 <= 'z' || n > 0 && (t[n] >= '0' && t[n] <= '9' || t[n] == '-')) {
		n++
	}
	return t[:n]
}

func tagEnd(t string, from int) int {
	stop := min(len(t), from+maxValue)
	if i := strings.IndexByte(t[from:stop], '>'); i >= 0 {
		return from + i + 1
	}
	return stop
}

// valueAt gives where the value of an attribute begins within a tag, or -1.
func valueAt(t string, from int, name string) int {
	i := indexFold(t[from:tagEnd(t, from)], name)
	if i < 0 {
		return -1
	}
	rest := strings.TrimLeft(t[from+i+len(name):], " \t\r\n")
	if !strings.HasPrefix(rest, "=") {
		return -1
	}
	return len(t) - len(rest) + 1
}

// attributes finds name=value after the first tag of a text.
func (s *scan) attributes(from int) {
	until := 0 // the end of a value without quotes, which holds no attribute
	for at := from; ; {
		i := strings.IndexByte(s.text[at:], '=')
		if i < 0 || s.over() {
			return
		}
		sign := at + i
		at = sign + 1
		end := len(strings.TrimRight(s.text[:sign], " \t\r\n\f"))
		begin := end
		for begin > from && end-begin < 40 && isName(s.text[begin-1]) {
			begin--
		}
		name := strings.ToLower(s.text[begin:end])
		if len(name) > 4 && strings.HasPrefix(name, "on") && letters(name) == name && begin > 0 && strings.IndexByte(" \t\r\n\f/\"'>", s.text[begin-1]) >= 0 {
			_, stop := attributeValue(s.text, at)
			s.add(Page, name, begin, stop)
			continue
		}
		if sign >= until && (loading[name] || name == "href" || name == "action" || name == "formaction" || name == "ping") {
			value := s.attribute(name, begin, at)
			if rest := strings.TrimLeft(s.text[at:min(len(s.text), at+maxValue)], " \t\r\n\f"); rest != "" && rest[0] != '"' && rest[0] != '\'' {
				until = at + value
			}
		}
	}
}

func isName(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '-' || c == ':'
}

// maxValue bounds what is read of an attribute's value.
const maxValue = 8 << 10

// attributeValue gives a value and where it ends.
func attributeValue(t string, at int) (string, int) {
	rest := strings.TrimLeft(t[at:], " \t\r\n\f")
	at = len(t) - len(rest)
	if rest == "" {
		return "", at
	}
	bound := rest[:min(len(rest), maxValue)]
	n := 0
	if q := rest[0]; q == '"' || q == '\'' {
		if n = strings.IndexByte(bound[1:], q); n < 0 {
			return bound[1:], at + len(bound)
		}
		return bound[1 : 1+n], at + n + 2
	}
	if n = strings.IndexAny(bound, " \t\r\n\f>"); n < 0 {
		n = len(bound)
	}
	return bound[:n], at + n
}

// attribute looks where an attribute's value leads, and gives its length.
func (s *scan) attribute(name string, begin, at int) int {
	if at < 0 {
		return 0
	}
	value, end := attributeValue(s.text, at)
	s.left -= end - at
	value = html.UnescapeString(value)
	if loading[name] {
		parts := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(", ;()='\"\t\r\n", r) })
		for _, part := range append(parts, value) {
			if host, away := remote(part); away {
				s.add(Load, host, begin, end)
				return end - at
			}
		}
	}
	if name != "style" { // "display:none" is no scheme, and a style leads nowhere
		s.leads(value, begin, end)
	}
	return end - at
}

// styles finds addresses in styles.
func (s *scan) styles(from int) {
	for _, word := range []string{"url(", "image-set(", "import"} {
		for at := from; ; {
			i := indexFold(s.text[at:], word)
			if i < 0 || s.over() {
				break
			}
			begin := at + i
			at = begin + len(word)
			value := strings.TrimLeft(s.text[at:min(len(s.text), at+maxValue)], " \t\r\n'\"")
			if n := strings.IndexAny(value, " \t\r\n)'\";"); n >= 0 {
				value = value[:n]
			}
			s.left -= len(value)
			if host, away := remote(html.UnescapeString(value)); away && (word != "import" || begin > 0 && s.text[begin-1] == '@') {
				s.add(Load, host, begin, at+len(value))
			}
		}
	}
}

// leads notes an address that starts something when it is followed.
func (s *scan) leads(address string, begin, end int) {
	switch scheme := schemeOf(address); {
	case scheme == "javascript" || scheme == "vbscript" || scheme == "data" && strings.Contains(strings.ToLower(address), "html"):
		s.add(Page, scheme+":", begin, end)
	case scheme != "" && !harmless[scheme] && scheme != "obsidian": // those are found where they stand
		s.add(Link, scheme+":", begin, end)
	}
}

// harmless are the schemes of addresses that only lead somewhere when they are
// clicked.
var harmless = map[string]bool{"http": true, "https": true, "mailto": true, "tel": true, "sms": true, "data": true, "geo": true, "doi": true, "urn": true}

// squeezed gives an address as a browser reads it: without white space and
// controls, with slashes turned the right way.
func squeezed(address string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r <= ' ' || r == 0x7f || r == 0xa0 || r == 0x200b || r == 0xfeff || r == 0xad:
			return -1
		case r == '\\':
			return '/'
		}
		return r
	}, address)
}

// schemeOf gives an address's scheme in lower case; "" where it has none, or is
// the letter of a disk.
func schemeOf(address string) string {
	a := squeezed(address)
	i := strings.IndexByte(a, ':')
	if i < 2 || strings.ContainsAny(a[:i], "/?#[]()% ") {
		return ""
	}
	for j := range i {
		if c := a[j]; !isName(c) && c != '+' && c != '.' || c == ':' {
			return ""
		}
	}
	return strings.ToLower(a[:i])
}

// remote says whether an address is loaded from elsewhere, and from which host.
func remote(address string) (host string, away bool) {
	a := squeezed(address)
	switch scheme := schemeOf(a); scheme {
	case "http", "https", "ftp", "ws", "wss", "file":
		a = a[len(scheme)+1:]
		a = strings.TrimLeft(a, "/")
		if scheme == "file" && !strings.HasPrefix(squeezed(address)[5:], "//") {
			return "file:", true
		}
	case "":
		if !strings.HasPrefix(a, "//") {
			return "", false
		}
		a = a[2:]
	default:
		return "", false
	}
	if i := strings.IndexAny(a, "/?#"); i >= 0 {
		a = a[:i]
	}
	if i := strings.LastIndexByte(a, '@'); i >= 0 {
		a = a[i+1:]
	}
	if a == "" {
		a = "?"
	}
	return strings.ToLower(a), true
}
