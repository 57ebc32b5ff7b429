package chat

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"embedded-agent/wasm/internal/destination"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/sentinel/textonly"
	"embedded-agent/wasm/internal/llm/window"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
)

// Models makes the model that the settings choose, and knows what was found out
// about endpoints.
type Models struct {
	deps      *Deps
	endpoints *endpoints
	// waits tells the person that a model is asked again after a while, and gives
	// what tells them that the wait is over.
	waits func(*model, llm.Retry) func()
}

// Ready says whether a model is set up.
func (models *Models) Ready(c *protocol.Settings) bool {
	switch c.Provider {
	case protocol.ProviderDemo:
		return c.DemoURL != ""
	case protocol.ProviderCustom, protocol.ProviderText:
		return c.BaseURL != ""
	default: // an address of the person's own may want no key, as the proxy does
		return models.deps.Model.Provider != nil || c.KeyName != "" || c.BaseURL != ""
	}
}

// New makes the provider that the settings choose; named, where it is not
// empty, is asked for instead of the settings' model. note is told what the
// person should know, such as that streaming is off for this endpoint. What is
// used goes into the ledger, whoever asks.
func (models *Models) New(ctx context.Context, named string, note func(protocol.Message)) (*model, error) {
	c := models.deps.Guard.Settings()
	if !models.Ready(&c) {
		return nil, fault.New(fault.Auth, "error.planner.noModel", nil)
	}
	m, err := models.of(&c, named)
	if err != nil {
		return nil, err
	}
	m.models, m.Note = models, note
	m.known = models.endpoints.known(ctx, m.key(), models.deps.Now())
	m.provider = models.deps.Model.Provider
	if m.provider == nil {
		m.provider = llm.NewProvider(m.dialect, m.endpoint, m.transport(), llm.Options{
			Idle:    time.Duration(max(c.TimeoutMs, 120_000)) * time.Millisecond,
			OnRetry: func(r llm.Retry) func() { return models.waits(m, r) },
		})
	}
	m.provider = llm.Hide(m.provider, llm.Hiding{Keys: models.deps.Guard.Keys().Hides(secretsOf(m.endpoint)), Drawn: models.deps.Out.Redact})
	m.provider = llm.Adapting(metered{m.provider, m}, llm.Adaptation{Without: m.without(), Refused: func(f llm.Feature, _ *llm.Error) {
		models.Refused(m, f)
	}})
	m.provider = set{m.provider, effortOf(&c, m.name), m.tokens}
	m.provider = window.Watched(m.provider, models.watch(ctx, m))
	if c.Provider == protocol.ProviderText {
		m.provider = textonly.New(m.provider, m.endpoint.Host())
	}
	return m, nil
}

// Refused remembers that an endpoint refuses something, and tells the person.
func (models *Models) Refused(m *model, f llm.Feature) {
	models.endpoints.learn(models.deps.Life, m.key(), map[llm.Feature]bool{f: false}, models.deps.Now(), false)
	keys := map[llm.Feature]string{
		llm.FeatureStreaming: "turn.noStreaming", llm.FeatureTemperature: "turn.noTemperature", llm.FeatureImages: "turn.noImages",
		llm.FeatureTools: "turn.noTools", llm.FeatureSchema: "turn.noSchema",
		llm.FeatureSummaries: "turn.noSummaries",
	}
	key := cmp.Or(keys[f], "turn.noEffort")
	m.Note(protocol.Message{Key: key, Params: map[string]string{"host": m.host(), "model": m.name}})
}

// of is modelOf with the headers that the person has set for the endpoint's origin,
// and for no other.
func (models *Models) of(c *protocol.Settings, named string) (*model, error) {
	m := modelOf(c, named)
	if m.kind == string(protocol.ProviderDemo) {
		return m, nil
	}
	lines := c.Headers[destination.Of(m.endpoint.BaseURL).Origin]
	return m, setHeaders(&m.endpoint, lines, models.deps.Out.Redact)
}

