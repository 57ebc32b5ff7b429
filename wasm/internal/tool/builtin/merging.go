package builtin

import (
	"bytes"
	"context"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

// merger makes the text of one note out of several.
type merger struct {
	ctx     context.Context
	env     *tool.Env
	names   *names
	to      string // the note to be
	sources []host.Info
	seen    map[string]bool
	read    [][]byte // the notes that it was made of
	size    int
}

// take reads a note.
func (m *merger) take(info host.Info) ([]byte, error) {
	data, err := readText(m.ctx, m.env, info)
	if err != nil {
		return nil, err
	}
	if m.size += len(data); m.size > maxText {
		return nil, tooLarge(info.Path)
	}
	m.read = append(m.read, data)
	return data, nil
}

// join joins notes in the order given, each once. The front matter and the line
// ends of the first are kept, the front matter of the others is left out.
func (m *merger) join(args tool.Args) ([]byte, error) {
	moves, err := m.find(args)
	if err != nil {
		return nil, err
	}
	var first, out []byte
	separator := "\n"
	if args.Has("separator") {
		separator = args.String("separator")
	}
	for i, info := range m.sources {
		data, err := m.take(info)
		if err != nil {
			return nil, err
		}
		body := note.ParseFront(data).Body
		if i == 0 {
			first = data
			out = append(out, data[:body.Start]...)
		} else {
			out = append(out, note.WithEOL(separator, first)...)
		}
		if args.Bool("headings") {
			out = append(out, note.WithEOL("## "+title(info.Path)+"\n\n", first)...)
		}
		r := relocate(m.env, m.names, info.Path, m.to)
		if args.Bool("deleteSources") {
			r.moves = moves
		}
		text := bytes.TrimLeft(r.text(body.Of(data)), "\r\n")
		if len(text) > 0 && text[len(text)-1] != '\n' {
			text = append(bytes.Clone(text), '\n')
		}
		out = append(out, note.WithEOL(string(text), first)...)
	}
	return out, nil
}

// find finds the notes to join, and says that each becomes the new one.
func (m *merger) find(args tool.Args) (note.Moves, error) {
	moves := note.Moves{}
	for _, p := range stringList(args, "paths") {
		info, err := findFile(m.ctx, m.env, p)
		if err != nil {
			return nil, err
		}
		moves[info.Path] = m.to
		m.add(info)
	}
	return moves, nil
}

// add adds a source, once.
func (m *merger) add(info host.Info) {
	if !m.seen[info.Path] {
		m.seen[info.Path] = true
		m.sources = append(m.sources, info)
	}
}

// dropSources puts the merged notes into the trash, once the links to them lead
// to the new note.
func (m *merger) dropSources(to string) error {
	if err := followMerge(m.ctx, m.env, m.names, m.sources, to); err != nil {
		return err
	}
	for _, s := range m.sources {
		if err := trashFile(m.ctx, m.env, s.Path); err != nil {
			return err
		}
	}
	return nil
}
