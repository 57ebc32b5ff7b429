package protocol

// Conversation is one line of the list of kept conversations.
type Conversation struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	UpdatedAt string `json:"updatedAt"`
	Turns     int    `json:"turns"`
}

// ConversationsQuery asks for conversations with a text in them, newest first.
type ConversationsQuery struct {
	Text  string `json:"text,omitempty"`
	Limit int    `json:"limit,omitempty"`
}

// Conversations is a list of them.
type Conversations struct {
	Conversations []Conversation `json:"conversations"`
}

// ConversationsCall is the method conversations.list.
type ConversationsCall struct {
	Params ConversationsQuery `json:"params"`
	Result Conversations      `json:"result"`
}

// ConversationRef names a conversation.
type ConversationRef struct {
	ID string `json:"id"`
}

// ConversationDetail is a conversation opened; with its id, Send goes on with it.
type ConversationDetail struct {
	Conversation Conversation `json:"conversation"`
	Turns        []Turn       `json:"turns"`
}

// ConversationGetCall is the method conversation.get.
type ConversationGetCall struct {
	Params ConversationRef    `json:"params"`
	Result ConversationDetail `json:"result"`
}

// ConversationRename gives a conversation another title.
type ConversationRename struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// ConversationRenameCall is the method conversation.rename.
type ConversationRenameCall struct {
	Params ConversationRename `json:"params"`
	Result Conversations      `json:"result"`
}

// ConversationRefCall is the method conversation.remove.
type ConversationRefCall struct {
	Params ConversationRef `json:"params"`
	Result Conversations   `json:"result"`
}

// ConversationExport writes a conversation to a note: it opens a review.
type ConversationExport struct {
	ID   string `json:"id"`
	Path string `json:"path"`
}

// ConversationExportCall is the method conversation.export.
type ConversationExportCall struct {
	Params ConversationExport `json:"params"`
	Result RunRef             `json:"result"`
}

// UsageRow is what one day and model amount to.
type UsageRow struct {
	Day      string  `json:"day"`
	Host     string  `json:"host"`
	Model    string  `json:"model"`
	Calls    int     `json:"calls"`
	Input    int     `json:"input"`
	Output   int     `json:"output"`
	Cached   int     `json:"cached"`
	Cost     float64 `json:"cost"`
	Unpriced int     `json:"unpriced"` // calls that Cost does not include
}

// UsageReport is the ledger: kept on this device, sent nowhere.
type UsageReport struct {
	Currency string `json:"currency"`
	// PricesOf is the day on which somebody last looked at the prices in use,
	// YYYY-MM-DD; "" when the table does not say.
	PricesOf string     `json:"pricesOf,omitempty"`
	Rows     []UsageRow `json:"rows"`
}

// UsageCall is the method usage.get.
type UsageCall struct {
	Params Empty       `json:"params"`
	Result UsageReport `json:"result"`
}

// UsageExport asks for the ledger as "csv" or "json".
type UsageExport struct {
	Format string `json:"format"`
}

// Document is a text to be kept elsewhere.
type Document struct {
	Text string `json:"text"`
}

// UsageExportCall is the method usage.export.
type UsageExportCall struct {
	Params UsageExport `json:"params"`
	Result Document    `json:"result"`
}

// PricesCall is the method prices.default: the price table that comes with the
// plugin, as JSON.
type PricesCall struct {
	Params Empty    `json:"params"`
	Result Document `json:"result"`
}

// Models is the model ids that the endpoint offers.
type Models struct {
	Models []string `json:"models"`
	// FetchedAt is when the endpoint was asked, in RFC 3339.
	FetchedAt string   `json:"fetchedAt,omitempty"`
	Problem   *Problem `json:"problem,omitempty"`
}

// ModelsCall is the method models.list.
type ModelsCall struct {
	Params Empty  `json:"params"`
	Result Models `json:"result"`
}

// SecretView is a secret's name, where it was found, and whether it has a value.
// The value never leaves the host's secret store. Hosts are those that it may
// go to; Unconfirmed are those of them that this device asks about first.
type SecretView struct {
	Name        string   `json:"name"`
	Scope       string   `json:"scope"`
	Has         bool     `json:"has"`
	Tools       []string `json:"tools"`
	Hosts       []string `json:"hosts"`
	Unconfirmed []string `json:"unconfirmed"`
}

// Secrets is every named secret.
type Secrets struct {
	Secrets []SecretView `json:"secrets"`
}

// SecretsCall is the method secrets.list.
type SecretsCall struct {
	Params Empty   `json:"params"`
	Result Secrets `json:"result"`
}

// PluginsQuery searches the official list of community plugins. Refresh fetches
// it anew.
type PluginsQuery struct {
	Text    string `json:"text"`
	Limit   int    `json:"limit,omitempty"`
	Refresh bool   `json:"refresh,omitempty"`
}

// Plugin is one community plugin.
type Plugin struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Author      string `json:"author"`
	Description string `json:"description"`
	Repo        string `json:"repo"`
	Installed   bool   `json:"installed,omitempty"`
	Enabled     bool   `json:"enabled,omitempty"`
}

// Plugins is what was found, with the date of the list. Offline means that the
// list could not be fetched and an older one was used.
type Plugins struct {
	Plugins   []Plugin `json:"plugins"`
	FetchedAt string   `json:"fetchedAt,omitempty"`
	Offline   bool     `json:"offline,omitempty"`
}

// PluginsCall is the method plugins.search.
type PluginsCall struct {
	Params PluginsQuery `json:"params"`
	Result Plugins      `json:"result"`
}

// Span is one stretch of a run's trace. Start is in milliseconds from the
// trace's beginning.
type Span struct {
	ID         string  `json:"id"`
	Parent     string  `json:"parent,omitempty"`
	Name       string  `json:"name"`
	Kind       string  `json:"kind"` // run, model, policy, tool
	StartMs    float64 `json:"startMs"`
	DurationMs float64 `json:"durationMs"`
	Status     string  `json:"status"`
	CallID     string  `json:"callId,omitempty"`
}

// Trace is a run's spans, and the same as OTLP/JSON lines.
type Trace struct {
	Spans []Span `json:"spans"`
	OTLP  string `json:"otlp"`
	// Conversation is the one that the run or turn belongs to; "" for none.
	Conversation string `json:"conversation,omitempty"`
}

// TraceCall is the method trace.get.
type TraceCall struct {
	Params RunRef `json:"params"`
	Result Trace  `json:"result"`
}

// RunExportCall is the method run.export.
type RunExportCall struct {
	Params RunRef   `json:"params"`
	Result Document `json:"result"`
}
