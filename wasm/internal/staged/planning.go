package staged

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/copychange"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/protocol"
)

// Reasons for which a change of a command is left out: the keys of their words.
const (
	edited  = "staged.left.edited"  // the person has changed the note as well, while a command ran
	since   = "staged.left.since"   // the same, of what was staged by calls
	refused = "staged.left.refused" // by the settings
	odd     = "staged.left.odd"     // it is a link, a pipe, a socket or a device
	follows = "staged.left.follows" // a change that it needs is left out
	hidden  = "staged.left.hidden"  // its name begins with a dot
	holds   = "staged.left.holds"   // a folder that holds what stays
)

// planning plans the changes of a command on an overlay over the vault. What does not
// fit is noted, and the rest is planned all the same.
type planning struct {
	view   *overlay.View
	vault  *overlay.Vault
	check  func(op host.Op) error
	edited string                            // the reason for what the person has changed as well
	left   map[string][]protocol.LeftOutItem // by reason
	merged []string
}

func (p *planning) plan(ctx context.Context, w *Work) error {
	for _, path := range w.Odd {
		p.leave(odd, path, nil)
	}
	for _, path := range w.Hidden {
		p.leave(hidden, path, nil)
	}
	for _, path := range w.Kept {
		p.leave(holds, path, nil)
	}
	for _, c := range w.Changes {
		if err := p.one(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// one plans a change. Its error is a failure of the vault, not a refusal.
func (p *planning) one(ctx context.Context, c copychange.Change) error {
	switch c.Kind {
	case copychange.Create:
		return p.create(ctx, c)
	case copychange.Modify:
		return p.modify(ctx, c.Path, c.Path, c)
	case copychange.Move:
		return p.move(ctx, c)
	case copychange.Delete:
		return p.delete(ctx, c)
	case copychange.Mkdir:
		info, there, err := p.stat(ctx, c.Path)
		if err != nil || there && info.Kind == host.Folder {
			return err
		}
		return p.apply(ctx, c.Path, host.Op{Kind: host.OpMkdir, Path: c.Path})
	}
	return p.rmdir(ctx, c.Path)
}

func (p *planning) create(ctx context.Context, c copychange.Change) error {
	now, there, err := p.read(ctx, c.Path)
	switch {
	case err != nil || there && bytes.Equal(now, c.Data):
		return err // the person made the same
	case there:
		p.leave(p.edited, c.Path, nil)
		return nil
	}
	return p.apply(ctx, c.Path, host.Op{Kind: host.OpCreate, Path: c.Path, Data: c.Data})
}

// modify gives a note the bytes that the command left, merged with what the person
// has changed in it since the copy was made. shown is the path to name.
func (p *planning) modify(ctx context.Context, path, shown string, c copychange.Change) error {
	now, there, err := p.read(ctx, path)
	if err != nil {
		return err
	}
	data := c.Data
	switch {
	case !there:
		p.leave(p.edited, shown, nil)
		return nil
	case bytes.Equal(now, data):
		return nil
	case c.Lost:
		p.leave(p.edited, shown, nil)
		return nil
	case !bytes.Equal(now, c.Base):
		both, ok := journal.Merge(string(c.Base), string(now), string(data))
		if !ok {
			p.leave(p.edited, shown, nil)
			return nil
		}
		if data = []byte(both); bytes.Equal(data, now) {
			return nil // the command left this file as it was
		}
		p.merged = append(p.merged, shown)
	}
	return p.apply(ctx, shown, host.Op{Kind: host.OpModify, Path: path, Before: now, Data: data})
}

// move moves a note, with what the person has changed in it, and then changes it as
// the command did.
func (p *planning) move(ctx context.Context, c copychange.Change) error {
	_, there, err := p.read(ctx, c.From)
	if err != nil {
		return err
	}
	if !there {
		p.leave(p.edited, c.Path, nil)
		return nil
	}
	before := p.leftSoFar()
	if err := p.apply(ctx, c.Path, host.Op{Kind: host.OpRename, Path: c.From, To: c.Path}); err != nil || p.leftSoFar() > before {
		return err
	}
	if bytes.Equal(c.Base, c.Data) && !c.Lost {
		return nil
	}
	if info, there, err := p.stat(ctx, c.Path); err != nil || !there || info.Kind != host.File {
		return err // the person has left the move out
	}
	return p.modify(ctx, c.Path, c.Path, c)
}

func (p *planning) delete(ctx context.Context, c copychange.Change) error {
	now, there, err := p.read(ctx, c.Path)
	switch {
	case err != nil || !there:
		return err
	case c.Lost || !bytes.Equal(now, c.Base):
		p.leave(p.edited, c.Path, nil)
		return nil
	}
	return p.apply(ctx, c.Path, host.Op{Kind: host.OpTrash, Path: c.Path, Before: now})
}

func (p *planning) rmdir(ctx context.Context, path string) error {
	info, there, err := p.stat(ctx, path)
	if err != nil || !there || info.Kind != host.Folder {
		return err
	}
	in, err := p.view.List(ctx, path)
	if err != nil {
		return err
	}
	if len(in) > 0 {
		p.leave(holds, path, nil)
		return nil
	}
	return p.apply(ctx, path, host.Op{Kind: host.OpRmdir, Path: path})
}

// apply plans one write. What the settings or the vault refuse is noted under the
// path shown.
func (p *planning) apply(ctx context.Context, shown string, op host.Op) error {
	err := p.check(op)
	if err == nil {
		_, err = p.view.Apply(ctx, op)
	}
	switch {
	case err == nil, errors.Is(err, overlay.ErrDropped):
		return nil
	case fault.Is(err, fault.Denied), fault.Is(err, fault.Validation):
		f := fault.From(err)
		p.leave(refused, shown, &protocol.Message{Key: f.Key, Params: f.Params})
	case fault.Is(err, fault.NotFound), fault.Is(err, fault.Precondition):
		p.leave(follows, shown, nil)
	case fault.Is(err, fault.Conflict):
		p.leave(p.edited, shown, nil)
	default:
		return err
	}
	return nil
}

func (p *planning) stat(ctx context.Context, path string) (host.Info, bool, error) {
	info, err := p.view.Stat(ctx, path)
	if unusable(err) {
		return info, false, nil
	}
	return info, err == nil, err
}

// read gives the bytes of a file as it would be; false where there is none.
func (p *planning) read(ctx context.Context, path string) ([]byte, bool, error) {
	if info, there, err := p.stat(ctx, path); err != nil || !there || info.Kind != host.File {
		return nil, false, err
	}
	now, err := p.view.Read(ctx, path)
	if unusable(err) {
		return nil, false, nil
	}
	return now, err == nil, err
}

// unusable says that nothing can be at a path: the name is refused, or a part of it
// is a file.
func unusable(err error) bool {
	return fault.Is(err, fault.NotFound) || fault.Is(err, fault.Denied) || fault.Is(err, fault.Validation)
}

func (p *planning) leave(reason, path string, why *protocol.Message) {
	p.left[reason] = append(p.left[reason], protocol.LeftOutItem{Name: path, Why: why})
}

func (p *planning) leftSoFar() int {
	n := 0
	for _, items := range p.left {
		n += len(items)
	}
	return n
}

// leftOut lists what is left out by reason, the largest group first; nil for nothing.
func (p *planning) leftOut(name string, total int) *protocol.LeftOut {
	n := p.leftSoFar()
	if n == 0 {
		return nil
	}
	out := &protocol.LeftOut{Step: call, Name: name, Count: n, Total: max(n, total), Groups: []protocol.LeftOutGroup{}}
	for reason, items := range p.left {
		slices.SortFunc(items, func(a, b protocol.LeftOutItem) int { return strings.Compare(a.Name, b.Name) })
		out.Groups = append(out.Groups, protocol.LeftOutGroup{Reason: protocol.Message{Key: reason}, Items: items})
	}
	slices.SortFunc(out.Groups, func(a, b protocol.LeftOutGroup) int {
		return cmp.Or(cmp.Compare(len(b.Items), len(a.Items)), strings.Compare(a.Reason.Key, b.Reason.Key))
	})
	return out
}
