package transaction

import (
	"testing"

	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/reuse"
	"embedded-agent/wasm/internal/tool"
)

func TestAnotherAnswerOfAModelIsAnotherApproval(t *testing.T) {
	// The writes stay the same, so only what the model said differs.
	approval := func(frozen map[string]tool.Data) string {
		d, found := changing(t, map[string]string{"A.md": "a\n"}, "the same")
		d.Frozen = reuse.NewFrozen(frozen)
		found.Called["ask"] = &tool.Call{LogicalID: "ask"}
		rv, err := d.finish(t.Context(), found, func(*Review, *protocol.Review) {})
		if err != nil {
			t.Fatal(err)
		}
		return rv.View.Approval
	}
	one := approval(map[string]tool.Data{"ask": {"response": "one"}})
	if again := approval(map[string]tool.Data{"ask": {"response": "one"}}); again != one {
		t.Fatalf("%s is not %s", again, one)
	}
	if approval(map[string]tool.Data{"ask": {"response": "two"}}) == one {
		t.Error("the answer of the model is not in the approval")
	}
	if approval(map[string]tool.Data{"ask": {"response": "one"}, "gone": {"response": "two"}}) != one {
		t.Error("the answer of a step that the plan does not have any more is in the approval")
	}
}
