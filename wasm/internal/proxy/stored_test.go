//go:build !js

package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// get asks for a path and gives the status and the body.
func (s *system) get(method, path string) (int, anyMap) {
	s.t.Helper()
	status, _, body := s.do(method, path)
	var out anyMap
	if err := json.Unmarshal([]byte(body), &out); err != nil {
		s.t.Fatalf("%s: %v", body, err)
	}
	return status, out
}

func TestAStoredResponseIsGivenUntilItIsDeleted(t *testing.T) {
	s := start(t, saying(oslo))
	for _, made := range []anyMap{s.streamed(`{` + weatherInput + `,` + twoTools + `}`), func() anyMap { _, r := s.whole(`{"input":"x"}`); return r }()} {
		path := "/v1/responses/" + made["id"].(string)
		status, again := s.get(http.MethodGet, path)
		if status != 200 || fmt.Sprint(again) != fmt.Sprint(made) {
			t.Errorf("HTTP %d:\n%v\n%v", status, again, made)
		}
		if status, out := s.get(http.MethodDelete, path); status != 200 || out["deleted"] != true || out["id"] != made["id"] || out["object"] != "response" {
			t.Errorf("HTTP %d %v", status, out)
		}
		for _, c := range [][2]string{{http.MethodGet, path}, {http.MethodDelete, path}, {http.MethodGet, path + "/input_items"}} {
			if status, out := s.get(c[0], c[1]); status != 404 || code(out) != "not_found" {
				t.Errorf("%s %s: HTTP %d %v", c[0], c[1], status, out)
			}
		}
		if status, out := s.whole(`{"input":"y","previous_response_id":"` + made["id"].(string) + `"}`); status != 400 {
			t.Errorf("gone on with what was deleted: HTTP %d %v", status, out)
		}
	}
	kept := s.streamed(`{"input":"x","store":false}`)
	if status, _ := s.get(http.MethodGet, "/v1/responses/"+kept["id"].(string)); status != 404 {
		t.Errorf("what was not stored is given: HTTP %d", status)
	}
	if status, out := s.get(http.MethodGet, "/v1/responses/"+s.streamed(`{"input":"x"}`)["id"].(string)+"?stream=true"); status != 400 {
		t.Errorf("as a stream: HTTP %d %v", status, out)
	}
}

// listing gives the entries of a list, one word for each, and whether there is more.
func listing(list anyMap) string {
	var words []string
	for _, d := range list["data"].([]any) {
		it := d.(anyMap)
		word := fmt.Sprint(it["type"])
		switch it["type"] {
		case "message":
			part := it["content"].([]any)[0].(anyMap)
			word = fmt.Sprintf("%s/%s:%v", it["role"], part["type"], part["text"])
		case "function_call_output":
			word = fmt.Sprintf("result:%v", it["output"])
		}
		if it["id"] == nil || it["status"] != "completed" {
			word += "!"
		}
		words = append(words, word)
	}
	if list["has_more"] == true {
		words = append(words, "…")
	}
	return strings.Join(words, " ")
}

