package protocol

// Settings are the person's choices. Keys of secrets are names, never
// values. The core enforces every one; zero values are filled with defaults by
// the core, never by the app's side.
type Settings struct {
	Provider  Provider `json:"provider"`
	Model     string   `json:"model"`
	BaseURL   string   `json:"baseUrl"`
	KeyName   string   `json:"keyName"` // the secret's name in the host's secret store
	Streaming bool     `json:"streaming"`
	MaxTokens int      `json:"maxTokens"`
	// DemoURL is the scripted demonstration model, where there is one.
	DemoURL string `json:"demoUrl,omitempty"`

	Confirm       Confirm `json:"confirm"`
	AllowCommands bool    `json:"allowCommands"`
	AllowDeletes  bool    `json:"allowDeletes"`
	AllowRenames  bool    `json:"allowRenames"`

	MaxAttempts    int `json:"maxAttempts"`
	MaxBackoffMs   int `json:"maxBackoffMs"`
	TimeoutMs      int `json:"timeoutMs"`
	MaxConcurrency int `json:"maxConcurrency"`
	MaxSteps       int `json:"maxSteps"`
	MaxCalls       int `json:"maxCalls"`
	// MaxPlanMB is how many megabytes a plan may write, and build of values.
	MaxPlanMB int `json:"maxPlanMb"`

	AllowedRoots   []string `json:"allowedRoots"`
	DenyPatterns   []string `json:"denyPatterns"`
	RedactPatterns []string `json:"redactPatterns"`

	KeepRuns  int   `json:"keepRuns"`
	KeepDays  int   `json:"keepDays"`
	KeepBytes int64 `json:"keepBytes"`

	// The limits of an agent. MaxCost is in the price table's currency; 0 means
	// no limit for AgentTokens and AgentCost, the default for the others.
	AgentIterations int     `json:"agentIterations"`
	AgentCalls      int     `json:"agentCalls"`
	AgentTokens     int     `json:"agentTokens"`
	AgentCost       float64 `json:"agentCost"`

	DisabledTools []string `json:"disabledTools"`
	PinnedTools   []string `json:"pinnedTools"`
	// CallsPerMinute limits tools by name; "*" is every tool.
	CallsPerMinute map[string]int `json:"callsPerMinute"`

	// Prices is a price table as JSON; "" is the one that comes with the plugin.
	Prices string `json:"prices"`

	Secrets []NamedSecret `json:"secrets"`

	AllowHTTP bool       `json:"allowHttp"`
	HTTPHosts []HTTPHost `json:"httpHosts"`

	CodeMaxMs int `json:"codeMaxMs"`
	CodeMaxMB int `json:"codeMaxMb"`

	Asking `tstype:",extends"`
}

// Asking says how a model is asked.
type Asking struct {
	Temperature *float64 `json:"temperature,omitempty"`
	// ImageMaxPixels bounds the longer side of an image.
	ImageMaxPixels int `json:"imageMaxPixels"`
	// Headers go along with requests to a model, by the origin that they belong to
	// (https://api.example.com): lines such as "X-Title: Notes". In a value {{key}}
	// stands for the model's key, and {{secret:NAME}} for another secret of the
	// host's store.
	Headers map[string]string `json:"headers"`
	// Efforts say how hard a model thinks before it answers, by the provider and
	// the model's name with a space between: off, low, medium or high. A model that
	// has none decides.
	Efforts map[string]string `json:"efforts"`
	// Windows say how many tokens a model takes, named as in Efforts. They count
	// whatever the endpoint or the table of prices says; 0 leaves it to those.
	Windows map[string]int `json:"windows"`
}

// NamedSecret says where the value of a tool's secret is: under Secret in the
// host's secret store. Scope is "device" or "vault"; organisation names come
// from the policy file. Hosts are those that tools may send it to, by https, as
// api.example.com or with a port; without one it goes nowhere.
type NamedSecret struct {
	Name   string   `json:"name"`
	Scope  string   `json:"scope"`
	Secret string   `json:"secret"`
	Hosts  []string `json:"hosts"`
}

// The addresses of the providers that have one of their own.
const (
	AddressOpenAI    = "https://api.openai.com/v1"
	AddressAnthropic = "https://api.anthropic.com/v1"
)

// HTTPHost is a host that the HTTP tool may reach. Unlimited lets it use the
// host app's own client where CORS refuses, whose limits cannot be enforced.
type HTTPHost struct {
	Host      string   `json:"host"`
	Methods   []string `json:"methods"`
	Unlimited bool     `json:"unlimited,omitempty"`
}

// Platform describes the host.
type Platform struct {
	Name          string `json:"name"`
	AppVersion    string `json:"appVersion"`
	Language      string `json:"language"`
	ConfigDir     string `json:"configDir"`
	LinkFormat    string `json:"linkFormat"`
	MarkdownLinks bool   `json:"markdownLinks"`
	// Locale is how the app writes dates; nil is English.
	Locale *Locale `json:"locale,omitempty"`
	// UTCOffsetMin is the person's time zone, in minutes east of UTC.
	UTCOffsetMin int `json:"utcOffsetMin"`
}

