package chat

import (
	"context"
	"strconv"
	"strings"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/anthropic"
	"embedded-agent/wasm/internal/llm/chat"
	"embedded-agent/wasm/internal/llm/openai"
	"embedded-agent/wasm/internal/llm/sentinel/textonly"
	"embedded-agent/wasm/internal/network"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/web"
)

// The providers.
const (
	ProviderOpenAI    = "openai"
	providerAnthropic = "anthropic"
	providerCustom    = "custom"
	providerText      = "text"
	ProviderDemo      = "demo"
)

// Demo says whether the model is the scripted demonstration.
func Demo(c *protocol.Settings) bool { return c.Provider == ProviderDemo }

// Ready says whether a model is set up.
func (room *Chat) Ready(c *protocol.Settings) bool {
	switch c.Provider {
	case ProviderDemo:
		return c.DemoURL != ""
	case providerCustom, providerText:
		return c.BaseURL != ""
	default:
		return room.deps.Provider != nil || c.KeyName != ""
	}
}

// model is a provider with what is to be asked of it.
type model struct {
	provider llm.Provider
	dialect  llm.Dialect
	endpoint llm.Endpoint
	kind     string // the provider, as the settings name it
	name     string
	max      int
	temp     *float64
	whole    bool
	// known is what was found out about the endpoint with this model.
	known map[llm.Feature]bool
	Note  func(protocol.Message)
}

// defaultModels are asked for where the settings name none.
var defaultModels = map[string]string{
	ProviderOpenAI: "gpt-5.1", providerAnthropic: "claude-sonnet-4-5", ProviderDemo: "demo",
}

// NewModel makes the provider that the settings choose; named, where it is not
// empty, is asked for instead of the settings' model. note is told what the
// person should know, such as that streaming is off for this endpoint. What is
// used goes into the ledger, whoever asks.
func (room *Chat) NewModel(ctx context.Context, named string, note func(protocol.Message)) (*model, error) {
	c := room.deps.Guard.Settings()
	if !room.Ready(&c) {
		return nil, fault.New(fault.Auth, "error.planner.noModel", nil)
	}
	m := modelOf(&c, named)
	m.Note = note
	m.known = room.endpoints.known(ctx, m.key(), room.deps.Now())
	m.provider = room.deps.Provider
	if m.provider == nil {
		m.provider = llm.NewProvider(m.dialect, m.endpoint, m.transport(room), llm.Options{
			Idle: time.Duration(max(c.TimeoutMs, 120_000)) * time.Millisecond,
			OnRetry: func(_ int, wait time.Duration, _ *llm.Error) {
				note(protocol.Message{Key: "turn.retrying", Params: map[string]string{"seconds": strconv.Itoa(int(wait.Seconds() + 0.5))}})
			},
		})
	}
	m.provider = llm.Hide(m.provider, llm.Hiding{Keys: room.deps.Guard.Keys().Hides(m.endpoint.Secret), Drawn: room.deps.Out.Redact})
	m.provider = llm.Adapting(metered{m.provider, m, room}, llm.Adaptation{Without: m.without(), Refused: func(f llm.Feature, _ *llm.Error) {
		room.Refused(m, f)
	}})
	if c.Provider == providerText {
		m.provider = textonly.New(m.provider, m.endpoint.Host())
	}
	return m, nil
}

// modelOf chooses by the settings what is asked, and where.
func modelOf(c *protocol.Settings, named string) *model {
	m := &model{kind: c.Provider, name: c.Model, max: c.MaxTokens, temp: c.Temperature, whole: !c.Streaming}
	if m.name == "" {
		m.name = defaultModels[c.Provider]
	}
	m.endpoint = llm.Endpoint{BaseURL: strings.TrimRight(c.BaseURL, "/"), Secret: c.KeyName}
	m.endpoint.Can = llm.Capabilities{Streaming: true, Tools: true, JSONSchema: true}
	base := func(def string) {
		if m.endpoint.BaseURL == "" {
			m.endpoint.BaseURL = def
		}
	}
	switch c.Provider {
	case providerAnthropic:
		base(protocol.AddressAnthropic)
		m.dialect = anthropic.Dialect{}
	case providerCustom, providerText:
		m.dialect = chat.Dialect{}
	case ProviderDemo:
		m.endpoint.BaseURL, m.endpoint.Secret = strings.TrimRight(c.DemoURL, "/")+"/v1", ""
		m.dialect, m.whole = openai.Dialect{}, false
		m.name = "demo"
		if strings.HasPrefix(c.Model, "demo") {
			m.name = c.Model // demo-429 and the like break on purpose
		}
	default:
		base(protocol.AddressOpenAI)
		m.dialect = openai.Dialect{}
	}
	if named != "" {
		m.name = named
	}
	return m
}

