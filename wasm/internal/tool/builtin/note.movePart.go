package builtin

import (
	"bytes"
	"context"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/outline"
	"embedded-agent/wasm/internal/tool"
)

func noteMovePart() tool.Tool {
	return define(tool.Tool{
		Spec: tool.Spec{
			Name: "note.movePart", Category: "data", SideEffects: tool.Writes,
			Aliases: map[string]string{"from": "path", "file_path": "path", "section": "heading", "target": "to", "newPath": "to", "position": "place"},
		},
		Run: movePart,
		Claims: func(args tool.Args) []string {
			if args.Has("to") {
				return claimAll(args) // links follow, in whatever note they are
			}
			return claimPath(args)
		},
	})
}

func movePart(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
	path, data, err := readNote(ctx, env, args.String("path"))
	if err == nil {
		err = onlyNote(path)
	}
	if err != nil {
		return nil, err
	}
	m := &partMove{ctx: ctx, env: env, args: args, from: path, doc: note.Parse(data)}
	if err := m.choose(); err != nil {
		return nil, err
	}
	if args.Has("to") {
		target, text, err := readNote(ctx, env, args.String("to"))
		switch {
		case fault.Is(err, fault.NotFound) && args.Bool("create"):
		case err != nil:
			return nil, err
		}
		if target != path {
			return m.into(target, text)
		}
	}
	if args.String("leave") == "link" || args.String("leave") == "embed" {
		return nil, fault.New(fault.Validation, "tools.outline.leave", nil)
	}
	return m.within()
}

// partMove is a part of a note on its way.
type partMove struct {
	ctx  context.Context
	env  *tool.Env
	args tool.Args
	from string
	doc  *note.Doc
	part outline.Part
}

// choose finds the part that goes.
func (m *partMove) choose() error {
	m.part = outline.Part{Heading: -1, Item: -1}
	if given(m.args, "heading") == m.args.Has("line") {
		return fault.New(fault.Validation, "tools.outline.ways", nil)
	}
	if m.args.Has("line") {
		n, err := itemAt(m.doc, m.from, m.args.Int("line"))
		m.part.Item = n
		return err
	}
	s, err := sectionNamed(m.doc, m.from, m.args.String("heading"))
	m.part.Heading = s.Heading
	return err
}

var places = map[string]outline.Where{"start": outline.Start, "before": outline.Before, "after": outline.After}

// place finds where it goes, in a note.
func (m *partMove) place(d *note.Doc, path string) (outline.Place, error) {
	at := outline.Place{Where: places[m.args.String("place")], Heading: -1, Item: -1}
	beside := at.Where == outline.Before || at.Where == outline.After
	section, line := given(m.args, "toHeading"), m.args.Has("toLine")
	// An item goes beside an item, and a section beside a section.
	if section && line || beside && !section && !line || line && (!beside || m.part.Item < 0) || section && beside && m.part.Item >= 0 {
		return at, fault.New(fault.Validation, "tools.outline.place", nil)
	}
	var err error
	switch {
	case line:
		at.Item, err = itemAt(d, path, m.args.Int("toLine"))
	case section:
		var s outline.Section
		s, err = sectionNamed(d, path, m.args.String("toHeading"))
		at.Heading = s.Heading
	}
	return at, err
}

// within moves the part within its note.
func (m *partMove) within() (tool.Data, error) {
	at, err := m.place(m.doc, m.from)
	if err != nil {
		return nil, err
	}
	out, err := outline.Move(m.doc, m.part, at)
	if err != nil {
		return nil, outlineError(m.from, err)
	}
	if _, err := modify(m.ctx, m.env, m.from, m.doc.Data, out); err != nil {
		return nil, err
	}
	return m.tell(m.from, !bytes.Equal(out, m.doc.Data), []any{}), nil
}

func (m *partMove) tell(to string, changed bool, updated []any) tool.Data {
	return tool.Data{"from": m.from, "to": to, "text": string(m.part.Span(m.doc).Of(m.doc.Data)), "changed": changed, "linksUpdated": updated}
}

