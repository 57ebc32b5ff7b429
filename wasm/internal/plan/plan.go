package plan

import (
	"unicode/utf8"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/fault"
)

// Plan is an ActionPlan: data, never code.
type Plan struct {
	// Version is the format's; "1" where it is left out.
	Version     string   `json:"version,omitempty"`
	Goal        string   `json:"goal"`
	Assumptions []string `json:"assumptions"`
	// RiskLevel is the model's own word. Nothing is decided by it: Graph.Risk
	// is computed from the tools.
	RiskLevel string    `json:"riskLevel,omitempty"`
	Defaults  *Defaults `json:"defaults,omitempty"`
	Steps     []Step    `json:"steps"`
	// Outputs name what the plan gives: any JSON with references in it.
	Outputs map[string]any `json:"outputs,omitempty"`
	// Taken lists where the plan said something otherwise when it was read. Models
	// are not told of it.
	Taken []Taken `json:"taken,omitempty"`
}

// Defaults hold for every step that does not say otherwise.
type Defaults struct {
	OnError   string `json:"onError,omitempty"`
	Retry     *Retry `json:"retry,omitempty"`
	TimeoutMs int64  `json:"timeoutMs,omitempty"`
}

// Step is one entry of the plan.
type Step struct {
	ID string `json:"id"`
	// Tool is a tool's name, or name@version.
	Tool string `json:"tool"`
	// Version pins the tool's version.
	Version string         `json:"version,omitempty"`
	Args    map[string]any `json:"args"`
	Foreach *Foreach       `json:"foreach,omitempty"`
	// When are conditions without which the step is not done. Those of a loop are
	// tested for each element.
	When      []Condition `json:"when,omitempty"`
	DependsOn []string    `json:"dependsOn,omitempty"`
	OnError   string      `json:"onError,omitempty"`
	Retry     *Retry      `json:"retry,omitempty"`
	TimeoutMs int64       `json:"timeoutMs,omitempty"`
	// CaptureAs keeps the step's output as $vars.NAME.
	CaptureAs string `json:"captureAs,omitempty"`
	Preview   string `json:"preview,omitempty"`
	// SecretScope pins where the secrets of the call come from: "device",
	// "vault" or "organisation"; "" is the first that has them. A step that was
	// made of a call has the scope of that call. Models are not told of it.
	SecretScope string `json:"secretScope,omitempty"`
}

// Foreach runs a step once for each element of a list. The step's output is
// then {"items": [output of each iteration, in order]}.
type Foreach struct {
	// From is one reference to a list, or a list written out.
	From any `json:"from"`
	// ItemName and IndexName stand for {item} and {index}; those
	// where they are left out.
	ItemName  string `json:"itemName"`
	IndexName string `json:"indexName,omitempty"`
	// When leaves out the elements for which it does not hold; the others are
	// numbered.
	When        []Condition `json:"when,omitempty"`
	Concurrency int         `json:"concurrency,omitempty"`
}

// Retry says how often a failed call is tried, the first time included, and
// how long the first pause is, in milliseconds.
type Retry struct {
	MaxAttempts int   `json:"maxAttempts"`
	BackoffMs   int64 `json:"backoffMs,omitempty"`
}

// What happens after a step failed.
const (
	OnErrorStop  = "stop"
	OnErrorSkip  = "skip"
	OnErrorRetry = "retry"
	// onErrorFail is another word for stop, which plans may use.
	onErrorFail = "fail"
	// OnErrorItem leaves out an iteration that fails, unless all of them fail. It
	// holds for a loop that says neither stop nor skip; plans do not name it.
	OnErrorItem = "item"
)

// The loop's names where the plan gives none.
const (
	DefaultItem  = "item"
	DefaultIndex = "index"
)

func (f *Foreach) itemName() string {
	if f.ItemName == "" {
		return DefaultItem
	}
	return f.ItemName
}

func (f *Foreach) indexName() string {
	if f.IndexName == "" {
		return DefaultIndex
	}
	return f.IndexName
}

// Problem is one thing that is wrong with a plan. It goes to the model for
// repair and to the person, so it says where: Step is the step's id ("#3" for
// the third where it has none; "" for the plan itself), Field the way to the
// value in the step or plan ("args.title"). Key and Params are the words.
type Problem struct {
	Step    string            `json:"step,omitempty"`
	Field   string            `json:"field,omitempty"`
	Key     string            `json:"key"`
	Params  map[string]string `json:"params,omitempty"`
	Warning bool              `json:"warning,omitempty"`
}

// Error gives the English sentence, with step and field before it.
func (p Problem) Error() string {
	words := i18n.English(p.Key, p.Params)
	switch {
	case p.Step != "" && p.Field != "":
		return i18n.English("error.plan.inField", fault.P{"step": p.Step, "field": p.Field, "message": words})
	case p.Step != "":
		return i18n.English("error.plan.inStep", fault.P{"step": p.Step, "message": words})
	case p.Field != "":
		return i18n.English("error.plan.inPlan", fault.P{"field": p.Field, "message": words})
	}
	return words
}

// Failed says whether any of the problems is more than a warning.
func Failed(problems []Problem) bool {
	for _, p := range problems {
		if !p.Warning {
			return true
		}
	}
	return false
}

// Fault makes one VALIDATION_ERROR of the problems that are not warnings; nil
// when there is none.
func Fault(problems []Problem) error {
	text := ""
	for _, p := range problems {
		if !p.Warning {
			text += "\n- " + p.Error()
		}
	}
	if text == "" {
		return nil
	}
	return fault.New(fault.Validation, "error.plan.invalid", fault.P{"problems": text})
}

// maxProblems keeps a report readable, and short enough to send to a model.
const maxProblems = 25

// problems collects what is wrong, up to maxProblems of each kind.
type problems struct {
	list             []Problem
	errors, warnings int
}

func (ps *problems) add(p Problem) {
	n := &ps.errors
	if p.Warning {
		n = &ps.warnings
	}
	if *n++; *n > maxProblems {
		return
	}
	p.Step, p.Field = clip(p.Step, 80), clip(p.Field, 200)
	for k, v := range p.Params {
		if k != "cycle" { // which is to be read in full
			p.Params[k] = clip(v, 500)
		}
	}
	ps.list = append(ps.list, p)
}

// full says that another error would only be counted: its words, and guesses
// at what was meant, need not be found.
func (ps *problems) full() bool { return ps.errors >= maxProblems }

// clip shortens what came from the plan: a name may be megabytes long.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// result gives the list, with a last entry that counts what was left out.
func (ps *problems) result() []Problem {
	if more := ps.errors - maxProblems; more > 0 {
		ps.list = append(ps.list, Problem{Key: "error.plan.more", Params: fault.P{"n": itoa(more)}})
	}
	return ps.list
}
