package devicestore

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// kind gives the store of this device, which is found out once. A call that is
// cancelled meanwhile leaves that to the next one.
func (s *Store) kind(ctx context.Context) (Kind, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.chosen != nil {
		return s.chosen, nil
	}
	p, err := s.place(ctx)
	if err != nil {
		return nil, err
	}
	s.owns = p.Owns
	var kinds []Kind
	if p.Kept {
		kinds = s.kinds(p.ID)
	}
	chosen, refused := choose(ctx, append(kinds, &folder{s.shared, folderOf(p)}), p.Owns)
	if ctx.Err() != nil {
		return nil, fault.From(ctx.Err())
	}
	s.chosen, s.refused = chosen, refused
	return chosen, nil
}

// choose gives the first kind that holds records or, where none does, the first
// that takes them; the last kind takes them always. It tells why those before it
// were not taken. A window that may not write tries nothing: it takes the first
// that does not refuse to be looked at.
func choose(ctx context.Context, kinds []Kind, owns bool) (Kind, []host.StoreRefusal) {
	refusals := make([]error, len(kinds))
	for i, k := range kinds {
		var holds bool
		if holds, refusals[i] = k.Holds(ctx); holds {
			return k, reasons(kinds[:i], refusals)
		}
	}
	last := len(kinds) - 1
	for i, k := range kinds[:last] {
		if refusals[i] == nil && owns {
			refusals[i] = k.Try(ctx)
		}
		if refusals[i] == nil {
			return k, reasons(kinds[:i], refusals)
		}
	}
	return kinds[last], reasons(kinds[:last], refusals)
}

// reasons tells why each of some kinds was not taken. A kind that was only less
// used than a later one has no reason.
func reasons(kinds []Kind, refusals []error) []host.StoreRefusal {
	var all []host.StoreRefusal
	for i, k := range kinds {
		if refusals[i] != nil {
			all = append(all, host.StoreRefusal{Kind: k.Kind(), Why: why(refusals[i])})
		}
	}
	return all
}

// why gives the engine's own words.
func why(err error) string {
	if f := fault.From(err); f.Detail != "" {
		return f.Detail
	}
	return err.Error()
}

// Facts implements host.Placed.
func (s *Store) Facts(ctx context.Context) (host.StoreFacts, error) {
	kind, err := s.kind(ctx)
	if err != nil {
		return host.StoreFacts{}, err
	}
	p, err := s.place(ctx)
	if err != nil {
		return host.StoreFacts{}, err
	}
	f := host.StoreFacts{Kind: kind.Kind(), Where: p.ID, Flushes: true, Persisted: p.Persisted, ReadOnly: !p.Owns, Refused: s.refused}
	if in, ok := kind.(*folder); ok {
		f.Where, f.Flushes, f.Persisted = in.path, false, true
	}
	f.Bytes, err = size(ctx, kind, "")
	return f, err
}

// size counts the bytes in a folder and below it.
func size(ctx context.Context, s host.Store, folder string) (int64, error) {
	list, err := s.List(ctx, folder)
	if err != nil {
		return 0, err
	}
	var n int64
	for _, i := range list {
		n += i.Size
		if i.Kind == host.Folder {
			below, err := size(ctx, s, i.Path)
			if err != nil {
				return 0, err
			}
			n += below
		}
	}
	return n, nil
}

// Shared implements host.Placed.
func (s *Store) Shared() host.Store { return s.shared }

// Clear removes all records of this vault that this device has.
func (s *Store) Clear(ctx context.Context) error {
	if err := s.own(ctx); err != nil {
		return err
	}
	kind, err := s.kind(ctx)
	if err != nil {
		return err
	}
	return kind.Clear(ctx)
}
