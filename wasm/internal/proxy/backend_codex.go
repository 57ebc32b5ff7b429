//go:build !js

package proxy

import (
	"context"

	"embedded-agent/wasm/internal/llm/codex"
	"embedded-agent/wasm/internal/llm/sentinel"
)

// codexBackend asks a supervised Codex app-server.
type codexBackend struct{ server *codex.Server }

// NewCodex makes a backend of a running app-server and takes it over.
func NewCodex(s *codex.Server) Backend { return &codexBackend{s} }

func (b *codexBackend) Ask(ctx context.Context, p Prompt, emit func(Delta)) (Usage, error) {
	r := codex.Request{Model: p.Model, Instructions: p.Instructions, Effort: p.Effort}
	for _, part := range sentinel.Transcript(p.Items) {
		r.Input = append(r.Input, codex.Input(part))
	}
	u, err := b.server.Ask(ctx, r, func(e codex.Event) { emit(Delta(e)) })
	return Usage{Input: u.Input, Cached: u.Cached, Output: u.Output, Reasoning: u.Reasoning, Stopped: StopReason(u.Stopped)}, err
}

func (b *codexBackend) CheckImage(url string) error { return codex.CheckImage(url) }

func (b *codexBackend) Models(context.Context) ([]string, error) { return b.server.Models() }

func (b *codexBackend) Status() (string, bool) {
	running, _, _ := b.server.Status()
	return "codex", running
}

func (b *codexBackend) Close() { b.server.Close() }
