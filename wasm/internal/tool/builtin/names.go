package builtin

import (
	"cmp"
	"context"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

// Namer is a Vault that can find files by name without listing them all: the
// paths of all files (hidden ones excluded) whose last part, with its
// extension and in lower case, is the one given. Tools use it where the Vault
// they are handed has it, and list the vault where it has not.
type Namer interface {
	Named(ctx context.Context, lower string) ([]string, error)
}

// names answers note.Names from a vault, and keeps the first error.
type names struct {
	ctx   context.Context
	namer Namer
	known note.Index
	err   error
}

// namesOf gives the names of the vault's files.
func namesOf(ctx context.Context, env *tool.Env) (*names, error) {
	n := &names{ctx: ctx, known: note.Index{}}
	if namer, ok := env.Vault.(Namer); ok {
		n.namer = namer
		return n, nil
	}
	all, err := env.Vault.Walk(ctx, "")
	if err != nil {
		return nil, err
	}
	for _, i := range all {
		if i.Kind == host.File {
			n.known.Add(i.Path)
		}
	}
	return n, nil
}

// Named implements note.Names.
func (n *names) Named(lower string) []string {
	if n.namer == nil {
		return n.known.Named(lower)
	}
	if found, ok := n.known[lower]; ok {
		return found
	}
	found, err := n.namer.Named(n.ctx, lower)
	if err != nil && n.err == nil {
		n.err = err
	}
	n.known[lower] = found
	return found
}

// named finds a note or file by its path, or as a link would: by its name alone,
// with [[brackets]] or without. Where several have the name, the path must say which.
func named(ctx context.Context, env *tool.Env, text string) (host.Info, error) {
	text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "[["), "]]")
	info, err := findFile(ctx, env, text)
	if !fault.Is(err, fault.NotFound) {
		return info, err
	}
	known, namesErr := namesOf(ctx, env)
	if namesErr != nil {
		return info, namesErr
	}
	to, _ := note.ResolveAnywhere(known, text)
	if to == "" || known.err != nil {
		return info, cmp.Or(known.err, err)
	}
	return findFile(ctx, env, to)
}

// linkTo writes a link to a file as the person's settings have it. The note it
// will stand in is taken to be the active one, which matters for relative paths
// only.
func linkTo(ctx context.Context, env *tool.Env, path string) (string, error) {
	f := note.Format(env.Platform.LinkFormat)
	if f == note.Absolute {
		return note.MakeLink(note.Index{}, path, "", "", "", f, env.Platform.MarkdownLinks), nil
	}
	source := ""
	if f == note.Relative && env.Editor != nil {
		state, err := env.Editor.State(ctx)
		if err != nil {
			return "", err
		}
		source = state.Path
	}
	known, err := namesOf(ctx, env)
	if err != nil {
		return "", err
	}
	link := note.MakeLink(known, path, source, "", "", f, env.Platform.MarkdownLinks)
	return link, known.err
}

// noteTitle makes a title safe as a file name; an extension ".md" that the
// title already has is not doubled. Some systems refuse more than others, so the
// platform counts.
func noteTitle(platform, s string) string {
	s = strings.TrimSpace(s)
	if isNote(s) {
		s = s[:len(s)-3]
	}
	return vaultpath.SafeNameOn(platform, s)
}

// caseDiffers says whether a link leads to its target only because case is
// ignored.
func caseDiffers(link, target string) bool {
	link = strings.TrimPrefix(link, "/")
	for strings.HasPrefix(link, "../") || strings.HasPrefix(link, "./") {
		_, link, _ = strings.Cut(link, "/")
	}
	return !strings.HasSuffix(target, link) && !strings.HasSuffix(target, link+".md")
}
