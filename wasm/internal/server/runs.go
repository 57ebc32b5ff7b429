package server

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// The store's layout beside the run folders: a marker for each run under way,
// so that a start finds an unfinished one without reading every folder.
const (
	runsFolder  = "runs"
	hotFolder   = "hot"
	summaryFile = "summary.json"
)

func runDir(id string) string { return runsFolder + "/" + id }

// runDocument is run.json: all that a run was, before its first call.
type runDocument struct {
	Version      string                `json:"version"`
	RunID        string                `json:"runId"`
	Kind         string                `json:"kind"`
	Goal         string                `json:"goal"`
	Instruction  string                `json:"instruction,omitempty"`
	Action       string                `json:"action,omitempty"`
	Plan         json.RawMessage       `json:"plan,omitempty"`
	Policy       tool.PolicySnapshot   `json:"policy"`
	Registry     string                `json:"toolRegistryVersion"`
	Now          time.Time             `json:"now"`
	Amendments   *overlay.Amendments   `json:"amendments,omitempty"`
	Editor       *host.EditorState     `json:"editor,omitempty"`
	Confirmation *confirmation         `json:"confirmation,omitempty"`
	Files        []protocol.FileChange `json:"files"`
	Prior        map[int]*tool.Result  `json:"prior,omitempty"`
	From         int                   `json:"from,omitempty"`
	Calls        int                   `json:"calls"`
	Reverts      string                `json:"reverts,omitempty"`
	Continues    string                `json:"continues,omitempty"`
	Redacted     bool                  `json:"redacted,omitempty"`
}

// confirmation is the approval as it is kept.
type confirmation struct {
	ID        string `json:"confirmationId"`
	Approval  string `json:"approval"`
	At        string `json:"at"`
	Automatic bool   `json:"automatic"`
}

func (s *Server) runDocument(x *execution, id string, pol *policy.Policy) *runDocument {
	se := x.se
	d := &runDocument{
		Version: "1", RunID: se.id, Kind: x.kind, Goal: s.redact(se.plan.Goal), Instruction: s.redact(se.instruction), Action: se.action,
		Plan: json.RawMessage(s.redact(string(se.raw))), Policy: pol.Snapshot(), Registry: s.registry.Version(), Now: se.now,
		Files: se.view.Files, From: se.from, Calls: se.view.Calls, Continues: se.continues,
		Confirmation: &confirmation{ID: id, Approval: se.view.Approval, At: pipeline.Stamp(x.began), Automatic: x.automatic},
	}
	if !se.amend.Empty() {
		d.Amendments = se.amend
	}
	d.Editor, d.Prior = se.base.EditorSeen(), se.prior
	if d.Editor != nil && s.redact(d.Editor.Text) != d.Editor.Text {
		seen := *d.Editor
		seen.Text = s.redact(seen.Text)
		d.Editor, d.Redacted = &seen, true
	}
	if d.Prior != nil {
		d.Prior = s.redactPrior(d)
	}
	if !json.Valid(d.Plan) || string(d.Plan) != string(se.raw) {
		d.Redacted = true
		if !json.Valid(d.Plan) {
			d.Plan = json.RawMessage("null")
		}
	}
	return d
}

// redactPrior gives the results that a run goes on from, as they may be kept.
func (s *Server) redactPrior(d *runDocument) map[int]*tool.Result {
	out := make(map[int]*tool.Result, len(d.Prior))
	for seq, r := range d.Prior {
		kept := *r
		data, changed := s.redactValue(map[string]any(r.Data))
		if changed {
			kept.Data, _ = data.(map[string]any)
			d.Redacted = true
		}
		kept.UserMessage, kept.DebugMessage = s.redact(r.UserMessage), s.redact(r.DebugMessage)
		out[seq] = &kept
	}
	return out
}

// redactValue redacts every text in a value, and says whether there was any to
// redact. What it changes it copies.
func (s *Server) redactValue(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		text := s.redact(v)
		return text, text != v
	case map[string]any:
		out, hit := make(map[string]any, len(v)), false
		for k, e := range v {
			x, changed := s.redactValue(e)
			out[k], hit = x, hit || changed
		}
		return out, hit
	case tool.Data:
		return s.redactValue(map[string]any(v))
	case []any:
		out, hit := make([]any, len(v)), false
		for i, e := range v {
			x, changed := s.redactValue(e)
			out[i], hit = x, hit || changed
		}
		return out, hit
	case []string:
		out, hit := make([]string, len(v)), false
		for i, e := range v {
			out[i] = s.redact(e)
			hit = hit || out[i] != e
		}
		return out, hit
	case []map[string]any:
		out, hit := make([]any, len(v)), false
		for i, e := range v {
			x, changed := s.redactValue(e)
			out[i], hit = x, hit || changed
		}
		return out, hit
	}
	return v, false
}

