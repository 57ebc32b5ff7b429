package server

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"embedded-agent/wasm/internal/destination"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/keyprint"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/web"
)

// device is a host's secret store that ties keys to hosts, and its network: what
// it is asked to send it holds against what was allowed, as the app's side does.
type device struct {
	mu      sync.Mutex
	values  map[string]string
	allowed map[string]map[string]bool // name, origin: also by the app's own client
	// plain are hosts that only the app's own client reaches.
	plain  map[string]bool
	sent   []string // METHOD URL KEYS
	answer []byte
}

func newDevice() *device {
	return &device{
		values: map[string]string{"model-key": "own-key-0123456789", "weather-key": "weather-0123456789"}, allowed: map[string]map[string]bool{},
		plain: map[string]bool{}, answer: []byte("{}"),
	}
}

func (d *device) Where(_ context.Context, name string) (hosts, redirects []string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range slices.Sorted(maps.Keys(d.allowed[name])) {
		hosts = append(hosts, o)
		if d.allowed[name][o] {
			redirects = append(redirects, o)
		}
	}
	return hosts, redirects, nil
}

func (d *device) Allow(_ context.Context, name, origin string, redirects bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.allowed[name] == nil {
		d.allowed[name] = map[string]bool{}
	}
	d.allowed[name][origin] = d.allowed[name][origin] || redirects
	return nil
}

func (d *device) Print(_ context.Context, name string) (keyprint.Print, error) {
	return keyprint.Of(d.values[name], [2]uint32{1_000_003, 99_991}), nil
}

func (d *device) Has(_ context.Context, name string) (bool, error) { return d.values[name] != "", nil }

// Do sends as the app's side does: fetch, and where that does not get through the
// app's own client, which a key goes by only where that was allowed.
func (d *device) Do(_ context.Context, r web.Request) (web.Response, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	origin := destination.Of(r.URL).Origin
	var keys []string
	for _, value := range r.Header {
		for _, m := range guard.SecretRef().FindAllStringSubmatch(value, -1) {
			app, ok := d.allowed[m[1]][origin]
			p := fault.P{"name": m[1], "host": origin}
			switch {
			case !ok:
				return nil, fault.New(fault.Auth, "error.secret.host", p)
			case d.plain[origin] && !app:
				return nil, fault.New(fault.Auth, "error.secret.redirects", p)
			}
			keys = append(keys, m[1])
		}
	}
	d.sent = append(d.sent, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Method, r.URL, strings.Join(keys, ","))))
	return llmtest.NewTransport(llmtest.Answer{Header: map[string]string{"content-type": "text/event-stream"}, Body: d.answer}).Do(context.Background(), r)
}

func (d *device) out() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.sent)
}

// onDevice is a core over a device.
func onDevice(t *testing.T, d *device, set protocol.Settings) *panel {
	t.Helper()
	ui := &panel{t: t, mem: hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "a\n"}})}
	ui.cond.L = &ui.mu
	s, err := New(Deps{Host: ui.mem.Host(), Transport: d, Emit: ui.hear, Keys: d, HasSecret: d.Has})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	ui.s = s
	call[protocol.Welcome](ui, "hello", protocol.Hello{Contract: protocol.Contract, Settings: set, Platform: protocol.Platform{Name: "linux"}})
	return ui
}

