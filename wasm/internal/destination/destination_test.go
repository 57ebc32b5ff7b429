package destination

import (
	"strings"
	"testing"
)

func TestAnAddressLeadsWhereItsHostIs(t *testing.T) {
	for address, want := range map[string]Destination{
		"https://API.Example.com/a?b":         {Origin: "https://api.example.com", Host: "api.example.com"},
		"https://api.example.com:443/":        {Origin: "https://api.example.com", Host: "api.example.com:443"},
		"http://127.0.0.1:11434/v1":           {Origin: "http://127.0.0.1:11434", Host: "127.0.0.1:11434"},
		"http://example.com:80":               {Origin: "http://example.com", Host: "example.com:80"},
		"https://example.com:80":              {Origin: "https://example.com:80", Host: "example.com:80"},
		"https://xn--bcher-kva.example/x":     {Origin: "https://xn--bcher-kva.example", Host: "xn--bcher-kva.example", Shown: "bücher.example"},
		"https://xn--80ak6aa92e.com:8443":     {Origin: "https://xn--80ak6aa92e.com:8443", Host: "xn--80ak6aa92e.com:8443", Shown: "аррӏе.com:8443"},
		"https://a.xn--fiqs8s":                {Origin: "https://a.xn--fiqs8s", Host: "a.xn--fiqs8s", Shown: "a.中国"},
		"https://xn--999999999999999.example": {Origin: "https://xn--999999999999999.example", Host: "xn--999999999999999.example"},
		"https://[::1]:8080/":                 {Origin: "https://[::1]:8080", Host: "[::1]:8080"},
		"https://user:pw@example.com/":        {},
		"ftp://example.com":                   {},
		"example.com":                         {},
		"":                                    {},
	} {
		if got := Of(address); got != want {
			t.Errorf("%s: %+v, want %+v", address, got, want)
		}
	}
}

func TestAHostThatAPersonNamesIsReachedByHTTPS(t *testing.T) {
	for name, want := range map[string]string{
		"api.example.com": "https://api.example.com", " Example.com:8443 ": "https://example.com:8443", "https://example.com/path": "https://example.com",
		"http://127.0.0.1:11434": "http://127.0.0.1:11434", "*.example.com": "", "": "", "a b": "", "%2e.com": "",
	} {
		if got := Host(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func FuzzPunycode(f *testing.F) {
	for _, code := range []string{"bcher-kva", "fiqs8s", "", "-", "99999999", "a-", "zzzzzzzzzzzzzzzz"} {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code string) {
		if len(code) > 63 {
			return // no label is longer
		}
		if text, ok := punycode(strings.ToLower(code)); ok && text == "" {
			t.Errorf("%q is decoded to nothing", code)
		}
	})
}
