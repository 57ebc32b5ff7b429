package chat

import (
	"context"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/anthropic"
	"embedded-agent/wasm/internal/llm/chat"
	"embedded-agent/wasm/internal/llm/fold"
	"embedded-agent/wasm/internal/llm/gemini"
	"embedded-agent/wasm/internal/llm/ollama"
	"embedded-agent/wasm/internal/llm/openai"
	"embedded-agent/wasm/internal/llm/sentinel/textonly"
	"embedded-agent/wasm/internal/network"
	"embedded-agent/wasm/internal/offer"
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
	ending   string // the dialect that the end of the address names, "" for none
	name     string
	max      int
	temp     *float64
	whole    bool
	tokens   int // the window that the settings give it, 0 for none
	// known has the features that were found to work, or not to, at the endpoint with this model.
	known  map[llm.Feature]bool
	Note   func(protocol.Message)
	models *Models
}

// defaultModels are asked for where the settings name none.
var defaultModels = map[protocol.Provider]string{
	protocol.ProviderOpenAI: "gpt-5.1", protocol.ProviderAnthropic: "claude-sonnet-4-5", protocol.ProviderDemo: "demo",
}

// addresses are asked where the settings name none.
var addresses = map[protocol.Provider]string{
	protocol.ProviderOpenAI: protocol.AddressOpenAI, protocol.ProviderAnthropic: protocol.AddressAnthropic,
}

// dialects are those that the end of a pasted address may name.
var dialects = map[string]llm.Dialect{
	openai.Name: openai.Dialect{}, chat.Name: chat.Dialect{}, anthropic.Name: anthropic.Dialect{},
	ollama.Name: ollama.Dialect{}, gemini.Name: gemini.Dialect{},
}

// modelOf chooses by the settings what is asked, and where.
func modelOf(c *protocol.Settings, named string) *model {
	m := &model{kind: string(c.Provider), name: c.Model, max: c.MaxTokens, temp: c.Temperature, whole: !c.Streaming}
	if m.name == "" {
		m.name = defaultModels[c.Provider]
	}
	address := c.BaseURL
	if address == "" {
		address = addresses[c.Provider]
	}
	m.endpoint, m.ending = llm.ParseAddress(address)
	m.endpoint.Secret = c.KeyName
	m.endpoint.Can = llm.Capabilities{Streaming: true, Tools: true, JSONSchema: true}
	switch c.Provider {
	case protocol.ProviderAnthropic:
		m.dialect = anthropic.Dialect{}
	case protocol.ProviderCustom, protocol.ProviderText:
		m.dialect = chat.Dialect{}
	case protocol.ProviderDemo:
		m.endpoint.BaseURL, m.endpoint.Query, m.endpoint.Secret, m.ending = strings.TrimRight(c.DemoURL, "/")+"/v1", "", "", ""
		m.dialect, m.whole = openai.Dialect{}, false
		m.name = "demo"
		if strings.HasPrefix(c.Model, "demo") {
			m.name = c.Model // demo-429 and the like break on purpose
		}
	default:
		m.dialect = openai.Dialect{}
	}
	if named != "" {
		m.name = named
	}
	if d := dialects[m.ending]; d != nil {
		m.dialect = d
	}
	m.tokens = max(0, ofModel(c, c.Windows, m.name))
	return m
}

// key names the endpoint with this model, and lists the endpoint alone: what is
// known is kept by them.
func (m *model) key() string { return m.list() + " " + m.name }

func (m *model) list() string {
	return strings.TrimRight(m.kind+" "+m.endpoint.Join("")+" "+m.ending, " ")
}
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
	for f, can := range m.known {
		if !can {
			out = append(out, f)
		}
	}
	return out
}

// acting gives the provider for a conversation that calls tools one by one. Most tools are told by name alone; of an
// endpoint that has no functions, the model writes its calls as text.
func (m *model) acting(f *fold.Fold) llm.Provider {
	if m.text() {
		return fold.New(m.provider, f)
	}
	return fold.New(llm.Adapting(m.provider, llm.Adaptation{
		Without:      m.without(),
		WithoutTools: func(p llm.Provider) llm.Provider { return textonly.New(p, m.host()) },
		Refused:      func(f llm.Feature, _ *llm.Error) { m.models.Refused(m, f) },
	}), f)
}

// folding says which tools a model that acts has as functions.
func folding() *fold.Fold {
	return &fold.Fold{
		Describe: offer.DescribeName,
		Core:     func(name string) bool { return offer.Core(name, offer.Acting) },
		Slim: func(t llm.Tool) llm.Tool {
			t.Description, t.Parameters = offer.Slim(t.Description, t.Parameters)
			return t
		},
		Names: func(tools []llm.Tool) string {
			about := make([]offer.About, len(tools))
			for i, t := range tools {
				about[i] = offer.About{Name: t.Name, Description: t.Description}
			}
			return offer.Names(about)
		},
	}
}

// transport is the network, narrowed to the model's endpoint.
func (m *model) transport() web.Transport { return m.transportBelow(m.endpoint.BaseURL) }

// transportBelow is the network, narrowed to an address of the endpoint's origin.
func (m *model) transportBelow(base string) web.Transport {
	return network.Out{Transport: keyed{m.models.deps.Model.Transport, m.models.deps.Guard, m.endpoint}, Base: base, Buffered: func() {
		if m.models.endpoints.toldBuffered(m.host()) {
			m.Note(protocol.Message{Key: "turn.buffered", Params: map[string]string{"host": m.host()}})
		}
	}}
}

// efforts are those of the settings, and what each is called in a request.
var efforts = map[string]llm.Effort{
	"off": llm.EffortNone, "low": llm.EffortLow, "medium": llm.EffortMedium, "high": llm.EffortHigh,
}

// ofModel gives what the settings say of a model, the zero value for nothing. They may say it under no name for the model
// that is asked where they name none.
func ofModel[V comparable](c *protocol.Settings, by map[string]V, name string) V {
	of := func(name string) V { return by[string(c.Provider)+" "+name] }
	var nothing V
	said := of(name)
	if said == nothing && name == defaultModels[c.Provider] {
		said = of("")
	}
	return said
}

// effortOf gives how hard a model is to think, "" where it decides.
func effortOf(c *protocol.Settings, name string) llm.Effort {
	return efforts[ofModel(c, c.Efforts, name)]
}

// set asks every time with the effort and the window of the settings.
type set struct {
	llm.Provider
	effort llm.Effort
	window int
}

// Stream asks.
func (p set) Stream(ctx context.Context, r llm.Request) llm.Stream {
	r.Reasoning, r.Window = p.effort, p.window
	return p.Provider.Stream(ctx, r)
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
	for range secretsOf(k.endpoint) { // each is asked about once
		f := fault.From(err)
		if err == nil || f.Key != "error.secret.redirects" || !k.guard.Keys().Ties() {
			break
		}
		if err := k.guard.Keys().Ask(ctx, f.Params["name"], k.endpoint.BaseURL, true); err != nil {
			return nil, err
		}
		answer, err = k.Transport.Do(ctx, r)
	}
	return answer, err
}
