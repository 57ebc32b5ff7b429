package plan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/plan/plantest"
	"embedded-agent/wasm/internal/tool"
)

func TestTheSchemaAndTheDecoderAgree(t *testing.T) {
	schema, err := tool.CompileSchema("plan", plan.Schema(plantest.Registry()))
	if err != nil {
		t.Fatal(err)
	}
	full := `{"version":"1","goal":"g","assumptions":["a"],"riskLevel":"writes","defaults":{"onError":"skip","retry":{"maxAttempts":2},"timeoutMs":5},
		"steps":[{"id":"a-b","tool":"vault.listFiles","version":"1.0.0","args":{"limit":3},"foreach":{"from":[1],"itemName":"x","indexName":"i","concurrency":2},
		"dependsOn":[],"onError":"retry","retry":{"maxAttempts":1,"backoffMs":0},"timeoutMs":1,"captureAs":"v","preview":"p"}],"outputs":{"o":"$vars.v"}}`
	type edit struct{ from, to string }
	for _, c := range []struct {
		edits []edit
		ok    bool
	}{
		{nil, true},
		{[]edit{{`"version":"1",`, ``}}, true},
		{[]edit{{`"version":"1",`, `"version":1,`}}, true},
		{[]edit{{`"version":"1",`, `"version":"2",`}}, false},
		{[]edit{{`"goal":"g"`, `"goal":" "`}}, false},
		{[]edit{{`"goal":"g",`, ``}}, false},
		{[]edit{{`"goal":"g"`, `"goal":null`}}, false},
		{[]edit{{`["a"]`, `[1]`}}, false},
		{[]edit{{`"riskLevel":"writes"`, `"riskLevel":"high"`}}, false},
		{[]edit{{`"steps":[`, `"moreSteps":[`}}, false},
		{[]edit{{`"id":"a-b"`, `"name":"a-b"`}}, false},
		{[]edit{{`"id":"a-b"`, `"id":7`}}, false},
		{[]edit{{`"id":"a-b"`, `"id":"a b"`}}, false},
		{[]edit{{`vault.listFiles`, `vault.formatDisk`}}, false},
		{[]edit{{`vault.listFiles`, `note.bad`}}, false},
		{[]edit{{`{"limit":3}`, `[3]`}}, false},
		{[]edit{{`"from":[1]`, `"from":"$steps.none"`}, {`"itemName":"x"`, `"itemName":""`}}, false},
		{[]edit{{`"from":[1]`, `"from":{}`}}, false},
		{[]edit{{`"from":[1],`, ``}}, false},
		{[]edit{{`"concurrency":2`, `"parallel":2`}}, false},
		{[]edit{{`"concurrency":2`, `"concurrency":0`}}, false},
		{[]edit{{`"maxAttempts":1,`, ``}}, false},
		{[]edit{{`"backoffMs":0`, `"backoffMs":-1`}}, false},
		{[]edit{{`"timeoutMs":1,`, `"timeoutMs":1.5,`}}, false},
		{[]edit{{`"onError":"retry"`, `"onError":"ignore"`}}, false},
		{[]edit{{`"captureAs":"v"`, `"captureAs":"v v"`}}, false},
		{[]edit{{`"preview":"p"`, `"preview":["p"]`}}, false},
		{[]edit{{`"outputs":{"o":"$vars.v"}`, `"outputs":[]`}}, false},
		{[]edit{{`"dependsOn":[]`, `"dependsOn":"x"`}}, false},
		{[]edit{{`"defaults":{"onError":"skip"`, `"defaults":{"onFail":"skip"`}}, false},
	} {
		text := full
		for _, e := range c.edits {
			if !strings.Contains(text, e.from) {
				t.Fatalf("%s is not in the plan", e.from)
			}
			text = strings.Replace(text, e.from, e.to, 1)
		}
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		violations := schema.Validate(v)
		_, problems := errorsOf(text, plan.Rules{})
		if (violations == nil) != c.ok {
			t.Errorf("%v: the schema says %v", c.edits, violations)
		}
		if (problems == nil) != c.ok {
			t.Errorf("%v: decoding and checking say %v", c.edits, problems)
		}
	}
}

func TestTheSchemaOffersActiveToolsOnly(t *testing.T) {
	s := string(plan.Schema(plantest.Registry()))
	if !strings.Contains(s, `"vault.createFile"`) || strings.Contains(s, `"note.bad"`) || strings.Contains(s, `"note.old"`) {
		t.Error("want a text with \"\\\"vault.createFile\\\"\", a text without \"\\\"note.bad\\\"\" and a text without \"\\\"note.old\\\"\", got:", s)
	}
}
