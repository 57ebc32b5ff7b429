package chat

import (
	"context"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/anthropic"
	"embedded-agent/wasm/internal/llm/chat"
	"embedded-agent/wasm/internal/llm/openai"
	"embedded-agent/wasm/internal/llm/sentinel/textonly"
	"embedded-agent/wasm/internal/network"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/web"
)

// Demo says whether the model is the scripted demonstration.
func Demo(c *protocol.Settings) bool { return c.Provider == protocol.ProviderDemo }

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
	// known has the features that were found to work, or not to, at the endpoint with this model.
	known  map[llm.Feature]bool
	Note   func(protocol.Message)
	models *Models
}

// defaultModels are asked for where the settings name none.
var defaultModels = map[protocol.Provider]string{
	protocol.ProviderOpenAI: "gpt-5.1", protocol.ProviderAnthropic: "claude-sonnet-4-5", protocol.ProviderDemo: "demo",
}

// modelOf chooses by the settings what is asked, and where.
func modelOf(c *protocol.Settings, named string) *model {
	m := &model{kind: string(c.Provider), name: c.Model, max: c.MaxTokens, temp: c.Temperature, whole: !c.Streaming}
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
	case protocol.ProviderAnthropic:
		base(protocol.AddressAnthropic)
		m.dialect = anthropic.Dialect{}
	case protocol.ProviderCustom, protocol.ProviderText:
		m.dialect = chat.Dialect{}
	case protocol.ProviderDemo:
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
func (m *model) text() bool   { return m.kind == string(protocol.ProviderText) }
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
func (m *model) acting() llm.Provider {
	if m.text() {
		return m.provider
	}
	return llm.Adapting(m.provider, llm.Adaptation{
		Without:      m.without(),
		WithoutTools: func(p llm.Provider) llm.Provider { return textonly.New(p, m.host()) },
		Refused:      func(f llm.Feature, _ *llm.Error) { m.models.Refused(m, f) },
	})
}

// transport is the network, narrowed to the model's endpoint.
func (m *model) transport() web.Transport {
	return network.Out{Transport: keyed{m.models.deps.Model.Transport, m.models.deps.Guard, m.endpoint}, Base: m.endpoint.BaseURL, Buffered: func() {
		if m.models.endpoints.toldBuffered(m.host()) {
			m.Note(protocol.Message{Key: "turn.buffered", Params: map[string]string{"host": m.host()}})
		}
	}}
}

// metered hands every answer's usage to the ledger.
type metered struct {
	llm.Provider
	m *model
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
		p.m.models.deps.Usage.Add(p.m.host(), p.m.name, used.Usage)
	case e.Type == llm.EventDone: // it counts no tokens: a call whose price is not known
		p.m.models.deps.Usage.Add(p.m.host(), p.m.name, nil)
	}
	return e, ok
}

// keyed sends the requests of a model. Where only the host app's own client gets
// through, the person is asked before a key goes that way: it follows redirects,
// and nobody can see where to.
type keyed struct {
	web.Transport
	guard    *guard.Guard
	endpoint llm.Endpoint
}

// Do sends a request.
func (k keyed) Do(ctx context.Context, r web.Request) (web.Response, error) {
	answer, err := k.Transport.Do(ctx, r)
	if err == nil || fault.From(err).Key != "error.secret.redirects" || !k.guard.Keys().Ties() {
		return answer, err
	}
	if err := k.guard.Keys().Ask(ctx, k.endpoint.Secret, k.endpoint.BaseURL, true); err != nil {
		return nil, err
	}
	return k.Transport.Do(ctx, r)
}
