package history

import (
	"context"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/protocol"
)

// verification gathers what is wrong with a run's records.
type verification struct{ protocol.Verified }

func (v *verification) bad(key, file string) {
	v.OK = false
	v.Problems = append(v.Problems, protocol.Message{Key: key, Params: map[string]string{"file": file}})
}

// Verify checks that a run's records are whole, unchanged, and of this
// device: every file
// against the head of its chain in the end record, that record against its
// seal, the bytes before and after against their hashes, and the line for the
// history against the one that was sealed.
func (h *History) Verify(ctx context.Context, p protocol.RunRef) (protocol.Verified, error) {
	v := verification{protocol.Verified{OK: true, Problems: []protocol.Message{}}}
	if _, err := h.Read(ctx, p.Run); err != nil {
		return v.Verified, err
	}
	dir := Dir(p.Run)
	if _, l, err := h.Past(ctx, p.Run); err == nil {
		v.Origin = OriginName(l.Origin)
		if l.Origin == journal.Foreign && l.Key != "" {
			// Its records are chained by a key that is not here.
			v.OK = false
			v.Problems = append(v.Problems, protocol.Message{Key: "verify.foreign"})
			return v.Verified, nil
		}
	}
	end, err := journal.ReadEnd(ctx, h.deps.Store, dir)
	if err != nil {
		return v.Verified, err
	}
	if end == nil {
		v.bad("verify.unfinished", journal.EndFile)
		return v.Verified, nil
	}
	if err := journal.CheckEnd(ctx, h.deps.Store, dir); err != nil {
		v.bad("verify.changed", journal.EndFile)
	}
	for _, file := range append(audit.Files(), journal.Files()...) {
		h.verifyFile(ctx, &v, dir, file, end)
	}
	if _, began := end.Heads[journal.File]; began {
		if err := journal.CheckBlobs(ctx, h.deps.Store, dir); err != nil {
			v.bad("verify.changed", "blobs")
		}
	}
	same, err := h.checkSummary(ctx, end, p.Run)
	if err != nil {
		return v.Verified, err
	}
	if !same {
		v.bad("verify.changed", SummaryFile)
	}
	if v.Origin == protocol.OriginUnsealed {
		// As it was written, but anybody may have written it.
		v.Problems = append(v.Problems, protocol.Message{Key: "verify.unsealed"})
	}
	if v.Origin == protocol.OriginChanged && v.OK {
		v.bad("verify.changed", journal.File)
	}
	return v.Verified, nil
}

// verifyFile holds one file against the end record; one that this does not name
// must not be there.
func (h *History) verifyFile(ctx context.Context, v *verification, dir, file string, end *journal.End) {
	n, head, torn, err := audit.Head(ctx, h.deps.Store, dir, file)
	v.Records += n
	want, named := end.Heads[file]
	switch {
	case fault.Is(err, fault.NotFound):
		if named && end.Counts[file] > 0 {
			v.bad("verify.changed", file)
		}
	case fault.Is(err, fault.Internal):
		v.bad("verify.unreadable", file)
	case err != nil, !named && n+torn > 0, named && (head != want || n != end.Counts[file] || torn != end.Torn[file]):
		v.bad("verify.changed", file)
	}
}
