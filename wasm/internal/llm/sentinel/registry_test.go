package sentinel

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBothShapesOfAToolAreRead(t *testing.T) {
	yes := true
	want := []Tool{{Name: "f", Description: "d", Parameters: json.RawMessage(`{"type":"object"}`), Strict: &yes}}
	for name, raw := range map[string]string{
		"responses": `{"type":"function","name":"f","description":"d","parameters":{"type":"object"},"strict":true}`,
		"nested":    `{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"},"strict":true}}`,
		"mixed":     `{"type":"function","name":"f","function":{"name":"g","description":"d","parameters":{"type":"object"},"strict":true}}`,
	} {
		got, err := DecodeTools([]json.RawMessage{json.RawMessage(raw)})
		if err != nil {
			t.Errorf("%s: want no error, got %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: it differs from what was wanted (-want +got): %s", name, diff)
		}
	}
}

func TestToolsThatCannotBeUsedAreRefusedWithTheirPlace(t *testing.T) {
	for name, tc := range map[string]struct{ raw, want string }{
		"hosted":                     {`[{"type":"web_search"}]`, `tools[0]: type "web_search" is not supported`},
		"custom":                     {`[{"type":"function","name":"a"},{"type":"custom","name":"b"}]`, `tools[1]: type "custom"`},
		"no type":                    {`[{"name":"a"}]`, `tools[0]: type ""`},
		"no name":                    {`[{"type":"function"}]`, `tools[0]: "name" must be`},
		"name with a space":          {`[{"type":"function","name":"a b"}]`, `tools[0]: "name" must be`},
		"twice":                      {`[{"type":"function","name":"a"},{"type":"function","name":"a"}]`, `tools[1]: there are two tools named "a"`},
		"schema is text":             {`[{"type":"function","name":"a","parameters":"x"}]`, `tools[0]: the parameters of "a"`},
		"strict schema loads a URL":  {`[{"type":"function","name":"a","strict":true,"parameters":{"$ref":"https://example.com/s.json"}}]`, `tools[0]: the parameters of "a"`},
		"strict schema loads a file": {`[{"type":"function","name":"a","strict":true,"parameters":{"$ref":"file:///etc/hostname"}}]`, `tools[0]: the parameters of "a"`},
		"deep schema":                {`[{"type":"function","name":"a","parameters":{"a":` + strings.Repeat("[", 130) + strings.Repeat("]", 130) + `}}]`, `nested too deeply`},
	} {
		var raw []json.RawMessage
		if err := json.Unmarshal([]byte(tc.raw), &raw); err != nil {
			t.Fatal(err)
		}
		tools, err := DecodeTools(raw)
		if err == nil {
			_, err = NewRegistry(tools, nil)
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, tc.want)
		}
	}
}

