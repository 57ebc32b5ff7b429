package journal

import (
	"context"

	"embedded-agent/wasm/internal/host"
)

// Rest gives the recorded writes that were not made, in order, after Settle.
func (l *Log) Rest(ctx context.Context) ([]Planned, error) {
	var out []Planned
	for i := range l.Entries {
		if l.Entries[i].Outcome != NotReached {
			continue
		}
		p, err := l.Write(ctx, i)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// Touched lists the files that a run wrote, each once.
func (l *Log) Touched() []string {
	seen := map[string]bool{}
	var out []string
	for i := range l.Entries {
		e := &l.Entries[i]
		if e.After != "" && !seen[e.Path] && e.Outcome != Failed && e.Outcome != NotReached {
			seen[e.Path] = true
			out = append(out, e.Path)
		}
	}
	return out
}

// CheckBlobs reads every stored byte of a run and checks it against its etag.
func CheckBlobs(ctx context.Context, store host.Store, dir string) error {
	l, err := Load(ctx, store, dir)
	if err != nil {
		return err
	}
	if l.Origin == Changed {
		return corrupt(dir)
	}
	for i := range l.Entries {
		if _, err := l.Write(ctx, i); err != nil {
			return err
		}
	}
	return nil
}