func TestTheInputOfAStoredResponseIsListed(t *testing.T) {
	s := start(t, saying(oslo, "It is 3."))
	first := s.streamed(`{"input":[{"role":"user","content":"Oslo?"},{"role":"assistant","content":"Hm."},{"type":"reasoning","summary":[]}],` + twoTools + `}`)
	second := s.streamed(`{"input":[{"type":"function_call_output","call_id":"fc_001","output":"3"}],"previous_response_id":"` + first["id"].(string) + `",` + twoTools + `}`)
	path := "/v1/responses/" + second["id"].(string) + "/input_items"
	const all = "user/input_text:Oslo? assistant/output_text:Hm. function_call result:3"
	if _, list := s.get(http.MethodGet, path+"?order=asc"); listing(list) != all || list["object"] != "list" {
		t.Errorf("want equal to all and list[\"object\"] \"list\", got %s", listing(list))
	}
	_, list := s.get(http.MethodGet, path+"?limit=3")
	if got := listing(list); got != "result:3 function_call assistant/output_text:Hm. …" {
		t.Errorf("want \"result:3 function_call assistant/output_text:Hm. …\", got %s", got)
	}
	if _, rest := s.get(http.MethodGet, path+"?after="+list["last_id"].(string)); listing(rest) != "user/input_text:Oslo?" || rest["first_id"] != rest["last_id"] {
		t.Errorf("want \"user/input_text:Oslo?\" and rest[\"first_id\"] equal to rest[\"last_id\"], got %s", listing(rest))
	}
	if _, list := s.get(http.MethodGet, "/v1/responses/"+s.streamed(`{"input":"hi"}`)["id"].(string)+"/input_items"); listing(list) != "user/input_text:hi" {
		t.Errorf("want \"user/input_text:hi\", got %s", listing(list))
	}
	for _, query := range []string{"?limit=0", "?limit=x", "?limit=101", "?order=up", "?after=nobody"} {
		if status, out := s.get(http.MethodGet, path+query); status != 400 {
			t.Errorf("%s: HTTP %d %v", query, status, out)
		}
	}
}

func TestInputTokensAreEstimatedWithoutAskingTheModel(t *testing.T) {
	s := start(t, saying("x"))
	count := func(body string) (int, anyMap) {
		t.Helper()
		resp, err := s.postTo(context.Background(), "/v1/responses/input_tokens", body)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		var out anyMap
		if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, out
	}
	short, long := `{"input":"Hello"}`, `{"input":"`+strings.Repeat("Hello there. ", 100)+`",`+twoTools+`}`
	_, a := count(short)
	status, b := count(long)
	if status != 200 || b["object"] != "response.input_tokens" || a["input_tokens"].(float64) < 1 || b["input_tokens"].(float64) < 300 || b["input_tokens"].(float64) > 1500 {
		t.Errorf("HTTP %d %v %v", status, a, b)
	}
	if status, out := count(`{"input":[]}`); status != 400 {
		t.Errorf("HTTP %d %v", status, out)
	}
	if s.asked() != 0 {
		t.Error("the model was asked")
	}
}

func TestACustomToolTakesAnyText(t *testing.T) {
	const tool = `"tools":[{"type":"custom","name":"shell","description":"Runs it.","format":{"type":"grammar","syntax":"lark","definition":"start: WORD"}}]`
	s := start(t, saying("So: "+block("shell", `{"input":"ls \"a\"\n"}`), "done", block("shell", `{"oops":1}`)))
	first := s.streamed(`{"input":"x",` + tool + `}`)
	if got, want := short(first), "So: |fc_001:shell[ls \"a\"\n]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !strings.Contains(s.last().Instructions, "start: WORD") || fmt.Sprint(first["tools"].([]any)[0].(anyMap)["type"]) != "custom" {
		t.Errorf("want last.Instructions with \"start: WORD\" and \"custom\", got %s\n%v", s.last().Instructions, first["tools"])
	}
	call := mustJSON(first["output"].([]any)[1])
	s.streamed(`{"input":[{"role":"user","content":"x"},` + string(call) + `,{"type":"custom_tool_call_output","call_id":"fc_001","output":"a.txt"}],` + tool + `}`)
	if items := s.last().Items; len(items) != 3 || items[1].Arguments != `{"input":"ls \"a\"\n"}` || items[2].Output != "a.txt" {
		t.Errorf("want 3 items, items[1].Arguments \"{\\\"input\\\":\\\"ls \\\\\\\"a\\\\\\\"\\\\n\\\"}\" and items[2].Output \"a.txt\", got %+v", items)
	}
	if _, whole := s.whole(`{"input":"x",` + tool + `,"tool_choice":{"type":"custom","name":"shell"}}`); short(whole) != `fc_001:shell[{"oops":1}]` {
		t.Errorf("want \"fc_001:shell[{\\\"oops\\\":1}]\", got %s", short(whole))
	}
	if status, out := s.whole(`{"input":"x","tools":[{"type":"custom","name":"a","format":{"type":"dance"}}]}`); status != 400 {
		t.Errorf("HTTP %d %v", status, out)
	}
}
