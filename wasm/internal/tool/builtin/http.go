package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/regex"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/web"
	"embedded-agent/wasm/internal/webpage"
)

// The bounds of an answer, in bytes: read for a model and for a plan where the
// call names no number, of the line that sums it up, and of a refusal's reason.
const (
	defaultBody = 1 << 20
	mostBody    = 4 << 20
	previewText = 200
	refusalText = 300
)

// secretName is a secret in a header, by the name that the settings have for it.
var secretName = regex.Lazy(`\{\{secret:([^{}]*)\}\}`)

// headerSecrets names the secrets that a call puts into headers.
func headerSecrets(args tool.Args) []string {
	var names []string
	for _, v := range headersOf(args) {
		for _, m := range secretName().FindAllStringSubmatch(v, -1) {
			names = append(names, m[1])
		}
	}
	return names
}

func headersOf(args tool.Args) map[string]string {
	out := map[string]string{}
	given, _ := args["headers"].(map[string]any)
	for name, v := range given {
		if text, ok := v.(string); ok {
			out[name] = text
		}
	}
	return out
}

// fetcher makes the function of a tool that sends the request which its call describes.
func fetcher(s tool.Spec) func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
	return func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
		return fetch(ctx, env, s.MethodOf(args), args)
	}
}

// fetch sends the request of a call, and gives its answer as data.
func fetch(ctx context.Context, env *tool.Env, method string, args tool.Args) (tool.Data, error) {
	if env.HTTP == nil {
		return nil, fault.New(fault.Precondition, "tools.http.none", nil)
	}
	address := args.String("url")
	for name, text := range map[string]string{"url": address, "body": args.String("body")} {
		if secretName().MatchString(text) {
			return nil, fault.New(fault.Validation, "tools.http.secretPlace", fault.P{"where": name})
		}
	}
	header := headersOf(args)
	for name, value := range header {
		header[name] = secretName().ReplaceAllStringFunc(value, func(m string) string {
			return env.Secrets[secretName().FindStringSubmatch(m)[1]]
		})
	}
	limit := args.Int("maxBytes")
	if limit <= 0 {
		if limit = mostBody; env.Model.Paged {
			limit = defaultBody
		}
	}
	answer, err := env.HTTP.Fetch(ctx, tool.HTTPRequest{
		Method: method, URL: address, Header: header, Body: args.String("body"), MaxBody: limit, TTL: args.Int("ttl"),
	})
	if err != nil {
		return nil, err
	}
	if answer.Status >= 400 {
		return nil, refusal(address, answer)
	}
	return answerData(address, answer, args.String("as"))
}

// refusal gives a status of 400 and more as an error, by what can be done about
// it.
func refusal(address string, a *tool.HTTPAnswer) error {
	code := fault.Provider
	switch {
	case a.Status == 401 || a.Status == 403:
		code = fault.Auth
	case a.Status == 404 || a.Status == 410:
		code = fault.NotFound
	case a.Status == 429:
		code = fault.RateLimit
	case a.Status < 500:
		code = fault.Validation
	}
	e := fault.New(code, "tools.http.refused", fault.P{"url": address, "status": strconv.Itoa(a.Status)})
	e.RetryAfterS = web.RetryAfter(func(name string) string { return a.Header[name] }, time.Now()).Seconds()
	e.Detail = oneLine(textOf(a), refusalText)
	return e
}

// answerData is an answer in the one form that every answer has.
func answerData(address string, a *tool.HTTPAnswer, as string) (tool.Data, error) {
	kind, _ := mediaType(a.Header["content-type"])
	if len(a.Body) > 0 && !readable(kind, a.Body) {
		return nil, fault.New(fault.Precondition, "tools.http.type", fault.P{"url": address, "type": kind})
	}
	text := textOf(a)
	out := tool.Data{"url": address, "status": a.Status, "contentType": kind, "truncated": a.Truncated}
	if (kind == "text/html" || kind == "application/xhtml+xml") && as != "text" {
		page := webpage.Convert(text, address)
		text = page.Markdown
		out["title"] = page.Title
	}
	if isJSON(kind) && as != "text" && !a.Truncated {
		if value, ok := parseJSON(a.Body); ok {
			out["json"] = value
		}
	}
	out["text"] = text
	out["preview"] = oneLine(text, previewText)
	for _, name := range []string{"last-modified", "etag", "location", "link"} {
		if v := a.Header[name]; v != "" {
			setHeader(out, name, v)
		}
	}
	return out, nil
}

func setHeader(out tool.Data, name, value string) {
	all, ok := out["headers"].(map[string]any)
	if !ok {
		all = map[string]any{}
		out["headers"] = all
	}
	all[name] = value
}

// readable says whether an answer is text: by what it says it is, and by its
// bytes.
func readable(kind string, body []byte) bool {
	switch {
	case strings.HasPrefix(kind, "text/"), isJSON(kind), strings.HasSuffix(kind, "xml"), kind == "application/javascript",
		kind == "application/yaml", kind == "application/x-www-form-urlencoded", kind == "application/x-ndjson":
	default:
		return false
	}
	return !strings.ContainsRune(string(body[:min(len(body), 8000)]), 0)
}

func isJSON(kind string) bool {
	return kind == "application/json" || strings.HasSuffix(kind, "+json")
}

func parseJSON(body []byte) (any, bool) {
	var v any
	if canon.CheckDepth(body) != nil || json.Unmarshal(body, &v) != nil {
		return nil, false
	}
	return v, true
}

// mediaType reads a Content-Type (RFC 9110, section 8.3.1): the kind, text/plain
// where there is none, and the charset, both in lower case. Package mime, which
// also reads parameters in parts and in other alphabets, costs too much for that.
func mediaType(header string) (kind, charset string) {
	kind, rest, _ := strings.Cut(strings.ToLower(header), ";")
	if kind = strings.TrimSpace(kind); !strings.Contains(kind, "/") {
		return "text/plain", ""
	}
	for parameter := range strings.SplitSeq(rest, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if strings.TrimSpace(name) == "charset" {
			charset = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return kind, charset
}

// textOf gives an answer's bytes as text: UTF-8, or Latin-1 where it says so.
func textOf(a *tool.HTTPAnswer) string {
	_, charset := mediaType(a.Header["content-type"])
	switch charset {
	case "iso-8859-1", "latin1", "windows-1252":
		if !utf8.Valid(a.Body) {
			runes := make([]rune, len(a.Body))
			for i, b := range a.Body {
				runes[i] = rune(b)
			}
			return string(runes)
		}
	}
	return strings.TrimPrefix(strings.ToValidUTF8(string(a.Body), "\ufffd"), "\ufeff")
}

// oneLine shortens a text for showing.
func oneLine(text string, most int) string {
	if len(text) > 8*most {
		text = strings.ToValidUTF8(text[:8*most], "")
	}
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		return fmt.Sprintf("%s…", string(r[:most]))
	}
	return text
}

// cutBody is tool.Tool.Cut: nobody knows how much there would have been.
func cutBody(d tool.Data) (shown, total int) {
	if cut, _ := d["truncated"].(bool); !cut {
		return 0, 0
	}
	text, _ := d["text"].(string)
	return len(text), -1
}

// httpTimeout bounds one request, from the first byte sent to the last one read.
const httpTimeout = 30 * time.Second
