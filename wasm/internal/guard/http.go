package guard

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"embedded-agent/wasm/internal/destination"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/network"
	"embedded-agent/wasm/internal/regex"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/web"
)

// fetcher is tool.Fetcher over the network, for what the settings allow.
type fetcher struct{ g *Guard }

// Fetcher gives the network to the HTTP tools, nil where there is none.
func (g *Guard) Fetcher() tool.Fetcher {
	if g.deps.Transport == nil {
		return nil
	}
	return fetcher{g}
}

// Fetch implements tool.Fetcher. The answer is read up to its limit, as it is
// after decompression, and the rest is not waited for; how long all of it may
// take is the call's own limit.
func (f fetcher) Fetch(ctx context.Context, r tool.HTTPRequest) (*tool.HTTPAnswer, error) {
	f.g.mu.Lock()
	allowed, named := f.g.settings.AllowHTTP, f.g.bounds.secrets
	f.g.mu.Unlock()
	if !allowed {
		return nil, fault.New(fault.Denied, "policy.httpOff", fault.P{"tool": "http." + strings.ToLower(r.Method)})
	}
	entry, err := network.Reachable(named.hosts, r.Method, r.URL)
	if err != nil {
		return nil, err
	}
	if err := checkHeader(r.Header, named.tools); err != nil {
		return nil, err
	}
	for _, value := range r.Header {
		for _, m := range SecretRef().FindAllStringSubmatch(value, -1) {
			if err := named.mayGo(m[1], m[1], destination.Of(r.URL).Origin); err != nil {
				return nil, err
			}
		}
	}
	key := cacheKey(r)
	if a := f.g.fetched.get(key, r.TTL, f.g.deps.Now()); a != nil && r.Method == "GET" {
		return a, nil
	}
	// The app's own client keeps none of our limits: it is used only where the
	// person said so, and for what changes something never as a second try, since
	// the first one may have arrived.
	via := web.ViaFetch
	switch {
	case entry.Unlimited && (r.Method == "GET" || r.Method == "HEAD"):
		via = ""
	case entry.Unlimited:
		via = web.ViaApp
	}
	out := network.Out{Transport: f.g.deps.Transport, Hosts: named.hosts}
	res, err := out.Do(ctx, web.Request{
		Method: r.Method, URL: r.URL, Header: r.Header, Body: []byte(r.Body), Stream: true, Via: via, Redact: true,
	})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	a, err := readAnswer(ctx, res, r.MaxBody)
	if err == nil && r.Method == "GET" && a.Status < 300 {
		f.g.fetched.put(key, a, r.TTL, f.g.deps.Now())
	}
	return a, err
}

// kept are the headers of an answer that a tool may see.
var kept = []string{"content-type", "last-modified", "etag", "location", "link", "retry-after", "date"}

func readAnswer(ctx context.Context, res web.Response, most int) (*tool.HTTPAnswer, error) {
	a := &tool.HTTPAnswer{Status: res.Status(), Header: map[string]string{}}
	for _, name := range kept {
		if v := res.Header(name); v != "" {
			a.Header[name] = v
		}
	}
	for {
		chunk, err := res.Read(ctx)
		if errors.Is(err, io.EOF) {
			return a, nil
		}
		if err != nil {
			return nil, err
		}
		if len(a.Body)+len(chunk) > most {
			a.Body = append(a.Body, chunk[:most-len(a.Body)]...)
			a.Truncated = true
			return a, nil
		}
		a.Body = append(a.Body, chunk...)
	}
}

// own are the headers that the client sets by itself, or that would say who the
// person is.
var own = []string{
	"accept-charset", "accept-encoding", "connection", "content-length", "cookie", "cookie2", "date", "expect", "host",
	"keep-alive", "origin", "referer", "te", "trailer", "transfer-encoding", "upgrade", "via",
}

var (
	headerName = regex.Lazy("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	// SecretRef matches the name of a secret in a header; its group is the name.
	SecretRef = regex.Lazy(`\{\{secret:([^{}]+)\}\}`)
)

// checkHeader refuses headers that a tool may not set, and secrets that were not
// given to tools: the key of the model is not theirs to send.
func checkHeader(header map[string]string, secrets map[string]bool) error {
	for name, value := range header {
		if !MaySet(name, value) {
			return fault.New(fault.Denied, "policy.httpHeader", fault.P{"name": name})
		}
		for _, m := range SecretRef().FindAllStringSubmatch(value, -1) {
			if !secrets[m[1]] {
				return fault.New(fault.Denied, "policy.httpSecret", fault.P{"name": m[1]})
			}
		}
	}
	return nil
}

// MaySet says whether a header is one that a client lets be set, with a value that can be sent.
func MaySet(name, value string) bool {
	low := strings.ToLower(name)
	return headerName().MatchString(name) && !slices.Contains(own, low) && !strings.HasPrefix(low, "sec-") &&
		!strings.HasPrefix(low, "proxy-") && !strings.ContainsAny(value, "\r\n\x00")
}

// cacheKey names a request: what is not in it does not change the answer.
func cacheKey(r tool.HTTPRequest) string {
	var b strings.Builder
	b.WriteString(r.URL)
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		b.WriteString("\n" + name + ": " + r.Header[name])
	}
	return b.String()
}

// fetched keeps what was fetched, for requests that say that an older answer
// will do. It is in memory alone.
type fetched struct {
	mu    sync.Mutex // guards what follows
	kept  map[string]keptAnswer
	bytes int
}

type keptAnswer struct {
	answer *tool.HTTPAnswer
	at     time.Time
}

// maxAnswerBytes bounds the bytes that are kept.
const maxAnswerBytes = 4 << 20

// get gives an answer that is at most so many seconds old, or nil. 0 seconds
// want a new one.
func (c *fetched) get(key string, seconds int, now time.Time) *tool.HTTPAnswer {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.kept[key]
	if age := now.Sub(k.at); !ok || seconds <= 0 || age < 0 || age > time.Duration(seconds)*time.Second {
		return nil
	}
	copied := *k.answer
	return &copied
}

func (c *fetched) put(key string, a *tool.HTTPAnswer, seconds int, now time.Time) {
	if seconds <= 0 || a.Truncated || len(a.Body) > maxAnswerBytes/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || c.bytes+len(a.Body) > maxAnswerBytes {
		c.kept, c.bytes = map[string]keptAnswer{}, 0
	}
	c.kept[key] = keptAnswer{a, now}
	c.bytes += len(a.Body)
}
