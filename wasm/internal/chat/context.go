package chat

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/carrier"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/offer"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/vaultpath"
)

// Bounds of what the model is told of the vault.
const (
	maxFolders = 4
	maxNames   = 60
)

// attachments reads what goes along with an instruction: what surrounds it in the
// vault, and what the person attached.
type attachments struct{ deps *Deps }

// context gathers what the model is told. What cannot be read is left out:
// planning works without it, and note says so of what the person attached.
func (at *attachments) context(ctx context.Context, p protocol.Send, note func(protocol.Message)) (planner.Context, error) {
	pol := at.deps.Guard.Policy()
	app, loc := at.deps.Guard.Surroundings()
	now := at.deps.Now().In(loc)
	c := planner.Context{
		Instruction: p.Text, Language: app.Language, Today: timestamp.Day(now) + ", " + now.Weekday().String(),
		DeletesAllowed: pol.AllowDeletes, RenamesAllowed: pol.AllowRenames, CommandsAllowed: pol.AllowCommands,
	}
	c.Roots, c.KeptOut = constraints(pol)
	seen := at.deps.Guard.VisibleTo(pol)
	if seen.Editor != nil {
		st, err := seen.Editor.State(ctx)
		if err != nil {
			return c, err
		}
		if !p.OmitActive {
			c.ActiveFile, c.ActiveHidden = st.Path, st.Hidden
		}
		if p.UseSelection {
			c.Selection = st.Text
		}
	}
	if c.ActiveFile != "" {
		c.ActiveHolds = holds(ctx, seen.Vault, c.ActiveFile)
	}
	var err error
	if c.Attached, err = at.texts(ctx, p, note); err != nil {
		return c, err
	}
	for _, f := range mentioned(ctx, seen.Vault, p.Text, c.ActiveFile) {
		found, err := namesIn(ctx, seen.Vault, f)
		if err != nil {
			return c, err
		}
		if found != nil {
			c.Folders = append(c.Folders, *found)
		}
	}
	return c, nil
}

// maxOpen is the size of a note beyond which it is not looked into, in bytes.
const maxOpen = 1 << 20

// holds says what the open note holds. A note that cannot be read speaks for no tool.
func holds(ctx context.Context, v host.Vault, path string) string {
	i, err := v.Stat(ctx, path)
	if err != nil || i.Size > maxOpen || !carrier.IsNote(path) {
		return offer.Opened(path, "")
	}
	text, err := v.Read(ctx, path)
	if err != nil {
		return ""
	}
	return offer.Opened(path, string(text))
}

// constraints gives where plans may go, as a model is told of it beforehand: the
// folders that they stay in, and whether there is more that they may not touch.
func constraints(pol *policy.Policy) (roots []string, keptOut bool) {
	for _, root := range pol.Sandbox.AllowedRoots {
		clean, err := vaultpath.CleanFolder(root)
		if err != nil {
			continue // it allows nothing
		}
		if clean == "" {
			roots = nil
			break
		}
		roots = append(roots, clean)
	}
	return roots, slices.ContainsFunc(pol.Sandbox.DenyPatterns, func(p string) bool { return !slices.Contains(guard.AlwaysDenied, p) })
}

// mentioned lists the folders that an instruction seems to speak of, the active
// note's and the vault's root among them.
func mentioned(ctx context.Context, v host.Vault, text, active string) []string {
	out := []string{""}
	seen := map[string]bool{"": true}
	add := func(f string) {
		if !seen[f] && len(out) < maxFolders {
			seen[f] = true
			out = append(out, f)
		}
	}
	if active != "" {
		add(vaultpath.Parent(active))
	}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\"'“”‘’«»,;()", r) }) {
		f, err := vaultpath.CleanFolder(strings.Trim(w, ".!?:"))
		if err != nil || f == "" {
			continue
		}
		if i, err := v.Stat(ctx, f); err == nil && i.Kind == host.Folder {
			add(f)
		}
	}
	return out
}

func namesIn(ctx context.Context, v host.Vault, folder string) (*planner.FolderNames, error) {
	entries, err := v.List(ctx, folder)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	f := &planner.FolderNames{Folder: folder}
	for _, e := range entries {
		if len(f.Names) == maxNames {
			f.More = len(entries) - maxNames
			break
		}
		name := vaultpath.Base(e.Path)
		if e.Kind == host.Folder {
			name += "/"
		}
		f.Names = append(f.Names, name)
	}
	if len(f.Names) == 0 {
		return nil, nil
	}
	return f, nil
}
