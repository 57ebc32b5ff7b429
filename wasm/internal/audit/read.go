package audit

import (
	"context"
	"encoding/json"
	"errors"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/record"
	"embedded-agent/wasm/internal/seal"
	"embedded-agent/wasm/internal/tool"
)

// Pair is a recorded call with its result; the result is nil where the run
// ended before it.
type Pair struct {
	Call   *tool.Call
	Result *tool.Result
}

// ReadCalls reads a run's calls and results, in the order of the calls. A torn
// tail is left out; records that were changed are CONFLICT.
func ReadCalls(ctx context.Context, store host.Store, dir string) ([]Pair, error) {
	calls, err := lines(ctx, store, dir, CallsFile)
	if err != nil {
		return nil, err
	}
	results, err := lines(ctx, store, dir, ResultsFile)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*tool.Result, len(results))
	for _, line := range results {
		var r tool.Result
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, corrupt(err)
		}
		byID[r.CallID] = &r
	}
	out := make([]Pair, 0, len(calls))
	for _, line := range calls {
		var c tool.Call
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, corrupt(err)
		}
		out = append(out, Pair{Call: &c, Result: byID[c.CallID]})
	}
	return out, nil
}

// ReadEvents reads a run's events, as they were recorded. A torn tail is left
// out; records that were changed are CONFLICT.
func ReadEvents(ctx context.Context, store host.Store, dir string) ([]json.RawMessage, error) {
	recs, err := lines(ctx, store, dir, EventsFile)
	if err != nil {
		return nil, err
	}
	out := make([]json.RawMessage, len(recs))
	for i, rec := range recs {
		out[i] = rec
	}
	return out, nil
}

func corrupt(err error) error {
	return fault.New(fault.Conflict, "error.journal.corrupt", nil).With(err)
}

func lines(ctx context.Context, store host.Store, dir, name string) ([][]byte, error) {
	data, err := store.Read(ctx, dir+"/"+name)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	recs, _, _, err := record.Read(name, data)
	if err != nil {
		return nil, corrupt(err)
	}
	return recs, nil
}

// Files lists the files of a run folder whose heads this package knows.
func Files() []string {
	return []string{RunFile, CallsFile, ResultsFile, EventsFile, TraceFile, BundleFile}
}

// Head gives the number of records in a file of a run folder, the last link of
// its chain, and how many bytes of an unfinished record follow it, which only a
// crash leaves. A record that was changed is an error.
func Head(ctx context.Context, store host.Store, dir, name string) (n int, head string, torn int, err error) {
	data, err := store.Read(ctx, dir+"/"+name)
	if err != nil {
		return 0, "", 0, err
	}
	if name == RunFile || name == TraceFile || name == BundleFile {
		return 1, host.Etag(data), 0, nil
	}
	recs, chain, good, err := record.Read(name, data)
	if key := seal.OfRun(store, dir); err != nil && key != nil { // the journal's are sealed
		if r, c, g, sealed := record.ReadSealed(key, name, data); sealed == nil || len(r) > 0 {
			recs, chain, good, err = r, c, g, sealed
		}
	}
	return len(recs), chain.Head(), len(data) - good, err
}

// Seal gives, of the files of a run folder that are there, what Head says of
// each, for an end record. One that was changed gets no head, so that it does
// not pass.
func Seal(ctx context.Context, store host.Store, dir string, names ...string) (heads map[string]string, counts, torn map[string]int, err error) {
	heads, counts, torn = map[string]string{}, map[string]int{}, map[string]int{}
	for _, name := range names {
		n, head, rest, err := Head(ctx, store, dir, name)
		switch {
		case fault.Is(err, fault.NotFound):
			continue
		case errors.Is(err, record.ErrBroken):
			heads[name] = ""
			continue
		case err != nil:
			return nil, nil, nil, err
		}
		heads[name], counts[name] = head, n
		if rest > 0 {
			torn[name] = rest
		}
	}
	return heads, counts, torn, nil
}

// Abridged says whether a recorded value holds a text that is kept by its hash
// alone.
func Abridged(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v["$sha256"]; ok {
			return true
		}
		for _, e := range v {
			if Abridged(e) {
				return true
			}
		}
	case tool.Data:
		return Abridged(map[string]any(v))
	case []any:
		for _, e := range v {
			if Abridged(e) {
				return true
			}
		}
	}
	return false
}
