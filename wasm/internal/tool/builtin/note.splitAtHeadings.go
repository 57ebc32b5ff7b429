package builtin

import (
	"bytes"
	"context"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

func noteSplitAtHeadings() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "note.splitAtHeadings", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"file_path": "path", "dir": "folder"},
		},
		Run: splitAtHeadings,
		// The notes that it makes are named by what is in the note.
		Claims: claimAll,
		Touches: func(args tool.Args) tool.Touch {
			out := tool.Touch{Files: []string{args.String("path")}}
			if args.Has("folder") {
				out.Folders = []string{args.String("folder")}
			}
			return out
		},
	})
}

func splitAtHeadings(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	path, data, err := readNote(ctx, env, args.String("path"))
	if err == nil {
		err = onlyNote(path)
	}
	if err != nil {
		return nil, err
	}
	folder := vaultpath.Parent(path)
	if args.Has("folder") {
		if folder, err = vaultpath.CleanFolder(args.String("folder")); err != nil {
			return nil, err
		}
	}
	d := note.Parse(data)
	level := args.Int("level")
	if level == 0 {
		level = topLevel(d)
	}
	leave := args.String("leave")
	if leave == "" {
		leave = "headingAndLink"
	}
	names, err := namesOf(ctx, env)
	if err != nil {
		return nil, err
	}
	var edits note.Edits
	made := []any{}
	for n, h := range d.Headings {
		if h.Level != level || d.InList(h.Start) {
			continue
		}
		body := d.SectionBody(n)
		if body.Empty() && !args.Bool("empty") {
			continue
		}
		if isSplit(string(body.Of(data))) {
			continue // split before: a second run changes nothing
		}
		to := vaultpath.Join(folder, noteTitle(env.Platform.Name, note.Title(h.Text))+".md")
		text := relocate(env, names, path, to).text(body.Of(data))
		if names.err != nil {
			return nil, names.err
		}
		one, link, err := splitOff(ctx, env, to, text, note.EOL(data))
		if err != nil {
			return nil, err
		}
		made = append(made, one)
		leaveBehind(&edits, d, n, body, link, leave)
	}
	if len(made) == 0 {
		return nil, fault.New(fault.Precondition, "tools.split.nothing", fault.P{"path": path})
	}
	etag, err := modify(ctx, env, path, data, edits.Apply(data))
	if err != nil {
		return nil, err
	}
	return tool.Data{"path": path, "etag": etag, "notes": made}, nil
}

// topLevel gives the level to split at: the highest that the note has more than
// once, or its highest.
func topLevel(d *note.Doc) int {
	var count [7]int
	for _, h := range d.Headings {
		count[h.Level]++
	}
	for l := 1; l <= 6; l++ {
		if count[l] > 1 {
			return l
		}
	}
	for l := 1; l <= 6; l++ {
		if count[l] > 0 {
			return l
		}
	}
	return 1
}

// isSplit says whether a section holds nothing but one link or embed.
func isSplit(body string) bool {
	d := note.Parse([]byte(body))
	return len(d.Links) == 1 && d.Links[0].Start == 0 && d.Links[0].End == len(body)
}

// splitOff makes the note of one section.
func splitOff(ctx context.Context, env *tool.Env, path string, text []byte, eol string) (map[string]any, string, error) {
	if err := checkNew(ctx, env, path); err != nil {
		return nil, "", err
	}
	if _, err := ensureFolder(ctx, env, vaultpath.Parent(path)); err != nil {
		return nil, "", err
	}
	data := bytes.Clone(text)
	if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
		data = append(data, eol...)
	}
	path, _, err := createAt(ctx, env, path, data, "unique", text)
	if err != nil {
		return nil, "", err
	}
	link, err := linkTo(ctx, env, path)
	if err != nil {
		return nil, "", err
	}
	return map[string]any{"path": path, "title": title(path), "link": link, "etag": host.Etag(data)}, link, nil
}

// leaveBehind edits what stays in the note in place of a section.
func leaveBehind(edits *note.Edits, d *note.Doc, n int, body note.Span, link, leave string) {
	whole := d.Section(n)
	eol := d.EOL()
	if body.Empty() {
		body = note.Span{Start: d.Headings[n].End, End: d.Headings[n].End}
		if leave == "headingAndLink" || leave == "headingAndEmbed" {
			link = eol + link
		}
	}
	switch leave {
	case "headingAndLink":
		edits.Replace(body, link)
	case "headingAndEmbed":
		edits.Replace(body, strings.Replace(link, "[", "![", 1))
	case "link":
		edits.Replace(note.Span{Start: whole.Start, End: body.End}, link)
	case "embed":
		edits.Replace(note.Span{Start: whole.Start, End: body.End}, "!"+link)
	default:
		edits.Replace(whole, "")
	}
}