// into moves the part into another note, "" for one that is to be made. It is there
// before it leaves: what goes wrong between leaves it twice, never nowhere.
func (m *partMove) into(to string, before []byte) (tool.Data, error) {
	path, err := to, error(nil)
	if to == "" {
		if path, err = newFilePath(m.env.Platform.Name, tool.Args{"path": m.args.String("to")}); err != nil {
			return nil, err
		}
	} else if err = onlyNote(to); err != nil {
		return nil, err
	}
	target := note.Parse(before)
	at, err := m.place(target, path)
	if err != nil {
		return nil, err
	}
	names, err := namesOf(m.ctx, m.env)
	if err != nil {
		return nil, err
	}
	rest, text := outline.Cut(m.doc, m.part)
	loose := outline.Loose(m.doc, m.part) && m.part.Item < 0
	after, err := outline.Put(target, m.part, text, at, loose)
	if err == nil && !outline.Kept([][]byte{m.doc.Data, before}, [][]byte{rest, after}) {
		err = outline.ErrChanges
	}
	if err != nil {
		return nil, outlineError(m.from, err)
	}
	there := relocate(m.env, names, m.from, path)
	if after, err = outline.Put(target, m.part, string(there.text([]byte(text))), at, loose); err != nil {
		return nil, outlineError(m.from, err)
	}
	follow := &partLinks{relocation: there, part: anchorsOf([]byte(text)), rest: anchorsOf(rest)}
	source := follow.in(m.from, m.left(there.after, path, rest))
	changes, err := m.users(follow, path)
	if err == nil {
		err = names.err
	}
	if err != nil {
		return nil, err
	}
	if to == "" {
		if path, err = newFile(m.ctx, m.env, tool.Args{"path": m.args.String("to")}); err == nil {
			err = apply(m.ctx, m.env, host.Op{Kind: host.OpCreate, Path: path, Data: after}, m.doc.Data)
		}
	} else {
		_, err = modify(m.ctx, m.env, path, before, after, m.doc.Data)
	}
	if err != nil {
		return nil, err
	}
	if _, err := modify(m.ctx, m.env, m.from, m.doc.Data, source); err != nil {
		return nil, err
	}
	updated := []any{}
	for _, c := range changes {
		op := host.Op{Kind: host.OpModify, Path: c.path, Before: c.before, Data: c.after, Follows: true}
		if err := apply(m.ctx, m.env, op); err != nil {
			return nil, err
		}
		updated = append(updated, c.path)
	}
	return m.tell(path, true, updated), nil
}

// left gives the source as it is when the part has gone: without it, or with a link
// or an embed in its place.
func (m *partMove) left(names note.Names, to string, rest []byte) []byte {
	leave := m.args.String("leave")
	if leave != "link" && leave != "embed" {
		return rest
	}
	sub := ""
	if m.part.Heading >= 0 {
		sub = "#" + note.HeadingPath(m.doc.Headings[m.part.Heading].Text)
	}
	link := note.MakeLink(names, to, m.from, sub, "", note.Format(m.env.Platform.LinkFormat), m.env.Platform.MarkdownLinks)
	if leave == "embed" {
		link = "!" + link
	}
	s := m.part.Span(m.doc)
	if m.part.Item >= 0 {
		it := &m.doc.Items[m.part.Item]
		link = string(m.doc.Data[it.Start:it.Marker.End]) + " " + link
	}
	return note.Edits{{Span: s, Text: link}}.Apply(m.doc.Data)
}

// users gives the other notes whose links lead to what goes, as they are then.
func (m *partMove) users(follow *partLinks, to string) ([]linkChange, error) {
	found, err := m.env.Vault.Backlinks(m.ctx, m.from)
	if err != nil {
		return nil, err
	}
	var infos []host.Info
	for _, p := range found {
		if p == m.from || p == to || !isNote(p) {
			continue
		}
		info, err := m.env.Vault.Stat(m.ctx, p)
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	var out []linkChange
	err = readAll(m.ctx, m.env, infos, func(i host.Info, data []byte) error {
		if after := follow.in(i.Path, data); !bytes.Equal(after, data) {
			out = append(out, linkChange{i.Path, data, after})
		}
		return nil
	})
	return out, err
}

// partLinks lets links follow that lead to a place which goes into another note.
type partLinks struct {
	*relocation
	part, rest *anchors // what goes, and what stays
}

// in gives a note with its links to places of the part leading to where it is now.
func (p *partLinks) in(path string, data []byte) []byte {
	out := note.ReplaceLinks(data, func(l *note.Link) (string, bool) {
		if strings.Trim(l.Subpath, "#^") == "" || l.Path == "" && path != p.from || l.Path != "" && note.Resolve(p.before, l.Path, path) != p.from {
			return "", false
		}
		if !p.part.hold(l.Subpath) || p.rest.hold(l.Subpath) {
			return "", false
		}
		return note.LinkpathFor(l, p.after, p.to, path, p.format), true
	})
	if out == nil {
		return data
	}
	return out
}