func TestTheModelsKeyGoesOnlyWhereThisDeviceWasAllowedToSendIt(t *testing.T) {
	const here = "https://models.example.com"
	at := func(url string) protocol.Settings {
		return protocol.Settings{Provider: "custom", BaseURL: url + "/v1", KeyName: "model-key", Model: "m"}
	}
	for name, c := range map[string]struct {
		set     protocol.Settings
		allowed []string
		plain   bool
		yes     bool
		asks    int
		sends   bool
	}{
		"allowed before":                  {set: at(here), allowed: []string{here}, sends: true},
		"a new device, and yes":           {set: at(here), yes: true, asks: 1, sends: true},
		"a new device, and no":            {set: at(here), asks: 1},
		"the address was changed, and no": {set: at("https://evil.example.net"), allowed: []string{here}, asks: 1},
		"another port":                    {set: at(here + ":8443"), allowed: []string{here}, asks: 1},
		"without encryption":              {set: at("http://models.example.com"), allowed: []string{here}, asks: 1},
		"a host below":                    {set: at("https://x.models.example.com"), allowed: []string{here}, asks: 1},
		"a host that ends alike":          {set: at("https://evilmodels.example.com"), allowed: []string{here}, asks: 1},
		"other letters of the same host":  {set: at("https://MODELS.example.com"), allowed: []string{here}, asks: 0, sends: true},
		"another provider":                {set: protocol.Settings{Provider: "anthropic", KeyName: "model-key", Model: "m"}, allowed: []string{here}, asks: 1},
		"the same provider by its name":   {set: protocol.Settings{Provider: "openai", KeyName: "model-key", Model: "m"}, allowed: []string{"https://api.openai.com"}, sends: true},
		"another key of the store":        {set: protocol.Settings{Provider: "custom", BaseURL: here + "/v1", KeyName: "weather-key", Model: "m"}, allowed: []string{here}, asks: 1},
		"no key at all":                   {set: protocol.Settings{Provider: "custom", BaseURL: here + "/v1", Model: "m"}, sends: true},
		"the app's own client, and no":    {set: at(here), allowed: []string{here}, plain: true, asks: 1},
		"the app's own client, and yes":   {set: at(here), allowed: []string{here}, plain: true, yes: true, asks: 1, sends: true},
	} {
		for _, mode := range []protocol.Mode{protocol.ModePlan, protocol.ModeAgent} {
			t.Run(name+", "+string(mode), func(t *testing.T) {
				d := newDevice()
				d.plain[here] = c.plain
				for _, o := range c.allowed {
					if err := d.Allow(t.Context(), "model-key", o, false); err != nil {
						t.Fatal(err)
					}
				}
				ui := onDevice(t, d, c.set)
				asked := []protocol.Question{}
				say := func() {
					t.Helper()
					call[protocol.Accepted](ui, "send", protocol.Send{Text: "hello", Mode: mode, Conversation: "c"})
					more, _ := ui.questioned(c.yes)
					asked = append(asked, more...)
				}
				say()
				if len(asked) != c.asks || (len(d.out()) > 0) != c.sends {
					t.Fatalf("%d questions, sent %v", len(asked), d.out())
				}
				for _, q := range asked {
					if q.Kind != "key" || len(q.Requests) != 1 || q.Requests[0].Host == "" || q.Requests[0].Keys[0].Name != c.set.KeyName {
						t.Errorf("want Kind \"key\", 1 Requests, Requests[0].Host set and Requests[0].Keys[0].Name equal to c.set.KeyName, got %+v", q)
					}
				}
				if !c.yes {
					return
				}
				if say(); len(asked) != c.asks {
					t.Errorf("asked again after a yes")
				}
			})
		}
	}
}

