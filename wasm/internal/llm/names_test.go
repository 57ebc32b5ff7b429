package llm_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/llm"
)

var wireForm = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func TestToolNamesGoThereAndBack(t *testing.T) {
	for name, wire := range map[string]string{
		"vault.createFile": "vault__createFile", "submit_plan": "submit_plan", "a.b.c": "a__b__c", "x-y.z_1": "x-y__z_1",
	} {
		got, err := llm.WireName(name)
		if err != nil || got != wire || llm.ToolName(got) != name {
			t.Errorf("%s becomes %s (%v), and back %s", name, got, err, llm.ToolName(got))
		}
	}
	if llm.ToolName("vault.createFile") != "vault.createFile" {
		t.Error("a dotted name that a model answers with is changed")
	}
}

func TestNamesThatCouldNotBeReadBackAreRefused(t *testing.T) {
	for _, name := range []string{"", ".", "a..b", "a__b", "a_.b", "a._b", "_a", "a_", "ä.b", "a b", "a/b", strings.Repeat("a", 65), strings.Repeat("a.", 30) + "abcdef"} {
		if wire, err := llm.WireName(name); err == nil {
			t.Errorf("%q becomes %s", name, wire)
		} else if e := llm.AsError(err, ""); e.Code != llm.CodeValidation || e.Key != "llm.error.toolName" {
			t.Errorf("%q: want Code llm.CodeValidation and Key \"llm.error.toolName\", got %+v", name, e)
		}
	}
}

func TestNoTwoToolNamesCollide(t *testing.T) {
	name := rapid.StringOfN(rapid.SampledFrom([]rune("a_.-B1")), 1, 12, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := name.Draw(t, "a"), name.Draw(t, "b")
		wireA, errA := llm.WireName(a)
		wireB, errB := llm.WireName(b)
		if errA == nil && (!wireForm.MatchString(wireA) || llm.ToolName(wireA) != a) {
			t.Fatalf("%s becomes %s, and back %s", a, wireA, llm.ToolName(wireA))
		}
		if errA == nil && errB == nil && (wireA == wireB) != (a == b) {
			t.Fatalf("%s and %s both become %s", a, b, wireA)
		}
	})
}

func TestEveryNameThatAModelInventedCanGoBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		if got := llm.HistoryName(name); !wireForm.MatchString(got) {
			t.Fatalf("%q becomes %q", name, got)
		}
	})
	if got := llm.HistoryName("vault.list"); got != "vault__list" {
		t.Errorf("a good name becomes %s", got)
	}
}

func TestCallIDsFitAndComeBack(t *testing.T) {
	id := rapid.OneOf(rapid.StringOfN(rapid.SampledFrom([]rune("aZ9")), 9, 9, -1), rapid.SampledFrom([]string{"functions.x:0", "call_1", ""}), rapid.StringN(1, 80, -1))
	rapid.Check(t, func(t *rapid.T) {
		var m llm.Message
		for range rapid.IntRange(1, 8).Draw(t, "calls") {
			m.Content = append(m.Content, llm.Call(id.Draw(t, "id"), "a", nil))
		}
		for name, fits := range map[string]func(string) bool{"nine": llm.NineLetters, "plain": llm.PlainID(64), "short": llm.ShortID(40)} {
			ids, again := llm.FitIDs([]llm.Message{m}, fits), llm.FitIDs([]llm.Message{m}, fits)
			used := map[string]string{}
			for _, c := range m.Calls() {
				wire := ids.Wire(c.ID)
				if !fits(wire) || ids.Original(wire) != c.ID || again.Wire(c.ID) != wire || (fits(c.ID) && wire != c.ID) {
					t.Fatalf("%s: %q becomes %q, and back %q", name, c.ID, wire, ids.Original(wire))
				}
				if other, taken := used[wire]; taken && other != c.ID {
					t.Fatalf("%s: %q and %q both become %q", name, c.ID, other, wire)
				}
				used[wire] = c.ID
			}
		}
	})
}