func (s *Server) readRun(ctx context.Context, id string) (*runDocument, error) {
	if id == "" || strings.ContainsAny(id, "/\\.") {
		return nil, fault.New(fault.NotFound, "error.run.missing", nil)
	}
	b, err := s.host.Store.Read(ctx, runDir(id)+"/"+audit.RunFile)
	if fault.Is(err, fault.NotFound) {
		return nil, fault.New(fault.NotFound, "error.run.missing", nil)
	} else if err != nil {
		return nil, err
	}
	var d runDocument
	if err := json.Unmarshal(b, &d); err != nil {
		return nil, fault.New(fault.Conflict, "error.journal.corrupt", nil).With(err)
	}
	return &d, nil
}

func (s *Server) markHot(ctx context.Context, id string) error {
	if err := s.keepKey(ctx); err != nil {
		return err
	}
	if err := s.host.Store.Write(ctx, hotFolder+"/"+id, []byte(id)); err != nil {
		return fault.New(fault.Internal, "error.store.io", nil).With(err)
	}
	return nil
}

func (s *Server) unmarkHot(ctx context.Context, id string) error {
	if err := s.host.Store.Remove(ctx, hotFolder+"/"+id); err != nil {
		return fault.New(fault.Internal, "error.store.io", nil).With(err)
	}
	return nil
}

// ended tells that a run is over, keeps its summary, and makes room.
func (s *Server) ended(ctx context.Context, x *execution) {
	x.mu.Lock()
	rs := &x.rs
	wrote := x.jw != nil && slices.Contains(x.jw.Outcomes(), journal.Done)
	unfinished := rs.Outcome != "ok"
	rs.Can = protocol.Can{Revert: wrote, Rest: unfinished, Save: rs.Outcome == "ok" && x.kind == "run" && x.se.action == ""}
	sum := protocol.RunSummary{
		Run: rs.Run, Kind: x.kind, Goal: rs.Goal, StartedAt: pipeline.Stamp(x.began), EndedAt: pipeline.Stamp(s.now()),
		Outcome: rs.Outcome, Files: x.changed(), Calls: rs.Done, Text: rs.Text, Can: rs.Can,
	}
	x.mu.Unlock()
	if err := s.keepSummary(ctx, &sum); err != nil {
		s.notice("warn", "notice.historyNotKept", nil, sum.Run)
	}
	s.mu.Lock()
	if wrote {
		s.lastRun = &sum
	}
	s.mu.Unlock()
	x.tell()
	if err := s.prune(ctx); err != nil {
		s.notice("warn", "notice.notPruned", nil, "")
	}
}

func (s *Server) notice(level, key string, params map[string]string, run string) {
	s.out.tell(protocol.Event{Type: protocol.EventNotice, Notice: &protocol.Notice{
		Level: level, Text: protocol.Message{Key: key, Params: params}, Run: run,
	}})
}

func (s *Server) keepSummary(ctx context.Context, sum *protocol.RunSummary) error {
	b, err := json.Marshal(sum)
	if err != nil {
		return err
	}
	return s.host.Store.Write(ctx, runDir(sum.Run)+"/"+summaryFile, b)
}

