//go:build !js

package proxy

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/chat"
	"embedded-agent/wasm/internal/llm/sentinel"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/web/webclient"
)

// chatIdle is how long an endpoint may be silent in the middle of an answer.
const chatIdle = 5 * time.Minute

// chatBackend asks a Chat Completions endpoint for text, and takes nothing else from it.
type chatBackend struct {
	endpoint  llm.Endpoint
	transport *webclient.Transport
	provider  llm.Provider
}

// NewChat makes a backend of the endpoint at baseURL (up to /v1). key is its API key, "" for none.
func NewChat(baseURL, key string) Backend {
	e := llm.Endpoint{BaseURL: baseURL}
	e.Can.Streaming, e.Can.Images = true, true
	if key != "" {
		e.Secret = "key"
	}
	t := &webclient.Transport{Name: "key", Key: key, Client: &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute, ResponseHeaderTimeout: chatIdle,
		},
		// The key and the words are for the address that was given, and for no other.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	// A retry would come from whoever asked us; doing it here as well would multiply the attempts.
	once := llm.RetryPolicy{Attempts: 1}
	return &chatBackend{endpoint: e, transport: t, provider: llm.NewProvider(chat.Dialect{}, e, t, llm.Options{Retry: once, Idle: chatIdle})}
}

func (b *chatBackend) Ask(ctx context.Context, p Prompt, emit func(Delta)) (Usage, error) {
	r := llm.Request{Model: p.Model, MaxTokens: p.MaxTokens, Temperature: p.Temperature}
	if chat.QuirksOf(b.endpoint).Effort != chat.EffortNever {
		r.Reasoning = llm.Effort(p.Effort)
	}
	if p.Instructions != "" {
		r.Messages = append(r.Messages, llm.SystemMessage(p.Instructions))
	}
	for _, m := range sentinel.Messages(p.Items) {
		r.Messages = append(r.Messages, chatMessage(m))
	}
	s := b.provider.Stream(ctx, r)
	defer s.Close()
	var usage Usage
	for e, ok := s.Next(); ok; e, ok = s.Next() {
		switch e.Type {
		case llm.EventTextDelta:
			emit(Delta{Text: e.Delta})
		case llm.EventUsage:
			usage.count(e.Usage)
		case llm.EventError:
			return usage, e.Error
		case llm.EventDone:
			usage.stop(e.Message.StopReason)
		default: // starts, ends, reasoning, and tool calls of a kind that was not asked for
		}
	}
	return usage, nil
}

func (u *Usage) count(v *price.Usage) {
	if v != nil {
		u.Input, u.Output, u.Cached, u.Written, u.Reasoning = int(v.Input), int(v.Output), int(v.CacheRead), int(v.CacheWrite), int(v.Reasoning)
	}
}

func (u *Usage) stop(why llm.StopReason) {
	switch why {
	case llm.StopLength, llm.StopContextWindow:
		u.Stopped = StopLength
	case llm.StopRefusal:
		u.Stopped = StopFilter
	default:
	}
}

func chatMessage(m sentinel.Message) llm.Message {
	out := llm.Message{Role: llm.Role(m.Role)}
	if m.Role == sentinel.RoleDeveloper {
		out.Role = llm.RoleSystem
	}
	for _, p := range m.Parts {
		if p.ImageURL == "" {
			out.Content = append(out.Content, llm.Text(p.Text))
			continue
		}
		out.Content = append(out.Content, llm.ImageOf(p.ImageURL))
	}
	return out
}

// CheckImage takes data URLs of images only: an endpoint on this machine could not load anything else, and one elsewhere
// should not be told to.
func (b *chatBackend) CheckImage(url string) error {
	head, _, ok := strings.Cut(url, ";base64,")
	if !ok || !strings.HasPrefix(head, "data:image/") {
		return badRequest("", "An image must be sent as a data URL (data:image/png;base64,…).")
	}
	return nil
}

// Models asks the endpoint for its models.
func (b *chatBackend) Models(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	resp, err := b.transport.Do(ctx, chat.Dialect{}.Models(b.endpoint))
	if err != nil {
		return nil, llm.AsError(err, b.endpoint.Host())
	}
	defer resp.Close()
	var body []byte
	for len(body) < 4<<20 {
		chunk, err := resp.Read(ctx)
		body = append(body, chunk...)
		if err != nil {
			break // what is missing shows below
		}
	}
	if resp.Status() != http.StatusOK {
		return nil, llm.HTTPError(b.endpoint.Host(), resp.Status(), 0, body)
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if !sentinel.WellFormed(string(body)) || json.Unmarshal(body, &list) != nil {
		return nil, llm.NewError("llm.error.shape", "host", b.endpoint.Host(), "detail", "no list of models")
	}
	names := make([]string, len(list.Data))
	for i, m := range list.Data {
		names[i] = m.ID
	}
	return names, nil
}

func (b *chatBackend) Status() (string, bool) { return "chat " + b.endpoint.Host(), true }

func (b *chatBackend) Close() { b.transport.Client.CloseIdleConnections() }
