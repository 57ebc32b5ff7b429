package llm_test

import (
	"testing"

	"embedded-agent/wasm/internal/llm"
)

const low = llm.Feature("effort.low")

// refusalWords are answers of endpoints, by status and body, with the feature that they refuse.
var refusalWords = []struct {
	name   string
	status int
	body   string
	want   llm.Feature
}{
	{"ollama", 400, `{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools","type":"api_error"}}`, llm.FeatureTools},
	{"vllm", 400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","code":400}`, llm.FeatureTools},
	{"llama.cpp", 500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, llm.FeatureTools},
	{"groq", 400, `{"error":{"message":"` + "`tool calling`" + ` is not supported with this model","type":"invalid_request_error"}}`, llm.FeatureTools},
	{"openrouter", 404, `{"error":{"message":"No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs","code":404}}`, llm.FeatureTools},
	{"deepseek", 400, `{"error":{"message":"deepseek-reasoner does not support Function Calling","type":"invalid_request_error"}}`, llm.FeatureTools},
	{"fastapi", 422, `{"detail":[{"type":"extra_forbidden","loc":["body","tools"],"msg":"Extra inputs are not permitted","input":[]}]}`, llm.FeatureTools},
	{"not implemented", 501, `{"error":"tools are not implemented"}`, llm.FeatureTools},

	{"openai's older models", 400, `{"error":{"message":"Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.","type":"invalid_request_error"}}`, llm.FeatureSchema},
	{"deepseek's format", 400, `{"error":{"message":"This response_format type is unavailable now","type":"invalid_request_error"}}`, llm.FeatureSchema},
	{"a value of format", 400, `{"error":{"message":"'response_format.type' must be 'text'"}}`, llm.FeatureSchema},

	{"openai's verification", 400, `{"error":{"message":"Your organization must be verified to stream this model.","param":"stream"}}`, llm.FeatureStreaming},
	{"azure", 400, `{"error":{"message":"Unsupported value: 'stream' does not support true with this model."}}`, llm.FeatureStreaming},
	{"tools in streams", 400, `{"error":{"message":"tools are not supported in streaming mode"}}`, llm.FeatureStreaming},

	{"openrouter's images", 404, `{"error":{"message":"No endpoints found that support image input","code":404}}`, llm.FeatureImages},
	{"llama.cpp's images", 500, `{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}`, llm.FeatureImages},
	{"vllm's images", 400, `{"object":"error","message":"m is not a multimodal model"}`, llm.FeatureImages},

	{"temperature", 400, `{"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model."}}`, llm.FeatureTemperature},

	{"an effort that openai's model has not", 400, `{"error":{"message":"Unsupported value: 'low' is not supported with the 'o3' model. Supported values are: 'medium', and 'high'.","type":"invalid_request_error","param":"reasoning.effort","code":"unsupported_value"}}`, low},
	{"openai's models without reasoning", 400, `{"error":{"message":"Unsupported parameter: 'reasoning.effort' is not supported with this model."}}`, low},
	{"ollama's models without thinking", 400, `{"error":"\"llama3.2:latest\" does not support thinking"}`, low},
	{"vllm's effort", 422, `{"detail":[{"type":"literal_error","loc":["body","reasoning_effort"],"msg":"Input should be 'medium' or 'high'"}]}`, low},
	{"openai's summaries", 400, `{"error":{"message":"Your organization must be verified to generate reasoning summaries.","param":"reasoning.summary"}}`, llm.FeatureSummaries},

	{"an item that lacks its reasoning", 400, `{"error":{"message":"Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'."}}`, ""},
	{"a broken schema of ours", 400, `{"error":{"message":"Invalid 'messages[3].tool_call_id': too long"}}`, ""},
	{"a broken image", 400, `{"error":{"message":"Invalid image data"}}`, ""},
	{"too long", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens; tools are not supported beyond"}}`, ""},
	{"a refused key", 401, `{"error":{"message":"tools are not available to this key"}}`, ""},
	{"busy", 429, `{"error":{"message":"streaming is not available now"}}`, ""},
	{"broken", 500, `{"error":{"message":"Internal error"}}`, ""},
	{"an unknown model", 404, `{"error":{"message":"The model 'gpt-9' does not exist"}}`, ""},
}

func TestRefusalsAreRecognisedByTheirWords(t *testing.T) {
	all := []llm.Feature{llm.FeatureStreaming, llm.FeatureTemperature, llm.FeatureImages, llm.FeatureTools, llm.FeatureSchema, llm.FeatureSummaries, llm.EffortFeature(llm.EffortLow)}
	for _, c := range refusalWords {
		err := llm.HTTPError("model.example", c.status, 0, []byte(c.body))
		if got := llm.Refused(err, all...); got != c.want {
			t.Errorf("%s: %q, want %q (%s)", c.name, got, c.want, err.Message)
		}
		if c.want == "" {
			continue
		}
		if err.Retryable {
			t.Errorf("%s: a refusal would be sent again", c.name)
		}
		var others []llm.Feature
		for _, f := range all {
			// A summary is never asked for without an effort, and is the first to go.
			if f != c.want && f != llm.FeatureTools && c.want != llm.FeatureSummaries {
				others = append(others, f)
			}
		}
		if got := llm.Refused(err, others...); got != "" {
			t.Errorf("%s: %q is refused too, which was asked for beside it", c.name, got)
		}
	}
	if llm.Refused(nil, all...) != "" {
		t.Error("no error refuses something")
	}
	if llm.Refused(llm.NewError("llm.error.noPlainJSON"), all...) != llm.FeatureSchema {
		t.Error("a dialect that has no schema does not refuse it")
	}
}
