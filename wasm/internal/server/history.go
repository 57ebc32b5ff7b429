package server

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
)

// runsList gives past runs, newest first (ids sort by time).
func (s *Server) runsList(ctx context.Context, q protocol.RunsQuery) (protocol.Runs, error) {
	out := protocol.Runs{Runs: []protocol.RunSummary{}}
	ids, err := s.runIDs(ctx)
	if err != nil {
		return out, err
	}
	if q.Limit <= 0 || q.Limit > 500 {
		q.Limit = 100
	}
	text := strings.ToLower(q.Text)
	for _, id := range slices.Backward(ids) {
		sum, err := s.summary(ctx, id)
		if err != nil {
			continue // a folder without a readable run: shown by its bytes only
		}
		sum.Bytes, err = s.sizes.Size(ctx, runDir(id))
		if err != nil {
			return out, err
		}
		out.Bytes += sum.Bytes
		fits := strings.Contains(strings.ToLower(sum.Goal), text) && (q.Kind == "" || q.Kind == sum.Kind) && (q.Outcome == "" || q.Outcome == sum.Outcome)
		if fits && len(out.Runs) < q.Limit {
			out.Runs = append(out.Runs, sum)
		}
	}
	return out, nil
}

func (s *Server) runIDs(ctx context.Context) ([]string, error) {
	entries, err := s.host.Store.List(ctx, runsFolder)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		if e.Kind == host.Folder {
			ids = append(ids, e.Path[strings.LastIndexByte(e.Path, '/')+1:])
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// runGet opens a past run.
func (s *Server) runGet(ctx context.Context, p protocol.RunRef) (protocol.RunDetail, error) {
	d, err := s.readRun(ctx, p.Run)
	if err != nil {
		return protocol.RunDetail{}, err
	}
	sum, err := s.summary(ctx, p.Run)
	if err != nil {
		return protocol.RunDetail{}, err
	}
	calls, err := audit.ReadCalls(ctx, s.host.Store, runDir(p.Run))
	if err != nil {
		return protocol.RunDetail{}, err
	}
	views := make([]protocol.CallView, 0, len(calls))
	for _, c := range calls {
		views = append(views, s.pastCall(c))
	}
	return protocol.RunDetail{Summary: sum, Files: nonNil(d.Files), Calls: views, Plan: string(d.Plan)}, nil
}

func (s *Server) pastCall(c audit.Pair) protocol.CallView {
	v := protocol.CallView{
		CallID: c.Call.CallID, StepID: c.Call.StepID, Tool: c.Call.Tool, Index: -1, Attempt: c.Call.Attempt,
		Status: protocol.CallUnknown, Args: shortJSON(c.Call.Args), Preview: c.Call.Preview, Risk: protocol.Risk(c.Call.Risk),
	}
	if c.Call.Iteration != nil {
		v.Index = c.Call.Iteration.Index
	}
	if r := c.Result; r != nil {
		v.Status, v.DurationMs, v.Cached, v.SecretFrom = protocol.CallStatus(r.Status), r.DurationMs, r.Cached, r.SecretScope
		v.Result, v.Pins, v.Paths = s.shortResult(c.Call.Tool, r.Data), pinsIn(r.Data), touched(r.Effects)
		if r.Error != nil {
			v.Problem = &protocol.Problem{Code: string(r.Error.Code), Key: r.Error.Key, Params: r.Error.Params, Detail: r.Error.Message}
			if r.Error.Key != "" {
				v.Problem.Detail = ""
			}
		}
	}
	return v
}