// summary reads a run's line for the history; where it was torn, it is made
// again from the run's own records.
func (s *Server) summary(ctx context.Context, id string) (protocol.RunSummary, error) {
	b, err := s.host.Store.Read(ctx, runDir(id)+"/"+summaryFile)
	var sum protocol.RunSummary
	if err == nil && json.Unmarshal(b, &sum) == nil && sum.Run == id {
		return sum, nil
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return sum, err
	}
	d, err := s.readRun(ctx, id)
	if err != nil {
		return sum, err
	}
	sum = protocol.RunSummary{Run: id, Kind: d.Kind, Goal: d.Goal, Files: len(d.Files), Calls: d.Calls, Reverts: d.Reverts, Outcome: "unfinished"}
	if d.Confirmation != nil {
		sum.StartedAt = d.Confirmation.At
	}
	end, err := journal.ReadEnd(ctx, s.host.Store, runDir(id))
	if err != nil {
		return sum, err
	}
	if end != nil {
		sum.Outcome, sum.EndedAt = end.Outcome, end.At
	}
	sum.Can = protocol.Can{Revert: true}
	sum.Text = protocol.Message{Key: "run." + sum.Outcome, Params: map[string]string{"n": itoa(d.Calls), "total": itoa(d.Calls), "goal": d.Goal}}
	return sum, nil
}

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
		sum.Bytes, err = s.runBytes(ctx, runDir(id))
		if err != nil {
			return out, err
		}
		out.Bytes += sum.Bytes
		if len(out.Runs) < q.Limit && strings.Contains(strings.ToLower(sum.Goal), text) {
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

func (s *Server) runBytes(ctx context.Context, dir string) (int64, error) {
	entries, err := s.host.Store.List(ctx, dir)
	if err != nil {
		return 0, err
	}
	var n int64
	for _, e := range entries {
		if e.Kind == host.Folder {
			below, err := s.runBytes(ctx, e.Path)
			if err != nil {
				return 0, err
			}
			n += below
			continue
		}
		n += e.Size
	}
	return n, nil
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
		views = append(views, pastCall(c))
	}
	return protocol.RunDetail{Summary: sum, Files: nonNil(d.Files), Calls: views, Plan: string(d.Plan)}, nil
}

func pastCall(c audit.Pair) protocol.CallView {
	v := protocol.CallView{
		CallID: c.Call.CallID, StepID: c.Call.StepID, Tool: c.Call.Tool, Index: -1, Attempt: c.Call.Attempt,
		Status: "unknown", Args: shortJSON(c.Call.Args), Preview: c.Call.Preview, Risk: string(c.Call.Risk),
	}
	if c.Call.Iteration != nil {
		v.Index = c.Call.Iteration.Index
	}
	if r := c.Result; r != nil {
		v.Status, v.DurationMs, v.Cached = string(r.Status), r.DurationMs, r.Cached
		v.Result, v.Paths = shortJSON(r.Data), touched(r.Effects)
		if r.Error != nil {
			v.Problem = &protocol.Problem{Code: string(r.Error.Code), Key: r.Error.Key, Params: r.Error.Params, Detail: r.Error.Message}
			if r.Error.Key != "" {
				v.Problem.Detail = ""
			}
		}
	}
	return v
}

// runsClear removes past runs; one that is under way stays.
func (s *Server) runsClear(ctx context.Context, c protocol.Clear) (protocol.Runs, error) {
	ids, err := s.runIDs(ctx)
	if err != nil {
		return protocol.Runs{}, err
	}
	hot, err := s.hot(ctx)
	if err != nil {
		return protocol.Runs{}, err
	}
	for _, id := range ids {
		if (c.Run != "" && id != c.Run) || slices.Contains(hot, id) {
			continue
		}
		if err := s.dropRun(ctx, id); err != nil {
			return protocol.Runs{}, err
		}
	}
	return s.runsList(ctx, protocol.RunsQuery{})
}

func (s *Server) dropRun(ctx context.Context, id string) error {
	if err := s.host.Store.Remove(ctx, runDir(id)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lastRun != nil && s.lastRun.Run == id {
		s.lastRun = nil
	}
	return nil
}

// prune keeps the run folders within the limits by number, age and bytes; the
// newest run is always kept.
func (s *Server) prune(ctx context.Context) error {
	s.mu.Lock()
	c, now := s.settings, s.now()
	s.mu.Unlock()
	ids, err := s.runIDs(ctx)
	if err != nil {
		return err
	}
	hot, err := s.hot(ctx)
	if err != nil {
		return err
	}
	var bytes int64
	for i, id := range slices.Backward(ids) {
		n, err := s.runBytes(ctx, runDir(id))
		if err != nil {
			return err
		}
		bytes += n
		newest := len(ids) - 1 - i
		old := now.Sub(timeOf(id, now)) > time.Duration(c.KeepDays)*24*time.Hour
		if newest == 0 || slices.Contains(hot, id) || (newest < c.KeepRuns && !old && bytes <= c.KeepBytes) {
			continue
		}
		bytes -= n
		if err := s.dropRun(ctx, id); err != nil {
			return err
		}
	}
	return nil
}
