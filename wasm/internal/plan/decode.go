package plan

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/strictjson"
	similar "embedded-agent/wasm/internal/text"
)

// Limits are where Decode stops reading. Zero fields mean the defaults.
type Limits struct {
	Bytes int // DefaultBytes
	Depth int // MaxDepth
}

// MaxDepth is how many arrays and objects of a plan may be open at once.
const MaxDepth = strictjson.MaxDepth

// DefaultBytes is the longest plan that is read. Texts from notes do not
// belong into a plan: references bring them.
const DefaultBytes = 4 << 20

func itoa(n int) string { return strconv.Itoa(n) }

// Decode reads a plan's JSON strictly: unknown fields, keys given twice, wrong
// types and nesting beyond the limit are problems, each with its step and
// field. With a problem the plan is nil. An optional field may be null.
func Decode(raw []byte, limits Limits) (*Plan, []Problem) {
	var d decoder
	return d.decode(raw, limits)
}

func (d *decoder) decode(raw []byte, limits Limits) (*Plan, []Problem) {
	if limits.Bytes <= 0 {
		limits.Bytes = DefaultBytes
	}
	if limits.Depth <= 0 || limits.Depth > MaxDepth {
		limits.Depth = MaxDepth
	}
	if len(raw) > limits.Bytes {
		return nil, []Problem{{Key: "error.plan.bytes", Params: fault.P{"bytes": itoa(len(raw)), "max": itoa(limits.Bytes)}}}
	}
	raw = bytes.TrimRight(raw, " \n\t\r") // a cut-off text ends where its last word does
	v, twice, jerr := strictjson.Read(raw, limits.Depth)
	if Wrapped(string(raw[:min(len(raw), 64)])) {
		text, isText := v.(string)
		if !isText {
			text = string(raw)
		}
		raw = []byte(unfenced(text))
		v, twice, jerr = strictjson.Read(raw, limits.Depth)
		d.took("", "```json {…} ```", "{…}")
	}
	if jerr != nil {
		return nil, []Problem{jsonProblem(raw, jerr, limits)}
	}
	root, ok := v.(map[string]any)
	if !ok {
		return nil, []Problem{{Key: "error.plan.notObject"}}
	}
	p := d.plan(root)
	for _, t := range twice {
		step, field := placeOf(root, t.Path)
		d.problems.add(Problem{Step: step, Field: field, Key: "error.plan.twice", Params: fault.P{"name": t.Key}})
	}
	if found := d.problems.result(); len(found) > 0 {
		return nil, found
	}
	p.Taken = append(p.Taken, d.taken...)
	return p, nil
}

func jsonProblem(raw []byte, e *strictjson.Error, limits Limits) Problem {
	switch {
	case e.Deep:
		return Problem{Key: "error.json.depth", Params: fault.P{"max": itoa(limits.Depth)}}
	case e.Early && len(raw) > 0:
		return Problem{Key: "error.plan.cutOff"}
	}
	before := raw[:min(e.At, len(raw))]
	line, column := 1, 1
	for _, c := range before {
		if column++; c == '\n' {
			line, column = line+1, 1
		}
	}
	return Problem{Key: "error.plan.json", Params: fault.P{"reason": e.Reason, "line": itoa(line), "column": itoa(column)}}
}

// placeOf turns a way through the JSON into a step's id and a field.
func placeOf(root map[string]any, path []any) (step, field string) {
	if len(path) >= 2 && path[0] == "steps" {
		if i, ok := path[1].(int); ok {
			if list, ok := root["steps"].([]any); ok && i < len(list) {
				m, _ := list[i].(map[string]any)
				return stepName(m, i), joinField(path[2:])
			}
		}
	}
	return "", joinField(path)
}

func stepName(m map[string]any, i int) string {
	if id, ok := m["id"].(string); ok && id != "" {
		return id
	}
	return "#" + itoa(i+1)
}

func joinField(path []any) string {
	s := ""
	for _, e := range path {
		switch e := e.(type) {
		case int:
			s += "[" + itoa(e) + "]"
		case string:
			if s != "" {
				s += "."
			}
			s += e
		}
	}
	return s
}

// decoder turns decoded JSON into the types, noting what does not fit.
type decoder struct {
	problems problems
	taken    []Taken
	step     string // "" in the plan itself
	prefix   string // of the field: "foreach."
}

func (d *decoder) took(field string, from, to any) {
	d.taken = take(d.taken, d.step, d.prefix+field, from, to)
}

