package jsbridge

import (
	"bytes"
	"strings"

	"embedded-agent/wasm/internal/host"
)

// parseInfos reads a protocol.Infos exactly as the app's side's JSON.stringify
// writes it: keys in their order, no white space. A vault of 100,000 notes is
// ten megabytes of it, and encoding/json reads that at a tenth of the speed.
// ok is false for anything else, which is then read by encoding/json.
func parseInfos(data []byte) (infos []host.Info, ok bool) {
	p := infosParser{data: data}
	if !p.lit(`{"entries":[`) {
		return nil, false
	}
	if p.lit(`]}`) {
		return []host.Info{}, len(p.data) == p.at
	}
	infos = make([]host.Info, 0, 1+bytes.Count(data, []byte(`},{`)))
	for {
		i, ok := p.info()
		if !ok {
			return nil, false
		}
		infos = append(infos, i)
		if p.lit(`,`) {
			continue
		}
		return infos, p.lit(`]}`) && len(p.data) == p.at
	}
}

type infosParser struct {
	data []byte
	at   int
}

func (p *infosParser) lit(s string) bool {
	end := p.at + len(s)
	if end > len(p.data) || string(p.data[p.at:end]) != s {
		return false
	}
	p.at = end
	return true
}

func (p *infosParser) info() (i host.Info, ok bool) {
	var kind string
	ok = p.lit(`{"path":`) && p.text(&i.Path) &&
		p.lit(`,"kind":`) && p.text(&kind) &&
		p.lit(`,"size":`) && p.number(&i.Size) &&
		p.lit(`,"ctime":`) && p.number(&i.CTime) &&
		p.lit(`,"mtime":`) && p.number(&i.MTime) && p.lit(`}`)
	switch kind {
	case string(host.File):
		i.Kind = host.File
	case string(host.Folder):
		i.Kind = host.Folder
	default:
		return i, false
	}
	return i, ok
}

// text reads a string without escapes other than \" and \\, the only ones that
// paths need.
func (p *infosParser) text(out *string) bool {
	if !p.lit(`"`) {
		return false
	}
	rest := p.data[p.at:]
	end := bytes.IndexByte(rest, '"')
	if end < 0 {
		return false
	}
	if bytes.IndexByte(rest[:end], '\\') < 0 {
		*out = string(rest[:end])
		p.at += end + 1
		return true
	}
	var b strings.Builder
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; c {
		case '"':
			*out = b.String()
			p.at += i + 1
			return true
		case '\\':
			i++
			if i == len(rest) || rest[i] != '"' && rest[i] != '\\' {
				return false
			}
			b.WriteByte(rest[i])
		default:
			b.WriteByte(c)
		}
	}
	return false
}

// number reads a whole number of at most 18 digits.
func (p *infosParser) number(out *int64) bool {
	start, n := p.at, int64(0)
	for p.at < len(p.data) && p.data[p.at] >= '0' && p.data[p.at] <= '9' && p.at-start < 18 {
		n = n*10 + int64(p.data[p.at]-'0')
		p.at++
	}
	*out = n
	leadingZero := p.at-start > 1 && p.data[start] == '0'
	return p.at > start && !leadingZero
}
