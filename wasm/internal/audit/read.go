package audit

import (
	"context"
	"encoding/json"
	"errors"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/record"
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

// Head gives the number of records in a file of a run folder and the last link
// of its chain. A torn tail counts as a change: the run had ended.
func Head(ctx context.Context, store host.Store, dir, name string) (int, string, error) {
	data, err := store.Read(ctx, dir+"/"+name)
	if err != nil {
		return 0, "", err
	}
	if name == RunFile {
		return 1, host.Etag(data), nil
	}
	recs, chain, good, err := record.Read(name, data)
	if err == nil && good != len(data) {
		err = errors.New("the last line is torn")
	}
	return len(recs), chain.Head(), err
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
