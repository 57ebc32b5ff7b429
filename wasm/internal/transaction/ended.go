package transaction

import (
	"slices"
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/finding"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/inwords"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/leftout"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/timestamp"
)

// finish says in words how the run ended.
func (x *execution) finish(rep *runner.Report, err error) journal.End {
	x.mu.Lock()
	defer x.mu.Unlock()
	rs := &x.mu.rs
	rs.LeftMs = 0
	if rep != nil {
		x.mu.done = bySeq(rep, succeeded)
		err = x.counted(rs, rep, err)
	}
	outcome, key := outcomeOf(rep, err, rs.Done, x.again != nil)
	switch {
	case outcome == protocol.OutcomeCancelled:
		rs.Problem = nil
	case err != nil && rs.Problem == nil:
		rs.Problem = x.deps.Out.Problem(err)
	}
	rs.Outcome = outcome
	rs.Text = protocol.Message{Key: key, Params: map[string]string{
		"goal": rs.Goal, "n": strconv.Itoa(rs.Done), "total": strconv.Itoa(rs.Total),
	}}
	rs.Summary = x.made()
	if rep != nil {
		rs.LeftOut = leftout.Of(x.review.View.Steps)
	}
	if outcome == protocol.OutcomeOK && rep != nil {
		rs.Findings = finding.After(x.source(rep))
	}
	if x.told != nil {
		x.tellEnd(rs, outcome)
	}
	return journal.End{Outcome: outcome, At: timestamp.Milli(x.deps.Now())}
}

// source gives what the run found, for a person.
func (x *execution) source(rep *runner.Report) finding.Source {
	_, loc := x.deps.Guard.Surroundings()
	return finding.Source{Graph: x.review.graph, Report: rep, Called: x.review.Called, Redact: x.deps.Out.Redact, Location: loc}
}

// counted notes what became of the calls, and gives why the run ended: by the
// failure of a step, or by err. The lock is held.
func (x *execution) counted(rs *protocol.RunState, rep *runner.Report, err error) error {
	ok, failed, skipped := rep.Counts()
	rs.Done, rs.Failed, rs.Skipped = ok, failed, max(skipped, rs.Total-ok-failed)
	if step, cause := rep.Failure(); cause != nil {
		rs.Problem = x.deps.Out.ProblemOf(cause)
		rs.Problem.Step, rs.Problem.Tool = step.Node.Step.ID, step.Node.Tool.Name
		rs.Problem.Args = x.deps.Out.Redact(history.ShortJSON(step.Node.Step.Args))
		return cause
	}
	if rep.Stopped != nil {
		return rep.Stopped
	}
	return err
}

// outcomeOf says how a run ended, and the key of the words for it. Again says that
// its rest is to be asked about.
func outcomeOf(rep *runner.Report, err error, done int, again bool) (outcome protocol.RunOutcome, key string) {
	switch {
	case fault.Is(err, fault.Cancelled):
		return protocol.OutcomeCancelled, "run.cancelled"
	case fault.Is(err, fault.Conflict) && (rep == nil || rep.Stopped != nil): // else it was shown, and skipped
		return protocol.OutcomeConflict, "run.conflict"
	case err == nil && again:
		return protocol.OutcomePartial, "run.asksAgain"
	case err != nil && done > 0:
		return protocol.OutcomePartial, "run.partial"
	case err != nil:
		return protocol.OutcomeFailed, "run.failed"
	}
	return protocol.OutcomeOK, "run.ok"
}

// tellEnd records that the run has ended, and how. The lock is held.
func (x *execution) tellEnd(rs *protocol.RunState, outcome protocol.RunOutcome) {
	if x.again != nil {
		x.told.event("run.confirmationRequested", "warn", "What is left is not what was approved; it is shown again.", nil)
	}
	if outcome == protocol.OutcomeCancelled {
		x.told.event("run.cancelled", "warn", "The run was cancelled.", nil)
	}
	x.told.event("run.finished", "info", "The run has ended: "+string(outcome)+".", map[string]any{"done": rs.Done, "failed": rs.Failed, "skipped": rs.Skipped})
}

// written lists the changes of the review that were made.
func (x *execution) written() []overlay.Change {
	if x.calls == nil {
		return nil
	}
	return x.calls.written(x.review.Changes)
}

// made sums up what was really written, which after a failure is less than what
// was approved.
func (x *execution) made() []protocol.SummaryLine {
	var files []protocol.FileChange
	for _, c := range x.written() {
		files = append(files, protocol.FileChange{Path: c.Path, From: c.From, Status: protocol.FileStatus(c.Status), Linked: protocol.Linked{LinksOnly: c.Follows && c.Status == overlay.Modify}})
	}
	if len(files) == 0 {
		return nil
	}
	return inwords.Done(files)
}

// changed counts the files that were written.
func (x *execution) changed() int {
	n := 0
	for _, c := range x.written() {
		if c.Kind == host.File {
			n++
		}
	}
	return n
}

// summarise gives a run's line for the history, and what may be done with it.
func (x *execution) summarise(end string) protocol.RunSummary {
	wrote := x.calls != nil && slices.Contains(x.calls.jw.Outcomes(), journal.Done)
	rs := x.change(func(rs *protocol.RunState) {
		ok := rs.Outcome == protocol.OutcomeOK
		rs.Can = protocol.Can{Revert: wrote, Rest: !ok, Save: ok && x.review.Action == ""}
	})
	return protocol.RunSummary{
		Run: rs.Run, Kind: rs.Kind, Goal: rs.Goal, StartedAt: timestamp.Milli(x.began), EndedAt: end,
		Outcome: rs.Outcome, Files: x.changed(), Calls: rs.Done, Text: rs.Text, Can: rs.Can,
	}
}