func TestASchemaThatCannotBeCompiledIsNotCheckedWhereItIsNotStrict(t *testing.T) {
	reg, err := NewRegistry([]Tool{{Name: "a", Parameters: json.RawMessage(`{"properties":{"x":{"type":"string","pattern":"(?<=a)b"}}}`)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	call, bad := reg.decode(`{"name":"a","arguments":"{\"x\":\"q\"}"}`)
	if bad != nil || call.Warning != "" {
		t.Errorf("call %+v, error %v", call, bad)
	}
}

func TestAStrictToolMakesOnlyItsOwnCallsAndUnreadableBlocksFail(t *testing.T) {
	yes := true
	reg, err := NewRegistry([]Tool{
		{Name: "strict", Strict: &yes, Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`)},
		{Name: "loose", Parameters: json.RawMessage(`{"type":"object","required":["n"]}`)},
		{Name: "other"},
	}, map[string]bool{"strict": true, "loose": true})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		block  string
		reason Reason // "" for a call
		fails  bool
	}{
		{`{"name":"strict","arguments":"{\"n\":1}"}`, "", false},
		{`{"name":"strict","arguments":"{\"n\":\"1\"}"}`, ReasonSchema, true},
		{`{"name":"strict","arguments":"{}"}`, ReasonSchema, true},
		{`{"name":"strict","arguments":{"n":1}}`, ReasonArguments, true},
		{`{"name":"strict","arguments":"{\"n\":1,}"}`, ReasonArguments, true},
		{`{"name":"loose","arguments":{"n":1,},}`, "", false},
		{`{"name":"loose","arguments":"{}"}`, "", false},
		{`{"name":"loose","arguments":"x"}`, ReasonArguments, false},
		{`{"name":"nobody","arguments":"{}"}`, ReasonUnknown, true},
		{`{"name":"other","arguments":"{}"}`, ReasonExcluded, true},
		{`{"arguments":"{}"}`, ReasonNoName, true},
		{`nonsense`, ReasonMalformed, true},
	} {
		var failed *CallError
		var calls int
		m := New(reg, Options{}, func(e Event) {
			switch e.Kind {
			case EventCall:
				calls++
			case EventFailed:
				failed = e.Err
			case EventText, EventSpace:
			}
		})
		m.Feed(OpenTag + tc.block + CloseTag + "after")
		m.Close()
		if tc.reason == "" && calls != 1 || tc.reason != "" && calls != 0 || tc.fails != (failed != nil) || failed != nil && failed.Reason != tc.reason {
			t.Errorf("%s: %d calls, failure %v; want reason %q, failure %v", tc.block, calls, failed, tc.reason, tc.fails)
		}
		if failed != nil && strings.Contains(failed.Error(), "nobody") {
			t.Errorf("the failure repeats what the model wrote: %v", failed)
		}
	}
}

func TestABlockOverItsLimitIsTextAndTheNextCallIsStillFound(t *testing.T) {
	reg := caseRegistry(t, []string{"f"}, false)
	good := OpenTag + `{"name":"f","arguments":"{}"}` + CloseTag
	long := OpenTag + `{"name":"f","arguments":"` + strings.Repeat("x", 200)
	for _, n := range []int{1, 3, 7, 1000} {
		got := run(reg, Options{MaxBlock: 100}, cutEvery(long+good, n))
		if len(got.Calls) != 1 || got.Text != long || !got.Covered {
			t.Errorf("cut every %d: %d calls, text %q", n, len(got.Calls), got.Text)
		}
	}
	strict := run(caseRegistry(t, []string{"f"}, true), Options{MaxBlock: 100}, []string{long})
	if !strings.Contains(strict.Failed, "too long") {
		t.Errorf("strict: %q", strict.Failed)
	}
}

func TestABlockOfExactlyTheLimitIsACall(t *testing.T) {
	reg := caseRegistry(t, []string{"f"}, false)
	block := `{"name":"f","arguments":"{}"}`
	for _, n := range []int{1, 4, 1000} {
		if got := run(reg, Options{MaxBlock: len(block)}, cutEvery(OpenTag+block+CloseTag, n)); len(got.Calls) != 1 {
			t.Errorf("cut every %d: %+v", n, got)
		}
		if got := run(reg, Options{MaxBlock: len(block) - 1}, cutEvery(OpenTag+block+CloseTag, n)); len(got.Calls) != 0 || !got.Covered {
			t.Errorf("one byte over, cut every %d: %+v", n, got)
		}
	}
}

func TestTextIsHandedOnAsSoonAsItCannotBeAMarker(t *testing.T) {
	var got []string
	m := New(caseRegistry(t, []string{"f"}, false), Options{}, func(e Event) { got = append(got, e.Text) })
	for _, c := range []string{"Hi <", "tool", "s> a", " < b `", "<tool_call>", "`", " c", "<"} {
		m.Feed(c)
	}
	want := []string{"Hi ", "<tool", "s> a", " < b `", "<tool_call>", "`", " c"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("it differs from what was wanted (-want +got):", diff)
	}
}