// Action is a saved action as the panel lists it.
type Action struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Icon   string  `json:"icon,omitempty"`
	Goal   string  `json:"goal"`
	Risk   Risk    `json:"risk"`
	Fields []Field `json:"fields"`
	// NeedsModel is true for actions with a prompt or a model step.
	NeedsModel bool       `json:"needsModel"`
	Warnings   []Message  `json:"warnings,omitempty"`
	Kind       ActionKind `json:"kind"`
	Group      string     `json:"group,omitempty"`
	Ribbon     bool       `json:"ribbon,omitempty"`
	// Bundled actions come with the plugin; they can be hidden, not changed.
	// A copy can be.
	Bundled bool `json:"bundled,omitempty"`
}

// ActionDetail is an action opened. Plan is its plan's JSON ("" for a prompt).
type ActionDetail struct {
	Action Action `json:"action"`
	Plan   string `json:"plan"`
	Prompt string `json:"prompt"`
	// Steps show the plan for editing; what is put back is Plan.
	Steps    []ActionStepView `json:"steps"`
	Problems []Message        `json:"problems"`
	// Touches says what the action may touch; Beyond, after a change, what it may
	// touch now and might not before.
	Touches []Message `json:"touches,omitempty"`
	Beyond  []Message `json:"beyond,omitempty"`
}

// ActionStepView is one step of an action. Input, Foreach and Pins are JSON.
type ActionStepView struct {
	ID        string   `json:"id"`
	Tool      string   `json:"tool"`
	Version   string   `json:"version,omitempty"`
	Title     string   `json:"title"`
	Input     string   `json:"input"`
	Foreach   string   `json:"foreach,omitempty"`
	DependsOn []string `json:"dependsOn"`
	Pins      string   `json:"pins,omitempty"`
	// SecretScope is where the step's secrets come from: "" for the first scope
	// that has one.
	SecretScope string `json:"secretScope,omitempty"`
	// Deprecated and Gone speak of the tool in that version.
	Deprecated bool `json:"deprecated,omitempty"`
	Gone       bool `json:"gone,omitempty"`
}

// ActionPut keeps an action: a new one when ID is "". Fields, risk and warnings
// are computed from the plan.
type ActionPut struct {
	ID     string     `json:"id"`
	Name   string     `json:"name"`
	Icon   string     `json:"icon"`
	Group  string     `json:"group"`
	Ribbon bool       `json:"ribbon"`
	Kind   ActionKind `json:"kind"`
	Plan   string     `json:"plan"`
	Prompt string     `json:"prompt"`
	// Fields give the kind, value, choices and label of parameters; those left
	// out keep what they have.
	Fields []Field `json:"fields,omitempty"`
}

// ActionsOrder is every action's id in the order that the person wants.
type ActionsOrder struct {
	IDs []string `json:"ids"`
}

// ActionStep makes a step of a call of a run or conversation (Run, CallID), or
// of a pin of it, with the same tool, version, arguments and secret scope. It
// joins the action named, or a new one called Name.
type ActionStep struct {
	Run    string `json:"run"`
	CallID string `json:"callId"`
	Pin    string `json:"pin,omitempty"`
	Action string `json:"action,omitempty"`
	Name   string `json:"name,omitempty"`
}

// ActionList is every saved action, in the person's order; those that come with
// the plugin stand after the person's own. Hidden are those of them that the
// person removed from the list: actions.restore brings one back.
type ActionList struct {
	Actions []Action `json:"actions"`
	Hidden  []Action `json:"hidden,omitempty"`
}

// ActionSave keeps a run's plan under a name; where there is no such run, the Plan
// that is given.
type ActionSave struct {
	Run  string `json:"run"`
	Name string `json:"name"`
	Plan string `json:"plan,omitempty"`
}

// ActionRename gives an action another name.
type ActionRename struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// ActionRef names an action.
type ActionRef struct {
	ID string `json:"id"`
}

// ActionRun starts an action. Values fill its fields; a missing one is asked
// for by a Question.
type ActionRun struct {
	ID     string            `json:"id"`
	Values map[string]string `json:"values,omitempty"`
	DryRun bool              `json:"dryRun,omitempty"`
	// Link: a link named the action. Whoever made the link is not the owner, so
	// that what only the owner may start is refused.
	Link bool `json:"link,omitempty"`
}

// Export asks for actions as JSON: those named, or all.
type Export struct {
	IDs []string `json:"ids,omitempty"`
}

// Exported is a document that can be imported elsewhere.
type Exported struct {
	JSON string `json:"json"`
}

// Import reads exported actions. Without Confirm nothing is kept: the answer
// says in words what they may touch.
type Import struct {
	JSON    string `json:"json"`
	Confirm bool   `json:"confirm"`
}

// Imported lists the contents of an import.
type Imported struct {
	Actions []Action  `json:"actions"`
	Review  []Message `json:"review"`
	Kept    bool      `json:"kept"`
}
