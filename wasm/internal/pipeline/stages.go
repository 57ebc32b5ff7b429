package pipeline

import (
	"context"
	"strconv"
	"time"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/breath"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/quota"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
)

func lookUp(_ context.Context, s *state) error {
	e, err := s.d.Registry.Get(s.call.Tool, s.call.Version)
	if err != nil {
		return err
	}
	s.entry = e
	s.call.Version = e.Version
	s.call.Risk = e.SideEffects.Risk()
	s.call.Category = e.Namespace()
	return nil
}

// normalise gives the arguments the tool's own parameter names. A plan's were
// normalised when it was checked.
func normalise(_ context.Context, s *state) error {
	if s.req.Bind != nil {
		return nil
	}
	args, err := s.entry.NormaliseArgs(s.call.Args)
	if err != nil {
		return err
	}
	s.call.Args = args
	return nil
}

func materialise(_ context.Context, s *state) error {
	if s.d.Approved != nil {
		if rec, ok := s.d.Approved(s.call.Seq); ok {
			s.rec = rec
			s.call.Args, s.call.ArgsHash, s.call.LogicalID = rec.Args, rec.ArgsHash, rec.LogicalID
			return nil
		}
	}
	if s.req.Bind == nil {
		return nil
	}
	args, err := s.req.Bind()
	if err != nil {
		return err
	}
	s.call.Args = args
	return nil
}

// validate checks the arguments and names the call. Recorded arguments were
// checked when they were recorded.
func validate(_ context.Context, s *state) error {
	s.call.Risk = s.entry.EffectsOf(s.call.Args).Risk() // known with the arguments
	if s.rec != nil {
		s.call.SetAttempt(s.call.Attempt)
		return nil
	}
	if s.call.Args == nil {
		s.call.Args = tool.Args{}
	}
	if err := s.entry.CheckInput(s.call.Args); err != nil {
		return err
	}
	return s.call.Identify()
}

func check(ctx context.Context, s *state) error {
	if s.d.Guards.Check == nil {
		return nil
	}
	err := s.d.Guards.Check(ctx, s.call)
	if err == nil {
		return nil
	}
	f := fault.From(err)
	if f.Code == fault.Internal {
		return fault.New(fault.Denied, "policy.guardFailed", fault.P{"tool": s.call.Tool}).With(err)
	}
	return f
}

// decide asks the policy, and then whoever else has a say in calls that are made
// here: a call whose record is carried out was judged when it was recorded.
func decide(ctx context.Context, s *state) error {
	p := s.d.Guards.Policy
	if s.d.Guards.InForce != nil {
		p = s.d.Guards.InForce(ctx)
	}
	if s.d.Guards.Lifted != nil {
		p = s.d.Guards.Lifted(p, s.call)
	}
	s.verdict = p.Decide(s.entry, s.call.Args)
	if s.verdict.Effect == policy.Deny {
		return s.verdict.Error()
	}
	if s.d.Guards.Judge == nil || s.rec != nil {
		return nil
	}
	v, err := s.d.Guards.Judge(ctx, s.call, s.entry)
	switch {
	case err != nil:
		return err
	case v.Effect == policy.Deny:
		return v.Error()
	case v.Effect == policy.Ask:
		s.verdict = v
	}
	return nil
}

func limit(ctx context.Context, s *state) error {
	if s.d.Guards.Limit == nil {
		return nil
	}
	return s.d.Guards.Limit(ctx, s.entry)
}

func readCache(_ context.Context, s *state) error {
	if s.d.Cache == nil || s.entry.Cache == tool.CacheNone || s.entry.Cache == "" {
		return nil
	}
	s.out.data, s.out.cached = s.d.Cache.Get(s.call, s.entry)
	return nil
}

// ask is passed by a simulation: nothing that needs leave is run there.
func ask(ctx context.Context, s *state) error {
	if s.out.cached || s.verdict.Effect == policy.Allow || (s.d.Simulating && !s.entry.Simulable) {
		return nil
	}
	if s.d.Guards.Ask == nil {
		return fault.New(fault.Denied, s.verdict.Key, s.verdict.Params)
	}
	yes, err := s.d.Guards.Ask(ctx, s.call, s.verdict)
	if err != nil {
		return err
	}
	if !yes {
		return fault.New(fault.Denied, "policy.refused", fault.P{"tool": s.call.Tool})
	}
	return nil
}

func resolveSecrets(ctx context.Context, s *state) error {
	if s.out.cached || s.rec != nil || (s.d.Simulating && !s.entry.Simulable) {
		return nil // it is not executed
	}
	names := s.entry.SecretNames(s.call.Args)
	if len(names) == 0 {
		return nil
	}
	if s.d.Secrets == nil {
		return fault.New(fault.Auth, "error.secret.needed", fault.P{"tool": s.call.Tool, "name": names[0]})
	}
	values, scope, err := s.d.Secrets(ctx, s.entry, names, s.req.SecretScope)
	if err != nil {
		return err
	}
	s.secrets.values, s.secrets.scope = values, scope
	return nil
}

