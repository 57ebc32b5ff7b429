package builtin

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

func linksFind() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "links.find", Category: "search", SideEffects: tool.Reads,
			Aliases: map[string]string{"file_path": "path", "files": "paths", "target": "to"},
			Limit:   "limit",
		},
		Run: findLinks, Cut: cutOf("links"), Found: &tool.Found{List: "links", Columns: []string{"path", "link", "near"}, Words: linkWords},
	})
}

func findLinks(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	names, err := namesOf(ctx, env)
	if err != nil {
		return nil, err
	}
	s, err := targets(ctx, env, args)
	if err != nil {
		return nil, err
	}
	to := ""
	if args.Has("to") {
		info, err := find(ctx, env, args.String("to"))
		if err != nil {
			return nil, err
		}
		to = info.Path
		if s.infos, err = onlyBacklinks(ctx, env, s.infos, to); err != nil {
			return nil, err
		}
	}
	part := pageOf(env, args, 1000)
	kind := args.String("kind")
	var known map[string][]string
	if kind == "broken" {
		if known, err = spellings(ctx, env); err != nil {
			return nil, err
		}
	}
	links := []any{}
	err = s.read(ctx, env, func(i host.Info, data []byte) error {
		d := note.Parse(data)
		for n := range d.Links {
			l := &d.Links[n]
			target := ""
			if !l.External {
				target = note.Resolve(names, l.Path, i.Path)
			}
			if to != "" && target != to || !linkIsKind(l, target, kind) {
				continue
			}
			if !part.take() {
				if part.enough() {
					return errEnough
				}
				continue
			}
			one := map[string]any{
				"path": i.Path, "line": d.Line(l.Start) + 1, "link": string(l.Of(data)), "target": l.Path, "subpath": l.Subpath,
				"alias": l.Alias, "resolved": target, "embed": l.Embed, "external": l.External,
			}
			if target == "" && !l.External {
				one["near"] = nearest(known, l.Path)
			}
			links = append(links, one)
		}
		return names.err
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return s.tell(part.tell(tool.Data{"links": links})), nil
}

func onlyBacklinks(ctx context.Context, env *tool.Env, infos []host.Info, to string) ([]host.Info, error) {
	back, err := env.Vault.Backlinks(ctx, to)
	if err != nil {
		return nil, err
	}
	in := toSet(back)
	var out []host.Info
	for _, i := range infos {
		if in[i.Path] {
			out = append(out, i)
		}
	}
	return out, nil
}

func linkIsKind(l *note.Link, target, kind string) bool {
	switch kind {
	case "broken":
		return !l.External && l.Path != "" && target == ""
	case "embed":
		return l.Embed
	case "external":
		return l.External
	case "case":
		return target != "" && caseDiffers(l.Path, target)
	}
	return true
}

// nearest gives notes whose name is a likely spelling of a broken link's.
func nearest(known map[string][]string, link string) []string {
	found := known[spellingKey(link)]
	if len(found) > 5 {
		found = found[:5]
	}
	return orEmpty(found)
}

// spellings groups the vault's notes by spelling key.
func spellings(ctx context.Context, env *tool.Env) (map[string][]string, error) {
	all, err := notes(ctx, env, "")
	if err != nil {
		return nil, err
	}
	out := make(map[string][]string, len(all))
	for _, i := range all {
		k := spellingKey(i.Path)
		out[k] = append(out[k], i.Path)
	}
	return out, nil
}

// spellingKey makes names equal that differ by what people most often get
// wrong: signs and spaces, accents' forms, doubled letters, a plural "s", and
// the order of the letters inside (two swapped).
func spellingKey(path string) string {
	name := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".md"), "s")
	var letters []rune
	for _, r := range vaultpath.Fold(name) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters = append(letters, r)
		}
	}
	slices.Sort(letters)
	return string(slices.Compact(letters))
}
