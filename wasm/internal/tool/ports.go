package tool

import (
	"context"
	"time"
)

// HTTPRequest is a request of a tool to a web address. Header values may hold
// {{secret:NAME}}; what stands for it is put in on the other side of the host's
// boundary.
type HTTPRequest struct {
	Method  string
	URL     string
	Header  map[string]string
	Body    string
	MaxBody int // the answer's bytes that are read; what is longer is cut
	TTL     int // seconds; an answer to the same request that is no older will do
}

// HTTPAnswer is an answer, read. Header names are lower case.
type HTTPAnswer struct {
	Status    int
	Header    map[string]string
	Body      []byte
	Truncated bool
}

// Fetcher sends requests of tools. What may be reached is decided behind it: an
// address that is not allowed is POLICY_DENIED, a missing secret AUTH_REQUIRED,
// a failed connection NETWORK_ERROR.
type Fetcher interface {
	Fetch(ctx context.Context, r HTTPRequest) (*HTTPAnswer, error)
}

// PluginFound is one entry of the official list of community plugins.
type PluginFound struct {
	ID, Name, Author, Description, Repo string
	Installed, Enabled                  bool
}

// PluginList has the plugins that a search found, best first. FetchedAt is the list's date;
// Offline means that it could not be fetched and an older one was used.
type PluginList struct {
	Plugins   []PluginFound
	FetchedAt time.Time
	Offline   bool
}

// PluginSearcher searches the official list.
type PluginSearcher interface {
	Search(ctx context.Context, text string, limit int, refresh bool) (*PluginList, error)
}
