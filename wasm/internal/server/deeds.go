package server

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/google/uuid"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// deeds are the calls of a conversation that are made at once, since they cannot
// be staged: commands, and what is sent. Each is asked about; with the first yes
// they become a run of their own, of the kind protocol.KindAgent, under the id of
// the turn. It has the records that every run has, and a journal without writes,
// in which each call is noted before it begins.
type deeds struct {
	s    *Server
	id   string
	goal string
	now  func() time.Time

	mu     sync.Mutex
	log    *audit.Log
	jw     *journal.Writer
	began  time.Time
	ok     int
	failed int
}

// ask asks about a call, and names the yes: the call carries its id, and its
// record is begun before anything is done.
func (d *deeds) ask(ctx context.Context, c *tool.Call, v policy.Verdict) (bool, error) {
	at := d.now()
	yes, err := d.s.askAllow(ctx, c, v)
	if err != nil || !yes {
		return false, err
	}
	if err := d.begin(ctx, at); err != nil {
		return false, err
	}
	c.ConfirmationID = uuid.NewSHA1(uuid.NameSpaceOID, []byte(d.id+" "+c.LogicalID+" "+pipeline.Stamp(at))).String()
	c.Policy.ConfirmationsRequired = true
	d.event("run.confirmationRequested", "info", "The person was asked about “"+c.Tool+"”.", at, c, nil)
	d.event("run.confirmed", "info", "The person allowed “"+c.Tool+"”.", d.now(), c, map[string]any{"confirmationId": c.ConfirmationID, "automatic": false})
	return true, nil
}

// begin opens the run at its first yes.
func (d *deeds) begin(ctx context.Context, at time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.log != nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	s := d.s
	doc, err := json.Marshal(&runDocument{
		Version: "1", RunID: d.id, Kind: protocol.KindAgent, Goal: s.redact(d.goal), Instruction: s.redact(d.goal), Now: at,
		Policy: s.currentPolicy().Snapshot(), Registry: s.registry.Version(), Files: []protocol.FileChange{},
		Confirmation: &confirmation{ID: uuid.NewSHA1(uuid.NameSpaceOID, []byte(d.id)).String(), At: pipeline.Stamp(at)},
	})
	if err != nil {
		return err
	}
	if err := s.markHot(ctx, d.id, func() {}); err != nil {
		return err
	}
	log := audit.New(s.host.Store, runDir(d.id), s.redact)
	if err := log.WriteRun(ctx, doc); err != nil {
		return err
	}
	jw, err := journal.Begin(ctx, s.host.Store, s.ground(d.id, s.host.Vault), runDir(d.id),
		journal.Header{Run: d.id, Kind: string(protocol.KindAgent), At: pipeline.Stamp(at)}, nil)
	if err != nil {
		return err
	}
	d.log, d.jw, d.began = log, jw, at
	log.Event(&audit.Event{Type: "run.started", RunID: d.id, Timestamp: pipeline.Stamp(d.now()), Level: "info", Message: "A conversation does something at once."})
	return nil
}

func (d *deeds) event(kind, level, text string, at time.Time, c *tool.Call, payload map[string]any) {
	e := &audit.Event{Type: kind, RunID: d.id, Timestamp: pipeline.Stamp(at), Level: level, Message: text, Payload: payload}
	if c != nil {
		e.CallID, e.StepID, e.Tool = c.CallID, c.StepID, c.Tool
	}
	d.log.Event(e)
}

// Call records a call that was allowed (pipeline.Audit).
func (d *deeds) Call(c *tool.Call) {
	if c.ConfirmationID == "" {
		return
	}
	d.log.Call(c)
	d.event("step.started", "info", "“"+c.Tool+"” begins.", d.now(), c, nil)
}

// Result records what became of it.
func (d *deeds) Result(c *tool.Call, r *tool.Result) {
	if c.ConfirmationID == "" {
		return
	}
	d.log.Result(c, r)
	kind, level := "step.finished", "info"
	d.mu.Lock()
	if r.OK {
		d.ok++
	} else {
		d.failed++
		kind, level = "step.failed", "error"
	}
	d.mu.Unlock()
	d.event(kind, level, messageOf(c, r), d.now(), c, nil)
}

// begins makes it durable that a call begins which cannot be undone.
func (d *deeds) begins(ctx context.Context, c *tool.Call) error {
	if c.ConfirmationID == "" {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	if k := d.s.lease(d.id); k != nil { // somebody else may have taken the run over
		if err := k.Check(ctx); err != nil {
			return err
		}
	}
	if err := d.log.Flush(ctx); err != nil {
		return err
	}
	return d.jw.Begins(ctx, journal.Act{Call: c.LogicalID, Step: c.StepID, Seq: c.Seq})
}

// any says whether anything was done.
func (d *deeds) any() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log != nil
}

// end ends the run, with what the turn was traced as. A turn that did nothing at
// once leaves none.
func (d *deeds) end(ctx context.Context, tr *tracing) error {
	if !d.any() {
		return nil
	}
	defer d.s.letLease(d.id)
	outcome := outcomeOK
	switch {
	case d.failed > 0 && d.ok == 0:
		outcome = outcomeFailed
	case d.failed > 0:
		outcome = outcomePartial
	}
	d.event("run.finished", "info", "The turn has ended: "+outcome+".", d.now(), nil, map[string]any{"done": d.ok, "failed": d.failed})
	etags, err := tr.write(ctx, runDir(d.id))
	if err == nil {
		err = d.s.adopt(ctx, d.id)
	}
	if err != nil {
		d.s.notice("warn", "notice.historyNotKept", nil, d.id)
	}
	if err := d.jw.Close(ctx); err != nil {
		return err
	}
	if err := d.log.Flush(ctx); err != nil {
		return err
	}
	end := journal.End{Outcome: outcome, At: pipeline.Stamp(d.now())}
	end.Heads, end.Counts = d.log.Heads()
	end.Heads[journal.File], end.Counts[journal.File] = d.jw.Head()
	for file, etag := range etags {
		end.Heads[file], end.Counts[file] = etag, 1
	}
	return d.s.endRun(ctx, end, &protocol.RunSummary{
		Run: d.id, Kind: protocol.KindAgent, Goal: d.s.redact(d.goal), StartedAt: pipeline.Stamp(d.began), EndedAt: end.At,
		Outcome: protocol.RunOutcome(outcome), Calls: d.ok, Text: protocol.Message{Key: "run.acted", Params: map[string]string{"n": itoa(d.ok)}},
	})
}

// messageOf says in the log what became of a call.
func messageOf(c *tool.Call, r *tool.Result) string {
	if r.UserMessage != "" {
		return r.UserMessage
	}
	return "“" + c.Tool + "” has ended."
}

// settleDeeds ends what a crash has left of a conversation's deeds: whatever had
// begun counts as done.
func (s *Server) settleDeeds(ctx context.Context, id string, l *journal.Log) (bool, error) {
	d, err := s.readRun(ctx, id)
	if fault.Is(err, fault.NotFound) || err == nil && d.Kind != protocol.KindAgent {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return true, s.settleAs(ctx, id, l, outcomePartial, "")
}