// auditIntent records the call before it is made; from here on its time runs.
func auditIntent(_ context.Context, s *state) error {
	s.audited = true
	s.call.Cancelable = !s.entry.Flags.Unstoppable && (s.d.Cancelable == nil || s.d.Cancelable(s.entry, s.call.Args))
	if limit := s.limit(); limit > 0 {
		s.clock.by = time.Now().Add(limit)
		s.call.DeadlineAt = timestamp.Milli(s.clock.by)
	}
	if s.d.Records.Audit != nil {
		s.d.Records.Audit.Call(s.call)
	}
	if s.d.Events.Started != nil {
		s.d.Events.Started(s.call)
	}
	return nil
}

func prepare(ctx context.Context, s *state) error {
	if s.d.Records.Prepare == nil {
		return nil
	}
	return s.d.Records.Prepare(ctx, s.call)
}

func execute(ctx context.Context, s *state) error {
	if s.out.cached {
		return nil
	}
	if err := breath.Take(ctx); err != nil {
		return fault.From(err)
	}
	if s.d.Simulating && !s.entry.Simulable {
		ctx, cancel := s.deadline(ctx)
		defer cancel()
		return s.pretendTo(ctx)
	}
	if s.rec != nil {
		return s.carryOut(ctx, s.rec)
	}
	s.env, s.view = s.d.Env(s.call)
	s.env.Secrets, s.env.Call = s.secrets.values, s.call
	ctx, cancel, tell := s.patiently(ctx, s.env.Progress)
	defer cancel()
	s.env.Progress = tell
	data, err := s.run(ctx)
	if err != nil {
		if ctx.Err() != nil { // whatever the tool made of it
			return fault.From(ctx.Err())
		}
		return err
	}
	if s.env.Quota != nil && s.entry.SideEffects == tool.None { // what reads gives what is there
		if err := s.env.Quota.Build(quota.Size(map[string]any(data))); err != nil {
			return err
		}
	}
	s.out.data = data
	return nil
}

// carryOut makes the recorded writes of a call, in order. One write has the time
// that a call has; of several each one has it.
func (s *state) carryOut(ctx context.Context, rec *Recorded) error {
	tell := func(tool.Progress) {}
	if len(rec.Writes) > 1 && s.d.Events.Progress != nil {
		tell = s.d.Events.Progress(s.call)
	}
	ctx, cancel, tell := s.bounded(ctx, len(rec.Writes), tell)
	defer cancel()
	for i, w := range rec.Writes {
		if err := rec.Write(ctx, i); err != nil {
			if ctx.Err() != nil {
				return fault.From(ctx.Err())
			}
			return err
		}
		s.out.made = append(s.out.made, w)
		tell(tool.Progress{Done: i + 1, Total: len(rec.Writes)})
	}
	if rec.Failed != nil { // after what it had done until then, which was shown too
		s.out.failed = true
		return rec.Failed
	}
	s.out.data = rec.Data
	return nil
}

// pretendTo gives what a simulation assumes of a call that it cannot make, unless
// the call could not be made at all.
func (s *state) pretendTo(ctx context.Context) error {
	if s.entry.Check != nil {
		env, _ := s.d.Env(s.call)
		if err := s.entry.Check(ctx, env, s.call.Args); err != nil {
			return err
		}
	}
	s.out.pretend = true
	s.out.data = tool.Data{}
	if s.entry.Pretend != nil {
		s.out.data = s.entry.Pretend(s.call.Args)
	}
	return nil
}

func validateOutput(_ context.Context, s *state) error {
	if s.out.cached || s.out.pretend || s.rec != nil {
		return nil
	}
	if n := tool.Size(s.out.data, s.d.MaxOutput); s.d.MaxOutput > 0 && n > s.d.MaxOutput {
		return fault.New(fault.Denied, "error.tool.outputTooLarge", fault.P{"tool": s.entry.Name, "max": strconv.Itoa(s.d.MaxOutput >> 20)})
	}
	return s.entry.CheckOutput(s.out.data)
}

