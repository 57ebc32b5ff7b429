package community

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
)

// Searcher is tool.PluginSearcher: the official list, with what is installed.
// Installed is nil where the host does not say what is.
type Searcher struct {
	List      *Directory
	Installed host.Plugins
}

// Search implements tool.PluginSearcher.
func (p *Searcher) Search(ctx context.Context, text string, limit int, refresh bool) (*tool.PluginList, error) {
	found, err := p.List.Search(ctx, text, limit, refresh)
	if err != nil {
		return nil, err
	}
	there := map[string]host.InstalledPlugin{}
	if p.Installed != nil {
		all, err := p.Installed.Installed(ctx)
		if err := ctx.Err(); err != nil {
			return nil, fault.From(err)
		}
		if err == nil { // an internal interface of the app: without it nothing is marked
			for _, i := range all {
				there[i.ID] = i
			}
		}
	}
	out := &tool.PluginList{FetchedAt: found.At, Offline: found.Offline}
	for _, f := range found.Plugins {
		i, installed := there[f.ID]
		out.Plugins = append(out.Plugins, tool.PluginFound{
			ID: f.ID, Name: f.Name, Author: f.Author, Description: f.Description, Repo: f.Repo,
			Installed: installed, Enabled: i.Enabled,
		})
	}
	return out, nil
}

// The number of plugins that a search gives: where none is asked for, and at
// most.
const (
	defaultPlugins = 20
	maxPlugins     = 100
)

// Asked is the method plugins.search.
func (p *Searcher) Asked(ctx context.Context, q protocol.PluginsQuery) (protocol.Plugins, error) {
	limit := min(q.Limit, maxPlugins)
	if limit <= 0 {
		limit = defaultPlugins
	}
	list, err := p.Search(ctx, q.Text, limit, q.Refresh)
	if err != nil {
		return protocol.Plugins{}, err
	}
	out := protocol.Plugins{Plugins: []protocol.Plugin{}, FetchedAt: timestamp.Second(list.FetchedAt), Offline: list.Offline}
	for _, f := range list.Plugins {
		out.Plugins = append(out.Plugins, protocol.Plugin(f))
	}
	return out, nil
}