// as gives a field's value as one of the types, where it is certainly meant so.
func (d *decoder) as(m map[string]any, name string, types ...string) any {
	v := m[name]
	if v == nil {
		return nil
	}
	w := meantAs(v, types...)
	if typeOf(w) != typeOf(v) {
		d.took(name, v, w)
		m[name] = w
	}
	return w
}

func (d *decoder) wrong(field, key string, params fault.P) {
	d.problems.add(Problem{Step: d.step, Field: d.prefix + field, Key: key, Params: params})
}

// The fields of each object, in the order of docs/design/plan-language.md#fields.
var (
	planFields     = []string{"version", "goal", "assumptions", "riskLevel", "defaults", "steps", "outputs"}
	defaultsFields = []string{"onError", "retry", "timeoutMs"}
	stepFields     = []string{
		"id", "tool", "version", "args", "foreach", "when", "dependsOn", "onError", "retry", "timeoutMs", "captureAs", "preview",
	}
	foreachFields = []string{"from", "itemName", "indexName", "when", "concurrency"}
	retryFields   = []string{"maxAttempts", "backoffMs"}
)

func (d *decoder) known(m map[string]any, fields []string) {
	var unknown []string
	for _, name := range sortedKeys(m) {
		if slices.Contains(fields, name) {
			continue
		}
		own := similar.Closest(name, fields)
		if _, given := m[own]; own != "" && !given && similar.FoldName(own) == similar.FoldName(name) {
			m[own] = m[name]
			delete(m, name)
			d.took(name, name, own)
			continue
		}
		unknown = append(unknown, name)
	}
	for _, name := range unknown {
		if d.problems.full() {
			d.wrong(name, "error.plan.unknownField", nil)
			continue
		}
		if best := similar.Closest(name, fields); best != "" {
			d.wrong(name, "error.plan.unknownFieldNear", fault.P{"name": name, "near": best})
		} else {
			d.wrong(name, "error.plan.unknownField", fault.P{"name": name, "fields": strings.Join(fields, ", ")})
		}
	}
}

func (d *decoder) plan(m map[string]any) *Plan {
	was := d.kept(m["taken"])
	delete(m, "taken") // no field that a model is told of
	d.known(m, planFields)
	p := &Plan{
		Version:     d.version(m),
		Goal:        d.text(m, "goal", true),
		Assumptions: d.texts(m, "assumptions"),
		RiskLevel:   d.oneOf(m, "riskLevel", "read-only", "writes", "commands"),
		Outputs:     d.object(m, "outputs"),
	}
	if sub := d.object(m, "defaults"); sub != nil {
		d.prefix = "defaults."
		d.known(sub, defaultsFields)
		p.Defaults = &Defaults{
			OnError:   d.onError(sub),
			Retry:     d.retry(sub),
			TimeoutMs: d.whole(sub, "timeoutMs", 1),
		}
		d.prefix = ""
	}
	p.Taken = was
	list, ok := d.as(m, "steps", "array").([]any)
	switch {
	case m["steps"] == nil:
		d.wrong("steps", "error.plan.missing", nil)
	case !ok:
		d.wrong("steps", "error.plan.type.list", nil)
	}
	p.Steps = make([]Step, len(list))
	for i, e := range list {
		sm, ok := e.(map[string]any)
		d.step = stepName(sm, i)
		if !ok {
			d.wrong("", "error.plan.type.object", nil)
		} else {
			p.Steps[i] = d.oneStep(sm)
		}
		d.step = ""
	}
	return p
}

// kept reads what was taken before: the plan was read by this program once.
func (d *decoder) kept(v any) []Taken {
	var out []Taken
	list, _ := v.([]any)
	for _, e := range list {
		m, _ := e.(map[string]any)
		text := func(name string) string { s, _ := m[name].(string); return s }
		out = take(out, text("step"), text("field"), text("from"), text("to"))
	}
	return out
}

// onError takes fail for stop: models write either.
func (d *decoder) onError(m map[string]any) string {
	if m["onError"] == onErrorFail {
		return OnErrorStop
	}
	return d.oneOf(m, "onError", OnErrorStop, OnErrorSkip, OnErrorRetry)
}

// version accepts the number 1 too: models write either.
func (d *decoder) version(m map[string]any) string {
	switch v := m["version"].(type) {
	case nil:
		return ""
	case string:
		if v == "1" || v == "1.0" {
			return v
		}
	case float64:
		if v == 1 {
			return "1"
		}
	}
	d.wrong("version", "error.plan.version", nil)
	return ""
}

