package journal

import (
	"bytes"
	"context"
	"fmt"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/record"
	"embedded-agent/wasm/internal/seal"
)

// state is one that a file can be in between writes.
type state struct {
	there bool
	data  []byte
}

func (s state) is(o state) bool { return s.there == o.there && bytes.Equal(s.data, o.data) }

// states gives what a file is before the first of some writes, and after each.
func (l *Log) states(ctx context.Context, group []int) ([]state, error) {
	out := make([]state, 0, len(group)+1)
	for k, i := range group {
		p, err := l.Write(ctx, i)
		if err != nil {
			return nil, err
		}
		if k == 0 {
			out = append(out, state{p.Op.Kind != host.OpCreate, p.Op.Before})
		}
		after := state{}
		if p.Op.Kind == host.OpCreate || p.Op.Kind == host.OpModify {
			after = state{true, p.Op.Data}
		}
		out = append(out, after)
	}
	return out, nil
}

func (l *Log) outcome(group []int, o Outcome) {
	for _, i := range group {
		l.Entries[i].Outcome = o
	}
}

func begins(data []byte, states []state) bool {
	for _, s := range states {
		if s.there && bytes.HasPrefix(s.data, data) {
			return true
		}
	}
	return false
}

// restore replaces a half-written file.
func restore(ctx context.Context, v host.Vault, path string, now []byte, to state) error {
	op := host.Op{Kind: host.OpModify, Path: path, Before: now, Data: to.data}
	if !to.there {
		op = host.Op{Kind: host.OpRemove, Path: path, Before: now}
	}
	_, err := v.Apply(ctx, op)
	return err
}

// settled is the file of what was found after a crash, as it is written.
type settled struct {
	chain *record.Chain
	lines []byte
}

func newSettled(key *seal.Key) *settled { return &settled{chain: record.NewSealed(key, SettledFile)} }

func (s *settled) add(i int, o Outcome) {
	var rec []byte
	switch o {
	case Done:
		rec = fmt.Appendf(nil, `{"t":"done","i":[%d]}`, i)
	case Unknown:
		rec = fmt.Appendf(nil, `{"t":"unknown","i":%d}`, i)
	default:
		rec = fmt.Appendf(nil, `{"t":"failed","i":%d}`, i)
	}
	s.lines = s.chain.Append(s.lines, rec)
}
