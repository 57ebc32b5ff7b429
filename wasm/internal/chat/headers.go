package chat

import (
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/web"
)

// keyMark stands in a header for the endpoint's key.
const keyMark = "{{key}}"

// keyHeaders hold nothing but a key.
var keyHeaders = []string{"authorization", "api-key", "x-api-key", "x-goog-api-key"}

// setHeaders adds the headers of the settings to an endpoint. redact takes keys
// out of a text: a key in plain text is refused, since the settings lie beside the
// notes and are synced with them.
func setHeaders(e *llm.Endpoint, lines string, redact func(string) string) error {
	for line := range strings.Lines(lines) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		if value == "" || !guard.MaySet(name, value) || strings.ContainsFunc(value, func(r rune) bool { return r > '~' }) {
			return fault.New(fault.Validation, "policy.httpHeader", fault.P{"name": name})
		}
		own := strings.Contains(value, keyMark)
		if own && e.Secret == "" {
			return fault.New(fault.Auth, "error.planner.noModel", nil)
		}
		secret := own || guard.SecretRef().MatchString(value)
		if !secret && (slices.Contains(keyHeaders, name) || redact(value) != value) {
			return fault.New(fault.Denied, "policy.headerKey", fault.P{"name": name, "key": keyMark, "secret": web.SecretRef("NAME")})
		}
		if e.Header == nil {
			e.Header = map[string]string{}
		}
		e.Header[name] = strings.ReplaceAll(value, keyMark, web.SecretRef(e.Secret))
		e.KeyElsewhere = e.KeyElsewhere || own
	}
	return nil
}

// secretsOf names the secrets that requests to an endpoint carry.
func secretsOf(e llm.Endpoint) []string {
	var names []string
	if e.Secret != "" {
		names = append(names, e.Secret)
	}
	for _, value := range e.Header {
		for _, m := range guard.SecretRef().FindAllStringSubmatch(value, -1) {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