func (d *decoder) oneStep(m map[string]any) Step {
	scope := d.oneOf(m, "secretScope", "device", "vault", "organisation")
	delete(m, "secretScope") // no field that a model is told of
	d.known(m, stepFields)
	s := Step{
		ID:          d.text(m, "id", true),
		Tool:        d.text(m, "tool", true),
		Version:     d.text(m, "version", false),
		Args:        d.object(m, "args"),
		When:        d.conditions(m, "when"),
		DependsOn:   d.texts(m, "dependsOn"),
		OnError:     d.onError(m),
		Retry:       d.retry(m),
		TimeoutMs:   d.whole(m, "timeoutMs", 1),
		CaptureAs:   d.text(m, "captureAs", false),
		Preview:     d.text(m, "preview", false),
		SecretScope: scope,
	}
	if s.Args == nil {
		s.Args = map[string]any{}
	}
	switch from := m["foreach"].(type) {
	case string, []any:
		if w, ok := meantAs(from, "object").(map[string]any); ok {
			m["foreach"] = w
		} else {
			m["foreach"] = map[string]any{"from": from}
		}
		d.took("foreach", from, m["foreach"])
	}
	if sub := d.object(m, "foreach"); sub != nil {
		d.prefix = "foreach."
		d.known(sub, foreachFields)
		s.Foreach = &Foreach{
			ItemName:    d.text(sub, "itemName", false),
			IndexName:   d.text(sub, "indexName", false),
			When:        d.conditions(sub, "when"),
			Concurrency: int(d.whole(sub, "concurrency", 1)),
		}
		switch from := sub["from"].(type) {
		case string, []any:
			s.Foreach.From = from
		case nil:
			d.wrong("from", "error.plan.missing", nil)
		default:
			d.wrong("from", "error.plan.foreach.from", nil)
		}
		d.prefix = ""
	}
	return s
}

func (d *decoder) retry(m map[string]any) *Retry {
	sub := d.object(m, "retry")
	if sub == nil {
		return nil
	}
	before := d.prefix
	d.prefix += "retry."
	defer func() { d.prefix = before }()
	d.known(sub, retryFields)
	if sub["maxAttempts"] == nil {
		d.wrong("maxAttempts", "error.plan.missing", nil)
	}
	return &Retry{MaxAttempts: int(d.whole(sub, "maxAttempts", 1)), BackoffMs: d.whole(sub, "backoffMs", 0)}
}

func (d *decoder) text(m map[string]any, name string, required bool) string {
	switch v := m[name].(type) {
	case string:
		if required && strings.TrimSpace(v) == "" {
			d.wrong(name, "error.plan.missing", nil)
		}
		return v
	case nil:
		if required {
			d.wrong(name, "error.plan.missing", nil)
		}
	default:
		d.wrong(name, "error.plan.type.text", nil)
	}
	return ""
}

func (d *decoder) texts(m map[string]any, name string) []string {
	if m[name] == nil {
		return nil
	}
	list, ok := d.as(m, name, "array").([]any)
	if one, text := m[name].(string); text && !strings.Contains(one, ",") {
		list, ok = []any{one}, true
		d.took(name, one, list)
	}
	if !ok {
		d.wrong(name, "error.plan.type.list", nil)
		return nil
	}
	out := make([]string, 0, len(list))
	for i, e := range list {
		s, ok := e.(string)
		if !ok {
			d.wrong(name+"["+itoa(i)+"]", "error.plan.type.text", nil)
		}
		out = append(out, s)
	}
	return out
}

func (d *decoder) object(m map[string]any, name string) map[string]any {
	if m[name] == nil {
		return nil
	}
	o, ok := d.as(m, name, "object").(map[string]any)
	if !ok {
		d.wrong(name, "error.plan.type.object", nil)
		return nil
	}
	return o
}

// whole reads a whole number from least to 2^31-1; 0 where it is left out.
func (d *decoder) whole(m map[string]any, name string, least float64) int64 {
	switch v := d.as(m, name, "integer").(type) {
	case nil:
		return 0
	case float64:
		if v == math.Trunc(v) && v >= least && v <= math.MaxInt32 {
			return int64(v)
		}
	}
	d.wrong(name, "error.plan.type.whole", fault.P{"min": strconv.FormatFloat(least, 'f', -1, 64)})
	return 0
}

func (d *decoder) oneOf(m map[string]any, name string, values ...string) string {
	switch v := m[name].(type) {
	case nil:
		return ""
	case string:
		if slices.Contains(values, v) {
			return v
		}
	}
	d.wrong(name, "error.plan.type.oneOf", fault.P{"values": strings.Join(values, ", ")})
	return ""
}
