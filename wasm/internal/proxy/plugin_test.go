//go:build !js

package proxy

import (
	"encoding/json"
	"net/http"
	"testing"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/chat"
	"embedded-agent/wasm/internal/llm/openai"
	"embedded-agent/wasm/internal/web/webclient"
)

func TestThePluginsOwnDialectsCallToolsThroughTheProxy(t *testing.T) {
	for _, d := range []llm.Dialect{openai.Dialect{}, chat.Dialect{}} {
		for _, whole := range []bool{false, true} {
			s := start(t, saying("Let me see. "+block("weather__get", `{"city":"Oslo"}`), "It is 3."))
			e, dialect := llm.ParseAddress(s.url + "/v1")
			if dialect != "" {
				t.Fatal("want no dialect, got:", dialect)
			}
			p := llm.NewProvider(d, e, &webclient.Transport{Client: http.DefaultClient}, llm.Options{})
			r := llm.Request{
				Model: "m", Whole: whole, Reasoning: llm.EffortLow, Messages: []llm.Message{llm.SystemMessage("Be brief."), llm.UserMessage("Oslo?")},
				Tools: []llm.Tool{{Name: "weather.get", Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)}},
			}
			m, err := llm.Collect(p.Stream(t.Context(), r), nil)
			if err != nil || m.Text() != "Let me see. " || len(m.Calls()) != 1 || m.Calls()[0].Name != "weather.get" {
				t.Fatalf("%s: want no error, Text \"Let me see. \", 1 Calls and Calls[0].Name \"weather.get\", got %+v, %v", d.Name(), m, err)
			}
			r.Messages = append(r.Messages, m, llm.ToolResult(m.Calls()[0], false, llm.Text("3")))
			if m, err = llm.Collect(p.Stream(t.Context(), r), nil); err != nil || m.Text() != "It is 3." || m.Usage == nil {
				t.Errorf("%s: want no error, Text \"It is 3.\" and Usage set, got %+v, %v", d.Name(), m, err)
			}
			if last := s.last(); len(last.Items) != 4 || last.Items[3].Output != "3" || last.Effort != "low" {
				t.Errorf("%s: want 4 Items, Items[3].Output \"3\" and Effort \"low\", got %+v", d.Name(), last)
			}
			if _, err := llm.FetchModels(t.Context(), d, e, &webclient.Transport{Client: http.DefaultClient}); err != nil {
				t.Error(err)
			}
		}
	}
}
