package protocol

// ConversationMethods are those of ServerMethods that concern conversations and what
// is in them.
type ConversationMethods struct {
	ConversationsList  Method[ConversationsQuery, Conversations]   `json:"conversations.list"`
	ConversationGet    Method[ConversationRef, ConversationDetail] `json:"conversation.get"`
	ConversationRename Method[ConversationRename, Conversations]   `json:"conversation.rename"`
	ConversationRemove Method[ConversationRef, Conversations]      `json:"conversation.remove"`
	// Opens the review of a note.
	ConversationExport Method[ConversationExport, RunRef] `json:"conversation.export"`
	// Opens the review of a note with tables in it.
	FindingsNote Method[FindingsNote, RunRef] `json:"findings.note"`
}

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

// ConversationRef names a conversation.
type ConversationRef struct {
	ID string `json:"id"`
}

// ConversationDetail is a conversation opened; with its id, Send goes on with it.
type ConversationDetail struct {
	Conversation Conversation `json:"conversation"`
	Turns        []Turn       `json:"turns"`
}

// ConversationRename gives a conversation another title.
type ConversationRename struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// ConversationExport writes a conversation to a note: it opens a review.
type ConversationExport struct {
	ID   string `json:"id"`
	Path string `json:"path"`
}

// UsageRow is the sum of one day and model.
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

// UsageExport asks for the ledger.
type UsageExport struct {
	Format UsageFormat `json:"format"`
}

// Document is a text to be kept elsewhere.
type Document struct {
	Text string `json:"text"`
}

// Models is the model ids that the endpoint offers.
type Models struct {
	Models []string `json:"models"`
	// FetchedAt is when the endpoint was asked, in RFC 3339.
	FetchedAt string   `json:"fetchedAt,omitempty"`
	Problem   *Problem `json:"problem,omitempty"`
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

// Plugins are those that were found, with the date of the list. Offline means that the
// list could not be fetched and an older one was used.
type Plugins struct {
	Plugins   []Plugin `json:"plugins"`
	FetchedAt string   `json:"fetchedAt,omitempty"`
	Offline   bool     `json:"offline,omitempty"`
}

// Span is one stretch of a run's trace. Start is in milliseconds from the
// trace's beginning.
type Span struct {
	ID         string   `json:"id"`
	Parent     string   `json:"parent,omitempty"`
	Name       string   `json:"name"`
	Kind       SpanKind `json:"kind"`
	StartMs    float64  `json:"startMs"`
	DurationMs float64  `json:"durationMs"`
	Status     string   `json:"status"`
	CallID     string   `json:"callId,omitempty"`
}

// Trace is a run's spans, and the same as OTLP/JSON lines.
type Trace struct {
	Spans []Span `json:"spans"`
	OTLP  string `json:"otlp"`
	// Conversation is the one that the run or turn belongs to; "" for none.
	Conversation string `json:"conversation,omitempty"`
}
