package network

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/community"
	"embedded-agent/wasm/internal/web"
)

func TestRequestsGoToTheChosenProviderAndNowhereElse(t *testing.T) {
	const base = "https://api.example.com/v1"
	for _, c := range []struct {
		address string
		want    bool
	}{
		{"https://api.example.com/v1/responses", true},
		{"https://API.example.com/v1/models", true},
		{"https://api.example.com/v1", true},
		{"http://api.example.com/v1/responses", false},
		{"https://api.example.com:8443/v1/responses", false},
		{"https://api.example.com.evil.test/v1/responses", false},
		{"https://evil.test/v1/responses?https://api.example.com/v1", false},
		{"https://api.example.com@evil.test/v1/responses", false},
		{"https://user:pw@api.example.com/v1/responses", false},
		{"https://api.example.com/v1/../admin", false},
		{"https://api.example.com/v1/%2e%2e/admin", false},
		{"https://api.example.com/v10/responses", false},
		{"https://api.example.com/other", false},
		{"file:///etc/passwd", false},
		{"", false},
	} {
		if got := below(base, c.address); got != c.want {
			t.Errorf("%q: %v, want %v", c.address, got, c.want)
		}
	}
	if below("", "https://api.example.com/") || below("ftp://a", "ftp://a/b") {
		t.Error("a base that is no web address allows something")
	}
}

func TestTheListOfPluginsIsTheOnlyAddressThatSearchingReaches(t *testing.T) {
	only := Out{List: true}
	if !only.May(web.Request{Method: "GET", URL: community.Address}) {
		t.Error("the list itself is not let through")
	}
	for _, r := range []web.Request{
		{Method: "POST", URL: community.Address},
		{Method: "GET", URL: community.Address + "?x"},
		{Method: "GET", URL: strings.Replace(community.Address, "obsidianmd", "evil", 1)},
		{Method: "GET", URL: "https://api.openai.com/v1"},
	} {
		if only.May(r) {
			t.Errorf("%s %s is let through", r.Method, r.URL)
		}
	}
}
