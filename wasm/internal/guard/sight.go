package guard

import (
	"context"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sight"
)

// What a model is told, what tools give and what actions are filled with comes
// from the host as this file hands it out: through package sight, or through an
// overlay with the same rule. Nothing else of this package touches the vault,
// the editor, the panes or the commands, but for what works for the person alone
// (runs, undoing, what has changed meanwhile); a test of the layout holds it to
// that.

// appSettings are the app's own settings that tools read.
var appSettings = []string{protocol.CorePluginsFile, protocol.DailyNotesFile, protocol.TemplatesFile}

// readable gives the paths of appSettings. The lock is held.
func (g *Guard) readable() []string {
	if g.host.Platform.ConfigDir == "" {
		return nil
	}
	out := make([]string, len(appSettings))
	for i, name := range appSettings {
		out[i] = g.host.Platform.ConfigDir + "/" + name
	}
	return out
}

// Visible is the host as it may be seen now.
func (g *Guard) Visible() host.Host { return g.VisibleTo(g.Policy()) }

// VisibleTo gives the host as a policy lets it be seen.
func (g *Guard) VisibleTo(pol *policy.Policy) host.Host { return sight.Over(g.host, pol.MaySee) }

// HiddenPaths says which of some paths may not be seen, for the panel to show.
func (g *Guard) HiddenPaths(_ context.Context, p protocol.Paths) (protocol.Paths, error) {
	pol, out := g.Policy(), protocol.Paths{Paths: []string{}}
	for _, path := range p.Paths {
		if pol.MaySee(path) != nil {
			out.Paths = append(out.Paths, path)
		}
	}
	return out, nil
}