// key names the endpoint with this model, and lists the endpoint alone: what is
// known is kept by them.
func (m *model) key() string  { return m.list() + " " + m.name }
func (m *model) list() string { return m.kind + " " + m.endpoint.BaseURL }
func (m *model) host() string { return m.endpoint.Host() }
func (m *model) text() bool   { return m.kind == providerText }
func (m *model) sees() bool   { can, sure := m.known[llm.FeatureImages]; return can || !sure }

// modes are the ways to ask for a plan. A model that can only talk calls by
// writing, which is a way of its own.
func (m *model) modes() []llm.PlanMode {
	if m.text() {
		return []llm.PlanMode{llm.PlanByCall}
	}
	return llm.PlanModes(m.known)
}

// without lists what the endpoint is known to refuse.
func (m *model) without() []llm.Feature {
	var out []llm.Feature
	for _, f := range []llm.Feature{llm.FeatureStreaming, llm.FeatureTemperature, llm.FeatureImages, llm.FeatureTools} {
		if can, sure := m.known[f]; sure && !can {
			out = append(out, f)
		}
	}
	return out
}

// acting gives the provider for a conversation that calls tools one by one: of
// an endpoint that has no functions, the model writes its calls as text.
func (m *model) acting(room *Chat) llm.Provider {
	if m.text() {
		return m.provider
	}
	return llm.Adapting(m.provider, llm.Adaptation{
		Without:      m.without(),
		WithoutTools: func(p llm.Provider) llm.Provider { return textonly.New(p, m.host()) },
		Refused:      func(f llm.Feature, _ *llm.Error) { room.Refused(m, f) },
	})
}

// Refused remembers that an endpoint refuses something, and tells the person.
func (room *Chat) Refused(m *model, f llm.Feature) {
	room.endpoints.learn(room.deps.Life, m.key(), map[llm.Feature]bool{f: false}, room.deps.Now(), false)
	keys := map[llm.Feature]string{
		llm.FeatureStreaming: "turn.noStreaming", llm.FeatureTemperature: "turn.noTemperature", llm.FeatureImages: "turn.noImages",
		llm.FeatureTools: "turn.noTools", llm.FeatureSchema: "turn.noSchema",
	}
	m.Note(protocol.Message{Key: keys[f], Params: map[string]string{"host": m.host(), "model": m.name}})
}

// transport is the network, narrowed to the model's endpoint.
func (m *model) transport(room *Chat) web.Transport {
	return network.Out{Transport: keyed{room.deps.Transport, room, m.endpoint}, Base: m.endpoint.BaseURL, Buffered: func() {
		if room.endpoints.toldBuffered(m.host()) {
			m.Note(protocol.Message{Key: "turn.buffered", Params: map[string]string{"host": m.host()}})
		}
	}}
}

// metered hands every answer's usage to the ledger.
type metered struct {
	llm.Provider
	m    *model
	room *Chat
}

// Stream asks.
func (p metered) Stream(ctx context.Context, r llm.Request) llm.Stream {
	return &meteredStream{p.Provider.Stream(ctx, r), p}
}

type meteredStream struct {
	llm.Stream
	p metered
}

// Next gives the next event.
func (x *meteredStream) Next() (llm.Event, bool) {
	e, ok := x.Stream.Next()
	if !ok || !e.Terminal() {
		return e, ok
	}
	p := x.p
	switch used := e.Message; {
	case used != nil && used.Usage != nil:
		p.room.deps.Usage.Add(p.m.host(), p.m.name, used.Usage)
	case e.Type == llm.EventDone: // it counts no tokens: a call whose price is not known
		p.room.deps.Usage.Add(p.m.host(), p.m.name, nil)
	}
	return e, ok
}

// keyed sends the requests of a model. Where only the host app's own client gets
// through, the person is asked before a key goes that way: it follows redirects,
// and nobody can see where to.
type keyed struct {
	web.Transport
	room     *Chat
	endpoint llm.Endpoint
}

// Do sends a request.
func (k keyed) Do(ctx context.Context, r web.Request) (web.Response, error) {
	answer, err := k.Transport.Do(ctx, r)
	if err == nil || fault.From(err).Key != "error.secret.redirects" || !k.room.deps.Guard.Keys().Ties() {
		return answer, err
	}
	if err := k.room.deps.Guard.Keys().Ask(ctx, k.endpoint.Secret, k.endpoint.BaseURL, true); err != nil {
		return nil, err
	}
	return k.Transport.Do(ctx, r)
}

// ConfirmKey sees to it that this device may send the model's key to the endpoint
// of the settings.
func (room *Chat) ConfirmKey(ctx context.Context) error {
	if room.deps.Provider != nil {
		return nil
	}
	c := room.deps.Guard.Settings()
	m := modelOf(&c, "")
	return room.deps.Guard.Keys().Confirm(ctx, m.endpoint.Secret, m.endpoint.BaseURL)
}
