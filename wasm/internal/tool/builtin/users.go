package builtin

import (
	"context"

	"embedded-agent/wasm/internal/carrier"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/index"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

// carriers gives the files below a folder that may have links.
func carriers(ctx context.Context, env *tool.Env, folder string) ([]host.Info, error) {
	return filesOf(ctx, env, folder, carrier.Carries)
}

// filesOf gives the files below a folder that are wanted.
func filesOf(ctx context.Context, env *tool.Env, folder string, wanted func(path string) bool) ([]host.Info, error) {
	all, err := env.Vault.Walk(ctx, folder)
	out := make([]host.Info, 0, len(all))
	for _, i := range all {
		if i.Kind == host.File && wanted(i.Path) {
			out = append(out, i)
		}
	}
	return out, err
}

// withHTML adds the notes that may show a file in HTML.
func withHTML(ctx context.Context, env *tool.Env, to []host.Info) ([]host.Info, error) {
	have := map[string]bool{}
	for _, i := range to {
		have[i.Path] = true
	}
	found, err := selectFiles(ctx, env, index.Filter{
		Notes: true, Need: index.Pattern(carrier.Tags),
		Pass: func(i *host.Info) bool { return !have[i.Path] },
	})
	for i := range found {
		to = append(to, *found[i].Info)
	}
	return to, err
}

// editCards changes a note's text, or that of each card of a canvas, and gives the
// file as it is then and how many changes there are.
func editCards(path string, data []byte, change func(text []byte) ([]byte, int, error)) ([]byte, int, error) {
	count := 0
	var failed error
	out := carrier.Edit{Text: func(text []byte) ([]byte, bool) {
		if failed != nil {
			return nil, false
		}
		changed, n, err := change(text)
		count, failed = count+n, err
		return changed, n > 0 && err == nil
	}}.In(path, data)
	if out == nil {
		out = data
	}
	return out, count, failed
}

// usedBy adds the files that a file uses, itself apart.
func usedBy(n note.Names, used map[string]bool, path string, data []byte) {
	for _, p := range carrier.Targets(n, path, data) {
		if p != path {
			used[p] = true
		}
	}
}
