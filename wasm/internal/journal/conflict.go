package journal

import (
	"context"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/vaultpath"
)

// Choice is a person's decision on a path that cannot be merged. It holds for
// the bytes that it was made on, which Now names: where others are there by
// then, it is a conflict again.
type Choice struct {
	Now     string // their etag; "" for none
	Keep    bool   // leave it as it is now
	Restore bool   // put the old bytes back; what is there now is kept beside
	Text    string // this text, when neither
}

// Conflict is a path where a person must choose. Nothing is written there. Now
// is nil where no file is in the way.
type Conflict struct {
	Path               string
	Before, After, Now []byte
}

// NowEtag names the bytes that are there now.
func (c *Conflict) NowEtag() string {
	if c.Now == nil {
		return ""
	}
	return host.Etag(c.Now)
}

// conflict does what the person chose, or reports that a choice is needed.
func (r *reverter) conflict(ctx context.Context, p Planned, now []byte, made bool) (Fate, error) {
	path := p.Op.Path
	c, chosen := r.choice(Conflict{Path: path, Before: p.Op.Before, After: p.Op.Data, Now: now})
	switch {
	case !chosen:
		return Conflicted, nil
	case c.Keep:
		r.rep.Kept = append(r.rep.Kept, path)
		return Kept, nil
	case c.Restore:
		if err := r.saveBeside(ctx, path, now); err != nil {
			return NotMade, err
		}
		return Restored, r.put(ctx, path, now, p.Op.Before, made, &r.rep.Restored)
	}
	return Merged, r.put(ctx, path, now, []byte(c.Text), false, &r.rep.Merged)
}

// choice gives what the person chose on exactly this conflict; where they have
// not, it is reported.
func (r *reverter) choice(c Conflict) (Choice, bool) {
	chosen, ok := r.o.Choices[c.Path]
	if ok && chosen.Now == c.NowEtag() {
		return chosen, true
	}
	r.rep.Conflicts = append(r.rep.Conflicts, c)
	return Choice{}, false
}

// saveBeside keeps a later edit that a restore would overwrite.
func (r *reverter) saveBeside(ctx context.Context, path string, now []byte) error {
	name, err := r.beside(ctx, path)
	if err != nil {
		return err
	}
	_, err = r.v.Apply(ctx, host.Op{Kind: host.OpCreate, Path: name, Data: now})
	return err
}

// beside gives a free name beside a path.
func (r *reverter) beside(ctx context.Context, path string) (string, error) {
	ext := vaultpath.Ext(path)
	base := strings.TrimSuffix(path, ext) + " (edited)" + ext
	var failed error
	name := vaultpath.Unique(base, func(name string) bool {
		there, err := has(ctx, r.v, name)
		if err != nil {
			failed = err
		}
		return there
	})
	return name, failed
}

// makeWay settles a move back to a name that something else has by now: Restored
// where the way is free. What has the name is moved beside then.
func (r *reverter) makeWay(ctx context.Context, op host.Op) (Fate, error) {
	now, _, err := readIf(ctx, r.v, op.Path)
	if fault.Is(err, fault.Precondition) {
		now, err = nil, nil // a folder
	}
	if err != nil {
		return NotMade, err
	}
	c, chosen := r.choice(Conflict{Path: op.To, Now: now})
	if !chosen {
		return Conflicted, nil
	}
	if !c.Restore {
		r.rep.Kept = append(r.rep.Kept, op.To)
		return Kept, nil
	}
	name, err := r.beside(ctx, op.Path)
	if err != nil {
		return NotMade, err
	}
	_, err = r.v.Apply(ctx, host.Op{Kind: host.OpRename, Path: op.Path, To: name})
	return Restored, err
}
