package llm

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/jsontree"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/web"
)

// Finding is something that a connection test found, as a message key with its parameters and the same in English.
type Finding struct {
	Key     string            `json:"key"`
	Params  map[string]string `json:"params,omitempty"`
	Message string            `json:"message"`
	Good    bool              `json:"good"`
}

// ProbeResult is the outcome of a connection test. Error is set when the endpoint cannot be used at all.
type ProbeResult struct {
	Can Capabilities `json:"can"`
	// Known has the features that were found out for certain, for or against.
	Known    map[Feature]bool `json:"known,omitempty"`
	Findings []Finding        `json:"findings"`
	Usage    price.Usage      `json:"usage"`
	Error    *Error           `json:"error,omitempty"`
}

// probeTokens is the output limit of a probe: enough for a model that thinks before it says one word.
const probeTokens = 1024

// redSquare is a PNG of 32 by 32 red pixels.
const redSquare = "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAJ0lEQVR42u3NsQkAAAjAsP7/tF7hIASyp6lTCQQCgUAgEAgEgi/BAjLD/C5w/SM9AAAAAElFTkSuQmCC"

// Probe finds out what an endpoint and model can do, with up to six small requests. found, when not nil, hears each
// finding as it is made. The test stops at a failure that makes the rest pointless: a refused key, an unknown model, an
// endpoint that cannot be reached.
func Probe(ctx context.Context, d Dialect, e Endpoint, t web.Transport, model string, found func(Finding)) ProbeResult {
	p := &probe{ctx: ctx, model: model, host: e.Host(), found: found}
	p.result.Known = map[Feature]bool{}
	p.provider = NewProvider(d, e, watched{t, &p.buffered}, Options{Retry: RetryPolicy{Attempts: 1}})
	if !p.reach() {
		return p.result
	}
	for _, step := range []func(){p.tools, p.schema, p.images} {
		if step(); p.ctx.Err() != nil {
			p.result.Error = AsError(p.ctx.Err(), p.host)
			break
		}
	}
	return p.result
}

// watched notes whether an answer was buffered.
type watched struct {
	web.Transport
	buffered *bool
}

// Do sends the request.
func (w watched) Do(ctx context.Context, r web.Request) (web.Response, error) {
	answer, err := w.Transport.Do(ctx, r)
	*w.buffered = *w.buffered || err == nil && web.Buffered(answer)
	return answer, err
}

type probe struct {
	buffered bool
	ctx      context.Context
	model    string
	host     string
	whole    bool
	provider Provider
	found    func(Finding)
	result   ProbeResult
}

// ask sends a small request and counts what it used.
func (p *probe) ask(r Request) (Message, *Error) {
	r.Model, r.MaxTokens, r.Whole = p.model, probeTokens, p.whole
	m, err := Collect(p.provider.Stream(p.ctx, r), nil)
	if m.Usage != nil {
		p.result.Usage = p.result.Usage.Add(*m.Usage)
	}
	return m, err
}

func (p *probe) find(key string, good bool, params ...string) {
	f := Finding{Key: key, Good: good, Params: map[string]string{"host": p.host, "model": p.model}}
	for i := 0; i+1 < len(params); i += 2 {
		f.Params[params[i]] = clip(params[i+1])
	}
	f.Message = english(key, f.Params)
	p.result.Findings = append(p.result.Findings, f)
	if p.found != nil {
		p.found(f)
	}
}

// yesNo reports a capability: key.yes or key.no with the reason.
func (p *probe) yesNo(f Feature, to *bool, good bool, why *Error, otherwise string) {
	key := "llm.finding." + string(f)
	*to = good
	if good {
		p.result.Known[f] = true
		p.find(key+".yes", true)
		return
	}
	if why != nil {
		otherwise = why.Message
	}
	if slices.Contains(findings, key+".unsure") && why != nil && !refusal(why) {
		p.find(key+".unsure", false, "detail", otherwise)
		return
	}
	p.result.Known[f] = false
	p.find(key+".no", false, "detail", otherwise)
}

// refusal reports whether an error says something about what was asked; a lost connection or a busy endpoint does not.
func refusal(err *Error) bool {
	return err.Code == CodeValidation || err.Code == CodeNotFound || (err.Code == CodeProvider && !err.Retryable)
}

// reach asks for a word, in a stream and, if that is refused, in one piece.
func (p *probe) reach() bool {
	hello := Request{Messages: []Message{UserMessage("Answer with the one word: ready")}}
	_, err := p.ask(hello)
	streamErr := err
	if err != nil && err.Code != CodeAuth && err.Code != CodeCancelled && err.Code != CodeRateLimit {
		p.whole = true
		_, err = p.ask(hello)
	}
	if err != nil {
		p.result.Error = err
		p.find("llm.finding.failed", false, "detail", err.Message)
		return false
	}
	p.find("llm.finding.reached", true)
	if p.buffered { // of the host, not of the endpoint; it may be different the next time
		p.find("llm.finding.streaming.buffered", false)
		return true
	}
	p.yesNo(FeatureStreaming, &p.result.Can.Streaming, streamErr == nil, streamErr, "")
	return true
}

// tools asks for two calls at once: one shows that the model can call, two that it can call in parallel.
func (p *probe) tools() {
	schema := json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`)
	m, err := p.ask(Request{
		Messages: []Message{UserMessage("Call the tool probe.echo twice in this one answer: with text a, and with text b.")},
		Tools:    []Tool{{Name: "probe.echo", Description: "Repeats a text.", Parameters: schema}},
	})
	calls := 0
	for _, c := range m.Calls() {
		if c.Executable() && c.Name == "probe.echo" {
			calls++
		}
	}
	p.yesNo(FeatureTools, &p.result.Can.Tools, err == nil && calls > 0, err, "it answered without a call")
	if p.result.Can.Tools {
		p.yesNo(FeatureParallel, &p.result.Can.Parallel, calls > 1, nil, "")
	}
}

// schema asks for JSON of a form that nobody would choose unasked.
func (p *probe) schema() {
	schema := json.RawMessage(`{"type":"object","properties":{"probe_colour":{"type":"string","enum":["ultramarine"]}},"required":["probe_colour"],"additionalProperties":false}`)
	m, err := p.ask(Request{
		Messages: []Message{UserMessage("Name a colour as JSON.")},
		Format:   &Format{Name: "probe", Schema: schema},
	})
	v, bad := jsontree.Parse([]byte(strings.TrimSpace(m.Text())))
	good := err == nil && bad == nil && v.Get("probe_colour").Is("ultramarine")
	p.yesNo(FeatureSchema, &p.result.Can.JSONSchema, good, err, "the answer does not follow the schema")
}

func (p *probe) images() {
	m, err := p.ask(Request{Messages: []Message{
		UserMessage("Which colour is this square? Answer with the one English word.", Image("image/png", redSquare)),
	}})
	good := err == nil && strings.Contains(strings.ToLower(m.Text()), "red")
	p.yesNo(FeatureImages, &p.result.Can.Images, good, err, "it did not recognise a red square")
}