// observe writes down what was really done. An etag that the tool reported is
// corrected where a person's edit changed the bytes.
func observe(_ context.Context, s *state) error {
	ws := s.out.made
	if s.view != nil && !s.res.OK && s.res.Status != tool.Skipped {
		s.view.TakeBack() // a call does all of it or nothing
	}
	if s.view != nil {
		ws = s.view.Observed()
	}
	if len(ws) == 0 {
		return nil
	}
	s.res.Effects = effects(ws)
	if s.res.OK {
		s.res.UserMessage = said(s.res.Effects)
	}
	last := ws[len(ws)-1]
	if _, has := s.res.Data["etag"]; has && last.AfterEtag != "" && s.res.Data["path"] == last.Op.Path {
		s.res.Data["etag"] = last.AfterEtag
	}
	return nil
}

func effects(ws []overlay.Write) *tool.Effects {
	e := &tool.Effects{}
	seen := map[host.OpKind]bool{}
	for _, w := range ws {
		op := w.Op
		if !seen[op.Kind] {
			seen[op.Kind] = true
			e.Observed = append(e.Observed, names[op.Kind])
		}
		switch op.Kind {
		case host.OpCreate:
			e.Created = append(e.Created, tool.PathKind{Path: op.Path, Kind: "file"})
		case host.OpMkdir:
			e.Created = append(e.Created, tool.PathKind{Path: op.Path, Kind: "folder"})
		case host.OpModify:
			e.Modified = append(e.Modified, tool.ModifiedPath{Path: op.Path, Kind: "file", BeforeEtag: w.BeforeEtag, AfterEtag: w.AfterEtag})
		case host.OpTrash, host.OpRemove:
			kind := "file"
			if op.Before == nil {
				kind = "folder"
			}
			e.Deleted = append(e.Deleted, tool.DeletedPath{Path: op.Path, Kind: kind, Trashed: op.Kind == host.OpTrash})
		case host.OpRmdir:
			e.Deleted = append(e.Deleted, tool.DeletedPath{Path: op.Path, Kind: "folder"})
		case host.OpRename:
			e.Renamed = append(e.Renamed, tool.RenamedPath{From: op.Path, To: op.To})
		}
	}
	return e
}

// said tells effects in a few words.
func said(e *tool.Effects) string {
	n := len(e.Created) + len(e.Modified) + len(e.Deleted) + len(e.Renamed)
	p := map[string]string{"n": strconv.Itoa(n)}
	key := "result.changes"
	switch {
	case n > 1:
	case len(e.Created) == 1:
		key, p["path"] = "result.created", e.Created[0].Path
	case len(e.Modified) == 1:
		key, p["path"] = "result.modified", e.Modified[0].Path
	case len(e.Deleted) == 1:
		key, p["path"] = "result.deleted", e.Deleted[0].Path
	case len(e.Renamed) == 1:
		key, p["path"], p["to"] = "result.renamed", e.Renamed[0].From, e.Renamed[0].To
	}
	return i18n.English(key, p)
}

// names are the words of sideEffectsObserved.
var names = map[host.OpKind]string{
	host.OpCreate: "create-file", host.OpMkdir: "create-folder", host.OpModify: "modify-file",
	host.OpTrash: "trash", host.OpRemove: "remove-file", host.OpRmdir: "remove-folder", host.OpRename: "rename",
}

// writeCache keeps an output that may be reused. The journal needs nothing here:
// it notes each write as the host confirms it.
func writeCache(_ context.Context, s *state) error {
	if s.d.Cache != nil && s.res.OK && !s.out.cached && s.entry.Cache != tool.CacheNone && s.entry.Cache != "" {
		s.d.Cache.Put(s.call, s.entry, s.res.Data)
	}
	return nil
}

func capOutput(ctx context.Context, s *state) error {
	if s.d.Records.Cap != nil {
		s.d.Records.Cap(ctx, s.call, s.res)
	}
	return nil
}

func redact(_ context.Context, s *state) error {
	if s.d.Records.Redact != nil {
		s.d.Records.Redact(s.call, s.res)
	}
	return nil
}

// auditResult records the pair; a call that failed before its intent was
// recorded (a denial, bad arguments) is recorded with its result.
func auditResult(_ context.Context, s *state) error {
	if s.d.Records.Audit == nil {
		return nil
	}
	if !s.audited {
		if s.call.LogicalID == "" {
			if s.call.Args == nil {
				s.call.Args = tool.Args{}
			}
			if err := s.call.Identify(); err != nil {
				s.call.Args = tool.Args{}
				if err := s.call.Identify(); err != nil {
					return err
				}
			}
			s.res.CallID, s.res.LogicalID = s.call.CallID, s.call.LogicalID
		}
		s.d.Records.Audit.Call(s.call)
		if s.d.Events.Started != nil {
			s.d.Events.Started(s.call)
		}
	}
	s.d.Records.Audit.Result(s.call, s.res)
	return nil
}

func tell(_ context.Context, s *state) error {
	if s.d.Events.Ended != nil {
		s.d.Events.Ended(s.call, s.res)
	}
	return nil
}
