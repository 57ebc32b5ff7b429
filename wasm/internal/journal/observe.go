package journal

import (
	"bytes"
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// Found says what is seen where a write may have been made.
type Found int

// What can be seen.
const (
	Before Found = iota // as it was: the write was not made
	After               // as it should be: the write was made
	Torn                // a prefix of the new bytes: the app died while writing
	Other               // neither: somebody else was here
)

// Observe looks what became of a write.
func Observe(ctx context.Context, v host.Vault, p Planned) (Found, error) {
	switch p.Op.Kind {
	case host.OpRename:
		return observeRename(ctx, v, p.Op)
	case host.OpMkdir, host.OpRmdir:
		there, err := has(ctx, v, p.Op.Path)
		if there == (p.Op.Kind == host.OpMkdir) {
			return After, err
		}
		return Before, err
	}
	now, there, err := readIf(ctx, v, p.Op.Path)
	if err != nil {
		return Other, err
	}
	return judge(p, now, there), nil
}

// judge compares a file's present bytes with those before and after.
func judge(p Planned, now []byte, there bool) Found {
	wasThere := p.Op.Kind != host.OpCreate
	willBe := p.Op.Kind == host.OpCreate || p.Op.Kind == host.OpModify
	switch {
	case !there && !willBe:
		return After
	case !there && !wasThere:
		return Before
	case !there:
		return Other
	case willBe && bytes.Equal(now, p.Op.Data):
		return After
	case wasThere && bytes.Equal(now, p.Op.Before):
		return Before
	case willBe && bytes.HasPrefix(p.Op.Data, now):
		return Torn
	}
	return Other
}

func observeRename(ctx context.Context, v host.Vault, op host.Op) (Found, error) {
	from, err := has(ctx, v, op.Path)
	if err != nil {
		return Other, err
	}
	to, err := has(ctx, v, op.To)
	if err != nil {
		return Other, err
	}
	switch {
	case from && !to:
		return Before, nil
	case to && !from:
		return After, nil
	}
	return Other, nil
}

func has(ctx context.Context, v host.Vault, path string) (bool, error) {
	_, err := v.Stat(ctx, path)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}

func readIf(ctx context.Context, v host.Vault, path string) ([]byte, bool, error) {
	b, err := v.Read(ctx, path)
	if fault.Is(err, fault.NotFound) {
		return nil, false, nil
	}
	return b, err == nil, err
}

// untear undoes a half-made write: the file gets its old bytes back, or goes
// when there was none.
func untear(ctx context.Context, v host.Vault, p Planned) error {
	now, there, err := readIf(ctx, v, p.Op.Path)
	if err != nil || !there {
		return err
	}
	return restore(ctx, v, p.Op.Path, now, state{p.Op.Kind != host.OpCreate, p.Op.Before})
}
