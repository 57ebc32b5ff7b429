package transaction

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
)

// Deeds are the calls of a conversation that are made at once, since they cannot
// be staged: commands, and what is sent. Each is asked about; with the first yes
// they become a run of their own, of the kind protocol.KindAgent, under the id of
// the turn. It has the records that every run has, and a journal without writes,
// in which each call is noted before it begins.
type Deeds struct {
	deps *Deps
	ID   string
	goal string
	now  func() time.Time

	// The records are begun once, under mu. A call that was allowed comes after that,
	// and uses them without it: they have locks of their own.
	mu    sync.Mutex // held while the records are begun; guards the counts
	log   *audit.Log
	jw    *journal.Writer
	began time.Time
	count struct{ ok, failed int }
}

// Ask asks about a call, and names the yes: the call carries its id, and its
// record is begun before anything is done.
func (d *Deeds) Ask(ctx context.Context, c *tool.Call, v policy.Verdict) (bool, error) {
	at := d.now()
	yes, err := d.deps.Guard.AskAllow(ctx, c, v)
	if err != nil || !yes {
		return false, err
	}
	if err := d.begin(ctx, at); err != nil {
		return false, err
	}
	c.ConfirmationID = uuid.NewSHA1(uuid.NameSpaceOID, []byte(d.ID+" "+c.LogicalID+" "+timestamp.Milli(at))).String()
	c.Policy.ConfirmationsRequired = true
	d.event("run.confirmationRequested", "info", "The person was asked about “"+c.Tool+"”.", at, c, nil)
	d.event("run.confirmed", "info", "The person allowed “"+c.Tool+"”.", d.now(), c, map[string]any{"confirmationId": c.ConfirmationID, "automatic": false})
	return true, nil
}

// begin opens the run at its first yes.
func (d *Deeds) begin(ctx context.Context, at time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.log != nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	doc, err := d.deps.History.Document(ctx, &history.Run{
		Version: "1", RunID: d.ID, Kind: protocol.KindAgent, Goal: d.deps.Out.Redact(d.goal), Instruction: d.deps.Out.Redact(d.goal), Now: at,
		Policy: d.deps.Guard.Policy().Snapshot(), Registry: d.deps.Registry.Version(), Files: []protocol.FileChange{},
		Confirmation: &history.Confirmation{ID: uuid.NewSHA1(uuid.NameSpaceOID, []byte(d.ID)).String(), At: timestamp.Milli(at)},
	})
	if err != nil {
		return err
	}
	if err := d.deps.Runs.Begin(ctx, d.ID, func() {}); err != nil {
		return err
	}
	defer func() {
		if d.log == nil { // its records could not be begun, and it has no end
			d.deps.Runs.Let(d.ID)
		}
	}()
	log := audit.New(d.deps.Host.Store, history.Dir(d.ID), d.deps.Out.Redact)
	if err := log.WriteRun(ctx, doc); err != nil {
		return err
	}
	jw, err := journal.Begin(ctx, d.deps.Host.Store, d.deps.Runs.Ground(d.ID, d.deps.Host.Vault), history.Dir(d.ID),
		journal.Header{Run: d.ID, Kind: string(protocol.KindAgent), At: timestamp.Milli(at)}, nil)
	if err != nil {
		return err
	}
	d.log, d.jw, d.began = log, jw, at
	log.Event(&audit.Event{Type: "run.started", RunID: d.ID, Timestamp: timestamp.Milli(d.now()), Level: "info", Message: "A conversation does something at once."})
	return nil
}

func (d *Deeds) event(kind, level, text string, at time.Time, c *tool.Call, payload map[string]any) {
	e := &audit.Event{Type: kind, RunID: d.ID, Timestamp: timestamp.Milli(at), Level: level, Message: text, Payload: payload}
	if c != nil {
		e.CallID, e.StepID, e.Tool = c.CallID, c.StepID, c.Tool
	}
	d.log.Event(e)
}

// Call records a call that was allowed (pipeline.Audit).
func (d *Deeds) Call(c *tool.Call) {
	if c.ConfirmationID == "" {
		return
	}
	d.log.Call(c)
	d.event("step.started", "info", "“"+c.Tool+"” begins.", d.now(), c, nil)
}

// Result records what became of it.
func (d *Deeds) Result(c *tool.Call, r *tool.Result) {
	if c.ConfirmationID == "" {
		return
	}
	d.log.Result(c, r)
	kind, level := "step.finished", "info"
	d.mu.Lock()
	if r.OK {
		d.count.ok++
	} else {
		d.count.failed++
		kind, level = "step.failed", "error"
	}
	d.mu.Unlock()
	d.event(kind, level, messageOf(c, r), d.now(), c, nil)
}

// Begins records durably that a call begins that cannot be undone.
func (d *Deeds) Begins(ctx context.Context, c *tool.Call) error {
	if c.ConfirmationID == "" {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	if k := d.deps.Runs.Lease(d.ID); k != nil { // somebody else may have taken the run over
		if err := k.Check(ctx); err != nil {
			return err
		}
	}
	if err := d.log.Flush(ctx); err != nil {
		return err
	}
	return d.jw.Begins(ctx, journal.Act{Call: c.LogicalID, Step: c.StepID, Seq: c.Seq})
}

// Any says whether anything was done.
func (d *Deeds) Any() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log != nil
}

// End ends the run, with what the turn was traced as. A turn that did nothing at
// once leaves none.
func (d *Deeds) End(ctx context.Context, tr *history.Tracing) error {
	if !d.Any() {
		return nil
	}
	defer d.deps.Runs.Let(d.ID)
	d.mu.Lock()
	n := d.count
	d.mu.Unlock()
	outcome := protocol.OutcomeOK
	switch {
	case n.failed > 0 && n.ok == 0:
		outcome = protocol.OutcomeFailed
	case n.failed > 0:
		outcome = protocol.OutcomePartial
	}
	d.event("run.finished", "info", "The turn has ended: "+string(outcome)+".", d.now(), nil, map[string]any{"done": n.ok, "failed": n.failed})
	etags, err := tr.Write(ctx, history.Dir(d.ID))
	if err == nil {
		err = d.deps.History.Adopt(ctx, d.ID)
	}
	if err != nil {
		d.deps.Out.Notice("warn", "notice.historyNotKept", nil, d.ID)
	}
	if err := d.jw.Close(ctx); err != nil {
		return err
	}
	if err := d.log.Flush(ctx); err != nil {
		return err
	}
	end := journal.End{Outcome: outcome, At: timestamp.Milli(d.now())}
	end.Heads, end.Counts = d.log.Heads()
	end.Heads[journal.File], end.Counts[journal.File] = d.jw.Head()
	for file, etag := range etags {
		end.Heads[file], end.Counts[file] = etag, 1
	}
	return d.deps.endRun(ctx, end, &protocol.RunSummary{
		Run: d.ID, Kind: protocol.KindAgent, Goal: d.deps.Out.Redact(d.goal), StartedAt: timestamp.Milli(d.began), EndedAt: end.At,
		Outcome: outcome, Calls: n.ok, Text: protocol.Message{Key: "run.acted", Params: map[string]string{"n": strconv.Itoa(n.ok)}},
	})
}

// messageOf says in the log what became of a call.
func messageOf(c *tool.Call, r *tool.Result) string {
	if r.UserMessage != "" {
		return r.UserMessage
	}
	return "“" + c.Tool + "” has ended."
}
