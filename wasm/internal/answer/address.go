package answer

import (
	"net/url"
	"strings"
	"unicode"
)

// follow says what an address may be: a page of the web or a link of the app
// (kind "link"), or something of the vault (kind "note"). Everything else is
// nothing to follow.
func (r *reader) follow(to string) (Node, bool) {
	if r.page != nil {
		return r.leadsTo(to)
	}
	if host, ok := web(to); ok {
		return Node{Kind: "link", To: to, Where: host, Ask: carries(to, host)}, true
	}
	if rest, ok := strings.CutPrefix(to, "obsidian://"); ok && rest != "" && readable(to) {
		what, _, _ := strings.Cut(rest, "?")
		return Node{Kind: "link", To: to, Where: "obsidian://" + what, Ask: true}, true
	}
	if path, ok := notePath(to, true); ok {
		return Node{Kind: "note", To: path, Where: path}, true
	}
	return Node{}, false
}

// saying leaves out what the words of a link say already, and asks where they
// name another address than the link's.
func saying(n Node, words string) Node {
	words = strings.TrimSpace(words)
	switch {
	case words == n.To || words == n.Where:
		n.Where = ""
		n.Ask = n.Ask && words != n.To || strings.HasPrefix(n.To, "obsidian:")
	case n.Kind == "link" && (strings.Contains(words, "://") || namesHost(words)):
		n.Ask = true
	}
	return n
}

// namesHost says whether words look like an address without its scheme.
func namesHost(words string) bool {
	host, _, _ := strings.Cut(words, "/")
	return !strings.ContainsAny(host, " \n") && strings.Contains(strings.Trim(host, "."), ".")
}

// longPath is how much of an address may go unread: more, or a query, may carry
// what a note holds.
const longPath = 60

// carries says whether an address could carry more than the name of a page.
func carries(to, host string) bool {
	_, rest, _ := strings.Cut(strings.ToLower(to), host)
	return len(rest) > longPath || strings.Contains(rest, "?")
}

// web reads an address of the web strictly, so that no two readers of it see
// different hosts: http or https, a plain host with or without a port, nobody's
// name before it, and no character that is not drawn as it is.
func web(to string) (host string, ok bool) {
	rest, ok := cutFold(to, "https://")
	if !ok {
		if rest, ok = cutFold(to, "http://"); !ok {
			return "", false
		}
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	host = strings.ToLower(rest)
	return host, plainHost(host) && readable(to)
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return "", false
	}
	return s[len(prefix):], true
}

// plainHost says whether a host is a name of letters, digits and hyphens or four
// numbers, with or without a port. Other notations of numbers, and letters of
// other scripts, would lead elsewhere than they seem to.
func plainHost(host string) bool {
	name, port, has := strings.Cut(host, ":")
	if has && (port == "" || len(port) > 5 || strings.Trim(port, "0123456789") != "") {
		return false
	}
	labels := strings.Split(name, ".")
	for _, l := range labels {
		if l == "" || strings.Trim(l, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	if last := labels[len(labels)-1]; last[0] < '0' || last[0] > '9' {
		return !strings.HasPrefix(last, "0x")
	}
	for _, l := range labels {
		if strings.Trim(l, "0123456789") != "" || len(l) > 3 || len(l) > 1 && l[0] == '0' {
			return false
		}
	}
	return len(labels) == 4
}

// readable says whether every character of an address is drawn, by itself.
func readable(to string) bool {
	for _, c := range to {
		if c <= ' ' || c == 0x7f || strings.ContainsRune("\\<>\"`", c) || unicode.IsSpace(c) || c == unicode.ReplacementChar {
			return false
		}
	}
	return !hides(to)
}

// notePath reads a link to something of the vault. In "(…)" it is encoded, as an
// address is. A scheme, another machine, and what cannot be read are none.
func notePath(to string, encoded bool) (string, bool) {
	if encoded {
		plain, err := url.PathUnescape(to)
		if err != nil {
			return "", false
		}
		to = plain
	}
	to = strings.TrimPrefix(to, "./")
	if to == "" || strings.ContainsAny(to, ":\\<>|?*\"\n") || strings.HasPrefix(to, "/") || strings.HasPrefix(to, "#") {
		return "", false
	}
	return to, !hides(to)
}
