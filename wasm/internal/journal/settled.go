package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"embedded-agent/wasm/internal/fault"
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

// RecordSettled writes down what Settle has found, and what came of these writes
// since. The journal of a crashed run may end in a torn line, which cannot be appended
// to; the findings go into a file of their own, which Load reads after the journal.
// Writes that it does not name were not made.
//
// What was written down whole stays until its successor is: a taking back may have
// begun since, and nobody could find out any more what had been there.
func RecordSettled(ctx context.Context, store host.Store, dir string, l *Log) error {
	if l.settled > 0 {
		name, lines := l.findings(store, dir, l.settled)
		old, err := store.Read(ctx, dir+"/"+name)
		if err == nil && bytes.Equal(old, lines) {
			return nil
		} else if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	name, lines := l.findings(store, dir, l.settled+1)
	if err := store.Write(ctx, dir+"/"+name, lines); err != nil {
		return storeError(err)
	}
	if err := host.Flush(ctx, store, dir+"/"+name); err != nil {
		return storeError(err)
	}
	l.settled++
	return nil
}

// findings gives the file of what is known of the writes, and its name: the two names
// take turns.
func (l *Log) findings(store host.Store, dir string, turn int) (name string, lines []byte) {
	name = SettledFile
	if turn%2 == 0 {
		name = SettledToo
	}
	c := record.NewSealed(seal.OfRun(store, dir), name)
	for i := range l.Entries {
		var rec []byte
		switch l.Entries[i].Outcome {
		case Done:
			rec = fmt.Appendf(nil, `{"t":"done","i":[%d]}`, i)
		case Unknown:
			rec = fmt.Appendf(nil, `{"t":"unknown","i":%d}`, i)
		case Failed:
			rec = fmt.Appendf(nil, `{"t":"failed","i":%d}`, i)
		default:
			continue
		}
		lines = c.Append(lines, rec)
	}
	return name, c.Append(lines, fmt.Appendf(nil, `{"t":"settled","n":%d}`, turn))
}

// turnOf gives how often findings had been written down with these ones; 0 where
// they are not whole.
func turnOf(recs [][]byte) int {
	if len(recs) == 0 {
		return 0
	}
	last := recs[len(recs)-1]
	var r struct {
		N int `json:"n"`
	}
	if kind, ok := kindOf(last); !ok || kind != "settled" || json.Unmarshal(last, &r) != nil {
		return 0
	}
	return max(r.N, 0)
}
