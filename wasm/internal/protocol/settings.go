package protocol

// Settings is what the person has chosen. Keys of secrets are names, never
// values. The core enforces every one; zero values are filled with defaults by
// the core, never by the shell.
type Settings struct {
	Provider    string   `json:"provider"` // openai, anthropic, custom, text, demo
	Model       string   `json:"model"`
	BaseURL     string   `json:"baseUrl"`
	KeyName     string   `json:"keyName"` // the secret's name in the host's secret store
	Streaming   bool     `json:"streaming"`
	MaxTokens   int      `json:"maxTokens"`
	Temperature *float64 `json:"temperature,omitempty"`
	// DemoURL is the scripted demonstration model, where there is one.
	DemoURL string `json:"demoUrl,omitempty"`

	Confirm       string `json:"confirm"` // always, writes, never
	AllowCommands bool   `json:"allowCommands"`
	AllowDeletes  bool   `json:"allowDeletes"`
	AllowRenames  bool   `json:"allowRenames"`

	MaxAttempts    int `json:"maxAttempts"`
	MaxBackoffMs   int `json:"maxBackoffMs"`
	TimeoutMs      int `json:"timeoutMs"`
	MaxConcurrency int `json:"maxConcurrency"`
	MaxSteps       int `json:"maxSteps"`
	MaxCalls       int `json:"maxCalls"`

	AllowedRoots   []string `json:"allowedRoots"`
	DenyPatterns   []string `json:"denyPatterns"`
	RedactPatterns []string `json:"redactPatterns"`

	KeepRuns  int   `json:"keepRuns"`
	KeepDays  int   `json:"keepDays"`
	KeepBytes int64 `json:"keepBytes"`
}

// Platform is what the host is.
type Platform struct {
	Name          string `json:"name"`
	AppVersion    string `json:"appVersion"`
	Language      string `json:"language"`
	ConfigDir     string `json:"configDir"`
	LinkFormat    string `json:"linkFormat"`
	MarkdownLinks bool   `json:"markdownLinks"`
	// UTCOffsetMin is the person's time zone, in minutes east of UTC.
	UTCOffsetMin int `json:"utcOffsetMin"`
}

// Action is a saved action as the panel lists it.
type Action struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Icon   string  `json:"icon,omitempty"`
	Goal   string  `json:"goal"`
	Risk   string  `json:"risk"`
	Fields []Field `json:"fields"`
	// NeedsModel is true for actions with a prompt or a model step.
	NeedsModel bool      `json:"needsModel"`
	Warnings   []Message `json:"warnings,omitempty"`
}

// ActionList is every saved action, in the person's order.
type ActionList struct {
	Actions []Action `json:"actions"`
}

// ActionsCall is the method actions.list.
type ActionsCall struct {
	Params Empty      `json:"params"`
	Result ActionList `json:"result"`
}

// ActionSave keeps a run's plan under a name.
type ActionSave struct {
	Run  string `json:"run"`
	Name string `json:"name"`
}

// ActionSaveCall is the method actions.save.
type ActionSaveCall struct {
	Params ActionSave `json:"params"`
	Result Action     `json:"result"`
}

// ActionRename gives an action another name.
type ActionRename struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// ActionRenameCall is the method actions.rename.
type ActionRenameCall struct {
	Params ActionRename `json:"params"`
	Result ActionList   `json:"result"`
}

// ActionRef names an action.
type ActionRef struct {
	ID string `json:"id"`
}

// ActionRefCall is the method actions.remove.
type ActionRefCall struct {
	Params ActionRef  `json:"params"`
	Result ActionList `json:"result"`
}

// ActionRun starts an action. Values fill its fields; a missing one is asked
// for by a Question.
type ActionRun struct {
	ID     string            `json:"id"`
	Values map[string]string `json:"values,omitempty"`
	DryRun bool              `json:"dryRun,omitempty"`
}

// ActionRunCall is the method actions.run. It opens a review.
type ActionRunCall struct {
	Params ActionRun `json:"params"`
	Result Accepted  `json:"result"`
}

// Export asks for actions as JSON: those named, or all.
type Export struct {
	IDs []string `json:"ids,omitempty"`
}

// Exported is a document that can be imported elsewhere.
type Exported struct {
	JSON string `json:"json"`
}

// ExportCall is the method actions.export.
type ExportCall struct {
	Params Export   `json:"params"`
	Result Exported `json:"result"`
}

// Import reads exported actions. Without Confirm nothing is kept: the answer
// says in words what they may touch.
type Import struct {
	JSON    string `json:"json"`
	Confirm bool   `json:"confirm"`
}

// Imported is what an import holds.
type Imported struct {
	Actions []Action  `json:"actions"`
	Review  []Message `json:"review"`
	Kept    bool      `json:"kept"`
}

// ImportCall is the method actions.import.
type ImportCall struct {
	Params Import   `json:"params"`
	Result Imported `json:"result"`
}
