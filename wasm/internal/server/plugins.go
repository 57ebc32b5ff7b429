package server

import (
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"embedded-agent/wasm/internal/community"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/network"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/web"
)

// plugins is tool.PluginSearcher: the official list, with what is installed.
type plugins struct {
	list      *community.Directory
	installed host.Plugins
}

// newPlugins gives the list over the network; nothing is fetched before somebody
// searches.
func newPlugins(d Deps, store host.Store) *plugins {
	fetch := func(ctx context.Context) ([]byte, error) { return fetchList(ctx, d.Transport) }
	return &plugins{&community.Directory{Store: store, Fetch: fetch, Now: d.Now}, d.Host.Plugins}
}

// listTimeout bounds fetching the list.
const listTimeout = 30 * time.Second

// fetchList gets the list by the app's own client: the list's host lets no page
// read it by itself.
func fetchList(ctx context.Context, t web.Transport) ([]byte, error) {
	if t == nil {
		return nil, fault.New(fault.Network, "tools.plugins.list", nil)
	}
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	out := network.Out{Transport: t, List: true}
	res, err := out.Do(ctx, web.Request{Method: "GET", URL: community.Address, Via: web.ViaApp})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	if res.Status() != 200 {
		return nil, fault.New(fault.Provider, "tools.http.refused", fault.P{"url": community.Address, "status": strconv.Itoa(res.Status())})
	}
	var raw []byte
	for {
		chunk, err := res.Read(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return raw, nil
		case err != nil:
			return nil, err
		case len(raw)+len(chunk) > community.MaxList:
			return nil, fault.New(fault.Provider, "tools.plugins.list", nil)
		}
		raw = append(raw, chunk...)
	}
}

// Search implements tool.PluginSearcher.
func (p *plugins) Search(ctx context.Context, text string, limit int, refresh bool) (*tool.PluginList, error) {
	found, err := p.list.Search(ctx, text, limit, refresh)
	if err != nil {
		return nil, err
	}
	there := map[string]host.InstalledPlugin{}
	if p.installed != nil {
		all, err := p.installed.Installed(ctx)
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

// pluginsSearch is the method plugins.search.
func (s *Server) pluginsSearch(ctx context.Context, q protocol.PluginsQuery) (protocol.Plugins, error) {
	limit := min(q.Limit, maxPlugins)
	if limit <= 0 {
		limit = defaultPlugins
	}
	list, err := s.plugins.Search(ctx, q.Text, limit, q.Refresh)
	if err != nil {
		return protocol.Plugins{}, err
	}
	out := protocol.Plugins{Plugins: []protocol.Plugin{}, FetchedAt: timestamp.Second(list.FetchedAt), Offline: list.Offline}
	for _, p := range list.Plugins {
		out.Plugins = append(out.Plugins, protocol.Plugin(p))
	}
	return out, nil
}
