package modelstep_test

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/tool"
)

// receipts makes outputs out of calls written as "id tool value"; a value of !
// is a failure, of ? one that goes on.
func receipts(calls ...string) modelstep.Outputs {
	out := modelstep.Outputs{ToolsByID: map[string]tool.Envelope{}}
	for _, c := range calls {
		f := strings.Fields(c)
		e := tool.Envelope{CallID: f[0], Name: f[1], Version: "1.0.0", TEnd: "2026-01-01T00:00:00.000Z"}
		switch f[2] {
		case "!":
			e.Error = &tool.EnvelopeError{Code: "TIMEOUT"}
		case "?":
			e.TEnd = ""
		default:
			e.Output = f[2]
		}
		out.ToolOrder = append(out.ToolOrder, f[0])
		out.ToolsByID[f[0]] = e
	}
	return out
}

func TestAPinTakesTheCallThatItsStrategyChooses(t *testing.T) {
	out := receipts("1 w !", "2 w sun", "3 x other", "4 w rain", "5 v !")
	for _, c := range []struct {
		selector modelstep.Selector
		want     any
	}{
		{modelstep.Selector{Tool: "w"}, "rain"},
		{modelstep.Selector{Tool: "w", Strategy: modelstep.Latest}, "rain"},
		{modelstep.Selector{Tool: "w", Strategy: modelstep.FirstSuccess}, "sun"},
		{modelstep.Selector{Tool: "w@1.0.0", Strategy: modelstep.FirstSuccess}, "sun"},
		{modelstep.Selector{Tool: "w@2.0.0"}, nil},
		{modelstep.Selector{Tool: "w", Strategy: modelstep.ByCallID, CallID: "2"}, "sun"},
		{modelstep.Selector{Tool: "w", Strategy: modelstep.ByCallID, CallID: "3"}, nil},
		{modelstep.Selector{Tool: "w", Strategy: modelstep.ByCallID, CallID: "9"}, nil},
		{modelstep.Selector{Tool: "v"}, nil},
		{modelstep.Selector{Tool: "v", Strategy: modelstep.FirstSuccess}, nil},
		{modelstep.Selector{Tool: "gone"}, nil},
	} {
		got, err := modelstep.ResolvePins([]modelstep.Pin{{Name: "p", Selector: c.selector}}, out, nil)
		if value, there := got["p"]; err != nil || !there || value != c.want {
			t.Errorf("%+v gives %v, %v", c.selector, got, err)
		}
	}
}

func TestAPinWithoutAValueGivesNullAnErrorOrTheLastSuccess(t *testing.T) {
	last := &modelstep.MemoryValues{}
	pins := []modelstep.Pin{{Name: "w", Selector: modelstep.Selector{Tool: "w"}, OnMissing: modelstep.MissingStale}}
	for _, step := range []struct {
		out  modelstep.Outputs
		want any
	}{
		{receipts("1 w !"), nil}, // never anything
		{receipts("1 w sun"), "sun"},
		{receipts("1 w !"), "sun"},
		{receipts("1 w ?"), "sun"},
		{receipts("1 w rain"), "rain"},
		{receipts(), "rain"},
	} {
		got, err := modelstep.ResolvePins(pins, step.out, last)
		if err != nil || got["w"] != step.want {
			t.Errorf("%v gives %v, %v", step.out.ToolOrder, got, err)
		}
	}
	pins[0].OnMissing = modelstep.MissingError
	if _, err := modelstep.ResolvePins(pins, receipts("1 w !"), last); !fault.Is(err, fault.NotFound) {
		t.Errorf("error gives %v", err)
	}
	pins[0].OnMissing = modelstep.MissingNull
	if got, err := modelstep.ResolvePins(pins, receipts(), last); err != nil || got["w"] != nil {
		t.Errorf("null gives %v, %v", got, err)
	}
}

func TestPinsThatCannotWorkAreRefused(t *testing.T) {
	ok := modelstep.Selector{Tool: "w"}
	for name, pins := range map[string][]modelstep.Pin{
		"no name":          {{Selector: ok}},
		"name of words":    {{Name: "a b", Selector: ok}},
		"twice":            {{Name: "a", Selector: ok}, {Name: "a", Selector: ok}},
		"no tool":          {{Name: "a"}},
		"strategy":         {{Name: "a", Selector: modelstep.Selector{Tool: "w", Strategy: "best"}}},
		"by_call_id empty": {{Name: "a", Selector: modelstep.Selector{Tool: "w", Strategy: modelstep.ByCallID}}},
		"on_missing":       {{Name: "a", Selector: ok, OnMissing: "retry"}},
	} {
		if _, err := modelstep.ResolvePins(pins, receipts(), nil); !fault.Is(err, fault.Validation) {
			t.Errorf("%s: want the error fault.Validation, got %v", name, err)
		}
	}
}
