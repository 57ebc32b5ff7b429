package builtin

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"embedded-agent/wasm/internal/carrier"
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
	s, err := targetsOf(ctx, env, args, carrier.Carries)
	if err != nil {
		return nil, err
	}
	f := linkFinder{names: names, kind: args.String("kind"), links: []any{}, part: pageOf(env, args, 1000)}
	if args.Has("to") {
		info, err := named(ctx, env, args.String("to"))
		if err != nil {
			return nil, err
		}
		f.to = info.Path
		found, err := env.Vault.Backlinks(ctx, f.to)
		if err != nil {
			return nil, err
		}
		users := toSet(found)
		s.infos = slices.DeleteFunc(slices.Clone(s.infos), func(i host.Info) bool { return !users[i.Path] })
	}
	if f.kind == "broken" {
		if f.known, err = spellings(ctx, env); err != nil {
			return nil, err
		}
	}
	err = s.read(ctx, env, f.in)
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return s.tell(f.part.tell(tool.Data{"links": f.links})), nil
}

// linkFinder looks for links in one file after the other.
type linkFinder struct {
	names    *names
	to, kind string
	known    map[string][]string // names by their spelling, where that is asked for
	links    []any
	part     *page
}

func (f *linkFinder) in(i host.Info, data []byte) error {
	line, counted := 1, 0
	for _, l := range carrier.Links(i.Path, data) {
		target := ""
		if !l.External {
			target = note.Resolve(f.names, l.Path, i.Path)
		}
		if f.to != "" && target != f.to || !linkIsKind(l.Link, target, f.kind) {
			continue
		}
		if !f.part.take() {
			if f.part.enough() {
				return errEnough
			}
			continue
		}
		if l.At < counted {
			line, counted = 1, 0 // embeds in a link's text come before it
		}
		line, counted = line+bytes.Count(data[counted:l.At], newline), l.At
		one := map[string]any{
			"path": i.Path, "line": line, "link": l.Written, "target": l.Path, "subpath": l.Subpath,
			"alias": l.Alias, "resolved": target, "embed": l.Embed, "external": l.External,
		}
		if target == "" && !l.External {
			one["near"] = nearest(f.known, l.Path)
		}
		f.links = append(f.links, one)
	}
	return f.names.err
}

func linkIsKind(l *note.Link, target, kind string) bool {
	switch kind {
	case "broken":
		return !l.External && l.Path != "" && target == "" && l.Kind != note.HTML
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
