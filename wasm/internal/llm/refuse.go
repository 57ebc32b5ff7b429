package llm

import (
	"slices"
	"strings"
)

// Feature is something that an endpoint may be asked for, and may refuse.
type Feature string

// The features.
const (
	FeatureStreaming   Feature = "streaming"
	FeatureTools       Feature = "tools"
	FeatureSchema      Feature = "schema"
	FeatureImages      Feature = "images"
	FeatureParallel    Feature = "parallel"
	FeatureTemperature Feature = "temperature"
	FeatureSummaries   Feature = "summaries"
	// featureEffort is the beginning of EffortFeature's.
	featureEffort Feature = "effort"
)

// EffortFeature is the feature of thinking with an effort: endpoints have some of them and not others.
func EffortFeature(e Effort) Feature { return featureEffort + "." + Feature(e) }

// nouns are how endpoints speak of a feature; some have words of their own that say no all by themselves.
var nouns = map[Feature][]string{
	FeatureStreaming:   {"stream"},
	FeatureTools:       {"tool", "function call", "functions"},
	FeatureSchema:      {"response_format", "response format", "json_schema", "json schema", "structured output", "output_config", "text.format", "json mode", "grammar"},
	FeatureImages:      {"image", "vision", "multimodal", "multi-modal"},
	FeatureTemperature: {"temperature"},
	FeatureSummaries:   {"summar"},
	featureEffort:      {"effort", "reasoning", "thinking"},
}

// refusals are how endpoints say that they do not do something.
var refusals = []string{
	"not support", "n't support", "unsupported", "only support", "no support", "not available", "not enabled", "not allowed", "not permitted",
	"not implemented", "not accept", "not compatible", "incompatible", "disabled", "unavailable", "requires", "must be verified", "no endpoints found",
	"unknown", "unrecognized", "unrecognised", "unexpected", "not a multimodal", "not a vision", "deprecated", "supported values", "only works in",
}

// shapeless are words that refuse a form, but also say that a value is broken; they count for what has only one form.
var shapeless = []string{"invalid", "must be", "should be", "cannot"}

// Refused tells which of the features that were asked for an error refuses, "" when it is about something else. Endpoints
// have no common code for that: it goes by their words, so an unusual wording is not recognised.
func Refused(err *Error, asked ...Feature) Feature {
	if err == nil {
		return ""
	}
	switch err.Key {
	case "llm.error.noPlainJSON":
		if slices.Contains(asked, FeatureSchema) {
			return FeatureSchema
		}
		return ""
	case "llm.error.request", "llm.error.notFound", "llm.error.provider":
	default:
		return ""
	}
	return refusedIn(err.Params["detail"], asked)
}

func refusedIn(detail string, asked []Feature) Feature {
	words := strings.ToLower(detail)
	no := has(words, refusals)
	bad := has(words, shapeless)
	for _, f := range asked {
		kind, _, _ := strings.Cut(string(f), ".")
		formal := has(words, []string{"effort"}) || f == FeatureSchema || f == FeatureTemperature
		if has(words, nouns[Feature(kind)]) && (no || formal && bad) {
			return f
		}
	}
	return ""
}

// refusesFeature says whether the words of a broken endpoint are in truth a refusal: some answer those with HTTP 500.
func refusesFeature(detail string) bool {
	return refusedIn(detail, []Feature{FeatureStreaming, FeatureTools, FeatureSchema, FeatureImages}) != ""
}

func has(words string, any []string) bool {
	for _, w := range any {
		if strings.Contains(words, w) {
			return true
		}
	}
	return false
}