// ConfirmKey sees to it that this device may send the keys of requests to a model
// to the endpoint of the settings.
func (models *Models) ConfirmKey(ctx context.Context) error {
	if models.deps.Model.Provider != nil {
		return nil
	}
	c := models.deps.Guard.Settings()
	m, err := models.of(&c, "")
	if err != nil {
		return err
	}
	for _, name := range secretsOf(m.endpoint) {
		if err := models.deps.Guard.Keys().Confirm(ctx, name, m.endpoint.BaseURL); err != nil {
			return err
		}
	}
	return nil
}

// listAge is how old a list of models may be before it is asked for anew.
const listAge = time.Hour

// List gives the models that the endpoint offers. Where it cannot be
// asked, the last list is given with the problem.
func (models *Models) List(ctx context.Context, _ protocol.Empty) (protocol.Models, error) {
	m, err := models.New(ctx, "", func(protocol.Message) {})
	if err != nil {
		return protocol.Models{Models: []string{}, Problem: models.deps.Out.Problem(err)}, nil
	}
	l := models.endpoints.models(ctx, m.list())
	at, err := time.Parse(time.RFC3339, l.At)
	if err != nil || models.deps.Now().Sub(at) > listAge || models.deps.Now().Before(at) {
		fresh, err := models.fetch(ctx, m)
		if err != nil {
			return listed(l, models.deps.Out.Problem(err)), nil
		}
		l = fresh
	}
	return listed(l, nil), nil
}

func listed(l modelList, p *protocol.Problem) protocol.Models {
	out := protocol.Models{Models: []string{}, FetchedAt: l.At, Problem: p}
	for _, m := range l.Models {
		out.Models = append(out.Models, m.ID)
	}
	return out
}

// fetch asks for the list and keeps it.
func (models *Models) fetch(ctx context.Context, m *model) (modelList, error) {
	found, err := llm.FetchModels(ctx, m.dialect, m.endpoint, m.transport())
	if err != nil {
		return modelList{}, planner.FromLLM(llm.AsError(err, m.host()))
	}
	l := modelList{At: timestamp.Second(models.deps.Now()), Models: found}
	models.endpoints.keepModels(ctx, m.list(), l)
	return l, nil
}

// smallWindow is the window, in tokens, below which a model is asked with the small prompt.
const smallWindow = 8192

// watch says what is known of the model's window, and tells the person of requests that are too long for it.
func (models *Models) watch(ctx context.Context, m *model) window.Watch {
	tell := func(key, second string) func(int, int) {
		return func(sent, n int) {
			m.Note(protocol.Message{Key: key, Params: map[string]string{"tokens": strconv.Itoa(sent), second: strconv.Itoa(n)}})
		}
	}
	return window.Watch{Tokens: models.window(ctx, m), Tight: tell("turn.tight", "window"), Cut: tell("turn.cutByServer", "counted")}
}

// small says whether a window is so small that the model is asked with the small prompt.
func small(window int) bool { return window > 0 && window < smallWindow }

// window gives how many tokens the model takes, 0 where nobody says: by the settings, or what was told of it.
func (models *Models) window(ctx context.Context, m *model) int {
	if m.tokens > 0 {
		return m.tokens
	}
	return models.toldWindow(ctx, m)
}

// toldWindow gives the window as others tell it, 0 where nobody does: the server of the model itself, its list of models,
// or the table of prices, in this order.
func (models *Models) toldWindow(ctx context.Context, m *model) int {
	if n := models.endpoints.window(ctx, m.key()); n > 0 {
		return n
	}
	if n := models.listedWindow(ctx, m); n > 0 {
		return n
	}
	p, _ := models.deps.Usage.Prices().Find(m.host(), m.name)
	return p.Window
}

// listedWindow gives the window that the endpoint's list of models has, 0 for none.
func (models *Models) listedWindow(ctx context.Context, m *model) int {
	for _, x := range models.endpoints.models(ctx, m.list()).Models {
		if x.ID == m.name {
			return int(x.Context)
		}
	}
	return 0
}
