package runnable

import "strings"

// destinations finds pictures that are loaded from elsewhere, and links that
// start something.
func (s *scan) destinations() {
	s.definitions()
	var open []bool // for each bracket that is open: does it begin a picture?
	pictures := false
	for at := 0; at < len(s.text) && !s.over(); at++ {
		switch s.text[at] {
		case '\\':
			at++
		case '\n', '\r':
			if blankLine(s.text[at:]) {
				open, pictures = open[:0], false
			}
		case '[':
			picture := at > 0 && s.text[at-1] == '!'
			pictures = pictures || picture
			open = append(open, picture)
			if len(open) > maxDepth {
				open = append(open[:0], open[maxDepth/2:]...)
			}
		case ']':
			// A bracket in code may have closed one too early.
			picture := len(open) == 0 && pictures
			if n := len(open); n > 0 {
				picture, open = open[n-1], open[:n-1]
			}
			s.destination(at, picture)
		case '<':
			s.autolink(at)
		}
	}
	for _, r := range s.images {
		if host, ok := s.labels[r.label]; ok {
			s.add(Load, host, r.at, min(len(s.text), r.at+len(r.label)+1))
		}
	}
}

const maxDepth = 1000

func blankLine(t string) bool {
	t = strings.TrimLeft(t[newline(t):], " \t>")
	return t == "" || t[0] == '\n' || t[0] == '\r'
}

// destination looks at what follows the bracket that closes a link's text.
func (s *scan) destination(at int, picture bool) {
	rest := s.text[at+1:]
	if !strings.HasPrefix(rest, "(") {
		if picture {
			s.byReference(at)
		}
		return
	}
	inner := strings.TrimLeft(rest[1:min(len(rest), maxValue)], " \t\r\n>")
	begin := len(s.text) - len(rest)
	s.left -= min(len(rest), maxValue) / 16 // it is searched, fast, for one of a few bytes
	address := inner
	if strings.HasPrefix(address, "<") {
		address, _, _ = strings.Cut(address[1:], ">")
	} else if i := strings.IndexAny(address, " \t\r\n"); i >= 0 {
		address = address[:i]
	}
	if i := strings.IndexByte(address, ')'); i >= 0 {
		address = address[:i]
	}
	s.left -= len(address)
	address = plainInfo(address)
	end := min(len(s.text), begin+len(address)+2)
	if host, away := remote(address); picture && away {
		s.add(Load, host, begin, end)
		return
	}
	s.leads(address, begin, end)
}

// byReference notes a picture whose address stands elsewhere: ![text][label],
// ![label][] or ![label].
func (s *scan) byReference(at int) {
	if len(s.labels) == 0 {
		return
	}
	s.left -= maxLabel / 16
	label := ""
	if rest := s.text[at+1:]; strings.HasPrefix(rest, "[") {
		if i := strings.IndexByte(rest[:min(len(rest), maxLabel)], ']'); i > 0 {
			label = rest[1:i]
		}
	}
	if label == "" {
		begin := max(0, at-maxLabel)
		if i := strings.LastIndex(s.text[begin:at], "!["); i >= 0 {
			label = s.text[begin+i+2 : at]
		}
	}
	s.images = append(s.images, reference{labelOf(label), at})
}

// maxLabel is the longest label of a reference (CommonMark).
const maxLabel = 1000

func labelOf(t string) string { return strings.ToLower(strings.Join(strings.Fields(t), " ")) }

// definitions finds [label]: address.
func (s *scan) definitions() {
	for at := 0; ; {
		i := strings.Index(s.text[at:], "]:")
		if i < 0 || s.over() {
			return
		}
		close := at + i
		at = close + 2
		open := strings.LastIndexByte(s.text[max(0, close-maxLabel):close], '[')
		if open < 0 {
			continue
		}
		open += max(0, close-maxLabel)
		address := strings.TrimLeft(s.text[at:min(len(s.text), at+maxValue)], " \t\r\n><")
		if n := strings.IndexAny(address, " \t\r\n>"); n >= 0 {
			address = address[:n]
		}
		s.left -= len(address)
		address = plainInfo(address)
		if host, away := remote(address); away {
			if s.labels == nil {
				s.labels = map[string]string{}
			}
			s.labels[labelOf(s.text[open+1:close])] = host
			continue
		}
		s.leads(address, open, min(len(s.text), at+len(address)+1))
	}
}

// autolink looks at <scheme:…>.
func (s *scan) autolink(at int) {
	rest := s.text[at+1 : min(len(s.text), at+1+maxValue)]
	i := strings.IndexAny(rest, ":<> \t\r\n")
	s.left -= max(i, 0)
	if i < 2 || rest[i] != ':' {
		return
	}
	address, _, ok := strings.Cut(rest, ">")
	s.left -= len(address)
	if ok && !strings.ContainsAny(address, " <") {
		s.leads(address, at, at+1+len(address))
	}
}

// bare finds links into the app, which need no brackets.
func (s *scan) bare() {
	for at := 0; ; {
		i := indexFold(s.text[at:], "obsidian:")
		if i < 0 || s.over() {
			return
		}
		begin := at + i
		at = begin + len("obsidian:")
		if rest := strings.TrimLeft(s.text[at:min(len(s.text), at+10)], "\\ \t"); strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "&#") {
			end := min(len(s.text), begin+maxValue)
			if n := strings.IndexAny(s.text[begin:min(len(s.text), begin+maxValue)], " \t\r\n)>\"'"); n >= 0 {
				end = begin + n
			}
			s.add(Link, "obsidian:", begin, max(end, at))
		}
	}
}
