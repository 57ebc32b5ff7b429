// Package community knows the official list of community plugins: it fetches
// the list when it is first asked, keeps it in the plugin's store with its date,
// works from what it kept when there is no network, and ranks it for a search.
package community

import (
	"bytes"
	"context"
	"sync"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/jsontree"
	"embedded-agent/wasm/internal/timestamp"
)

// Address is where the official list is.
const Address = "https://raw.githubusercontent.com/obsidianmd/obsidian-releases/master/community-plugins.json"

// MaxList bounds the list, in bytes; it has two million.
const MaxList = 16 << 20

// file is where the list is kept: a line with its date, then the list as it
// came.
const file = "community-plugins.json"

// fresh is how long a list is used before it is fetched again.
const fresh = 24 * time.Hour

// Plugin is an entry of the list.
type Plugin struct {
	ID, Name, Author, Description, Repo string
}

// Directory is the list. Fetch gets it from its Address.
type Directory struct {
	Store host.Store
	Fetch func(ctx context.Context) ([]byte, error)
	Now   func() time.Time

	mu      sync.Mutex // held while the list is read or fetched; guards what follows
	entries []entry
	at      time.Time
}

// Found has the plugins that a search gave, best first. At is the list's date; Offline means
// that it could not be fetched, and an older one was used.
type Found struct {
	Plugins []Plugin
	At      time.Time
	Offline bool
}

// Search gives the plugins that fit a text best. A list that is older than a day
// is fetched again; refresh fetches it in any case. NETWORK_ERROR where there is
// no list, neither there nor here.
func (d *Directory) Search(ctx context.Context, text string, limit int, refresh bool) (*Found, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	offline, err := d.load(ctx, refresh)
	if err != nil {
		return nil, err
	}
	return &Found{Plugins: rank(d.entries, text, limit), At: d.at, Offline: offline}, nil
}

// load makes sure that there is a list.
func (d *Directory) load(ctx context.Context, refresh bool) (offline bool, err error) {
	if d.entries == nil {
		d.readKept(ctx)
	}
	if age := d.Now().Sub(d.at); d.entries != nil && !refresh && age >= 0 && age < fresh {
		return false, nil
	}
	raw, err := d.Fetch(ctx)
	var list []entry
	if err == nil {
		list, err = parse(raw)
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return false, fault.From(ctx.Err())
	case d.entries != nil:
		return true, nil
	default:
		return false, fault.New(fault.Network, "tools.plugins.list", nil).With(err)
	}
	d.entries, d.at = list, d.Now()
	stamped := append([]byte(timestamp.Second(d.at)+"\n"), raw...)
	// A list that cannot be kept is fetched again next time.
	_ = d.Store.Write(ctx, file, stamped)
	return false, nil
}

// readKept takes the list that an earlier search kept. One that cannot be read
// is as none.
func (d *Directory) readKept(ctx context.Context) {
	raw, err := d.Store.Read(ctx, file)
	if err != nil {
		return
	}
	stamp, list, ok := bytes.Cut(raw, []byte("\n"))
	if !ok {
		return
	}
	at, err := time.Parse(time.RFC3339, string(stamp))
	if err != nil {
		return
	}
	if entries, err := parse(list); err == nil {
		d.entries, d.at = entries, at
	}
}

// parse reads the list. A list without a single plugin is none: a page that
// says that something is wrong, for example.
func parse(raw []byte) ([]entry, error) {
	root, err := jsontree.Parse(raw)
	if err != nil {
		return nil, err
	}
	var list []entry
	for e := range root.Elements() {
		p := Plugin{
			ID: e.Get("id").Str(), Name: e.Get("name").Str(), Author: e.Get("author").Str(),
			Description: e.Get("description").Str(), Repo: e.Get("repo").Str(),
		}
		if p.ID != "" && p.Name != "" {
			list = append(list, newEntry(p))
		}
	}
	if list == nil {
		return nil, fault.New(fault.Provider, "tools.plugins.list", nil)
	}
	return list, nil
}