func TestAToolsKeyGoesToItsHostsAlone(t *testing.T) {
	const ok = "https://api.example.com/a"
	hosts := []protocol.HTTPHost{{Host: "api.example.com", Methods: []string{"GET", "POST"}}, {Host: "other.example.com", Methods: []string{"GET", "POST"}}, {Host: "*.example.org", Methods: []string{"GET", "POST"}}}
	for name, c := range map[string]struct {
		url   string
		hosts []string // of the key in the settings
		on    []string // the device
		key   string
		asks  int
		sends bool
	}{
		"its host, allowed on the device":      {url: ok, hosts: []string{"api.example.com"}, on: []string{"https://api.example.com"}, sends: true},
		"its host, and this device asks first": {url: ok, hosts: []string{"api.example.com"}, asks: 1, sends: true},
		"its host with the scheme's port":      {url: "https://api.example.com:443/", hosts: []string{"api.example.com"}, on: []string{"https://api.example.com"}},
		"another host that may be asked":       {url: "https://other.example.com/", hosts: []string{"api.example.com"}, on: []string{"https://api.example.com", "https://other.example.com"}},
		"no host at all":                       {url: ok, on: []string{"https://api.example.com"}},
		"a host below a named one":             {url: "https://x.example.org/", hosts: []string{"example.org"}, on: []string{"https://example.org"}},
		"a name with a star":                   {url: "https://x.example.org/", hosts: []string{"*.example.org"}, on: []string{"https://x.example.org"}},
		"allowed on the device, not named":     {url: "https://other.example.com/", hosts: []string{"api.example.com"}, on: []string{"https://other.example.com"}},
		"the model's key":                      {url: ok, hosts: []string{"api.example.com"}, on: []string{"https://api.example.com"}, key: "model"},
		"a key that nobody named for tools":    {url: ok, hosts: []string{"api.example.com"}, on: []string{"https://api.example.com"}, key: "bank-key"},
	} {
		for _, tl := range []string{"http.request", "http.send"} {
			t.Run(name+", "+tl, func(t *testing.T) {
				d := newDevice()
				d.values["bank-key"] = "bank-0123456789"
				for _, o := range c.on {
					for _, key := range []string{"weather-key", "model-key", "bank-key"} {
						if err := d.Allow(t.Context(), key, o, false); err != nil {
							t.Fatal(err)
						}
					}
				}
				ui := onDevice(t, d, protocol.Settings{
					Provider: "custom", BaseURL: "https://models.example.com/v1", KeyName: "model-key", AllowHTTP: true, HTTPHosts: hosts,
					Secrets: []protocol.NamedSecret{
						{Name: "weather", Scope: "device", Secret: "weather-key", Hosts: c.hosts}, {Name: "model", Scope: "device", Secret: "model-key", Hosts: c.hosts},
					},
				})
				key := c.key
				if key == "" {
					key = "weather"
				}
				done := make(chan *protocol.Review, 1)
				go func() {
					r, err := ui.s.tx.OpenPlan(t.Context(), []byte(planOf("ask", fmt.Sprintf(`{"id":"a","tool":%q,"args":{"url":%q,"headers":{"X-Key":"{{secret:%s}}"}}}`, tl, c.url, key))), nil, false)
					if err != nil {
						t.Error(err)
					}
					done <- r
				}()
				asked, r := ui.questioned(true)
				<-done
				if r.Approvable && tl == "http.send" {
					_, err := try[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
					if err != nil && c.sends {
						t.Fatal(err)
					}
					if err == nil {
						if _, n := ui.ended(true); n != 1 {
							t.Errorf("asked %d times before it is sent", n)
						}
					}
				}
				if (len(d.out()) == 1) != c.sends || tl == "http.request" && len(asked) != c.asks {
					t.Fatalf("%d questions, sent %v: %+v", len(asked), d.out(), r.Problem)
				}
				if c.sends && !strings.HasSuffix(d.out()[0], "weather-key") {
					t.Errorf("want sends false (or out[0] ending in \"weather-key\"), got %v", d.out())
				}
			})
		}
	}
}

func TestTheListOfKeysSaysWhereEachGoes(t *testing.T) {
	d := newDevice()
	if err := d.Allow(t.Context(), "weather-key", "https://api.example.com", false); err != nil {
		t.Fatal(err)
	}
	ui := onDevice(t, d, protocol.Settings{Secrets: []protocol.NamedSecret{
		{Name: "weather", Scope: "device", Secret: "weather-key", Hosts: []string{"api.example.com", "b.example.com:8443"}},
		{Name: "lost", Scope: "device", Secret: "none", Hosts: nil},
	}})
	got := call[protocol.Secrets](ui, "secrets.list", protocol.Empty{}).Secrets
	if len(got) != 2 || len(got[0].Hosts) != 0 || !slices.Equal(got[1].Hosts, []string{"api.example.com", "b.example.com:8443"}) ||
		!slices.Equal(got[1].Unconfirmed, []string{"b.example.com:8443"}) {
		t.Errorf("want 2 of them, no got[0].Hosts, got[1].Hosts {\"api.example.com\", \"b.example.com:8443\"} and got[1].Unconfirmed {\"b.example.com:8443\"}, got %+v", got)
	}
}

// A key without a pattern, a few characters in each event: whole nowhere but in
// what the core puts together.
func TestAKeyThatTheEndpointRepeatsInPiecesIsKeptNowhere(t *testing.T) {
	const key = "own-key-0123456789"
	for _, mode := range []protocol.Mode{protocol.ModePlan, protocol.ModeAgent} {
		t.Run(string(mode), func(t *testing.T) {
			d := newDevice()
			if err := d.Allow(t.Context(), "model-key", "https://models.example.com", false); err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, piece := range []string{"You sent own-", "key-0123", "456789, did", " you not"} {
				fmt.Fprintf(&b, "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", piece)
			}
			b.WriteString("data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
			d.answer = []byte(b.String())
			ui := onDevice(t, d, protocol.Settings{Provider: "custom", BaseURL: "https://models.example.com/v1", KeyName: "model-key", Model: "m", Streaming: true})
			call[protocol.Accepted](ui, "send", protocol.Send{Text: "hello", Mode: mode, Conversation: "c"})
			drawn := ""
			end := ui.await("end", func(e protocol.Event) bool {
				if e.Delta != nil {
					drawn += e.Delta.Text
				}
				return e.Type == protocol.EventTurnEnded
			})
			want := "You sent " + keyprint.Mark + ", did you not"
			if end.Turn.Reply != want || drawn != want {
				t.Errorf("%q, drawn %q: %+v", end.Turn.Reply, drawn, end.Turn.Problem)
			}
			for path, data := range ui.mem.StoreFiles() {
				if strings.Contains(string(data), key) {
					t.Errorf("%s holds the key", path)
				}
			}
		})
	}
}
