package server

import (
	"context"
	"encoding/json"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/protocol"
)

// handler answers one method.
type handler func(ctx context.Context, payload []byte) ([]byte, error)

// Handle answers one request of the app's side. Its errors are *fault.Error.
func (s *Server) Handle(ctx context.Context, method string, payload []byte) ([]byte, error) {
	h, ok := s.handlers[method]
	if !ok {
		return nil, fault.New(fault.NotFound, "error.method.unknown", fault.P{"method": method})
	}
	return h(ctx, payload)
}

// on makes a handler of a typed function. Only the types are generic: all that
// is done with them is in serve, so that thirty methods do not cost thirty
// copies.
func on[P, R any](f func(context.Context, P) (R, error)) handler {
	return func(ctx context.Context, payload []byte) ([]byte, error) {
		p := new(P)
		return serve(payload, p, func() (any, error) { return f(ctx, *p) })
	}
}

func serve(payload []byte, params any, f func() (any, error)) ([]byte, error) {
	if err := canon.CheckDepth(payload); err != nil {
		return nil, err
	}
	if len(payload) > 0 {
		if err := json.Unmarshal(payload, params); err != nil {
			return nil, fault.New(fault.Validation, "error.json.invalid", nil).With(err)
		}
	}
	r, err := f()
	if err != nil {
		return nil, fault.From(err)
	}
	return canon.Encode(r)
}

// stop ends what is under way: a turn, a run, or an undo of a run.
func (s *Server) stop(ctx context.Context, p protocol.Stop) (protocol.Empty, error) {
	s.undo.Stop(p.ID)
	return s.chat.Stop(ctx, p)
}

// table is every method of protocol.ServerMethods; a test compares the two.
func (s *Server) table() map[string]handler {
	return map[string]handler{
		"hello":               on(s.hello),
		"configure":           on(s.onConfigure),
		"state":               on(func(ctx context.Context, _ protocol.Empty) (protocol.State, error) { return s.state(ctx) }),
		"send":                on(s.chat.Send),
		"stop":                on(s.stop),
		"turn.retry":          on(s.chat.RetryNow),
		"review.get":          on(s.tx.Get),
		"review.open":         on(s.tx.OpenAgain),
		"review.draft":        on(s.tx.KeepDrafts),
		"review.file":         on(s.tx.File),
		"review.amend":        on(s.tx.Amend),
		"review.approve":      on(s.tx.Approve),
		"review.close":        on(s.tx.Close),
		"run.pause":           on(s.tx.Pause),
		"run.resume":          on(s.tx.Resume),
		"run.rest":            on(s.tx.Rest),
		"run.revert":          on(s.undo.Revert),
		"runs.list":           on(s.history.List),
		"run.get":             on(s.history.Get),
		"run.verify":          on(s.history.Verify),
		"run.replay":          on(s.tx.ReplayRun),
		"runs.clear":          on(s.history.Clear),
		"records.get":         on(s.undo.RecordsGet),
		"records.delete":      on(s.undo.RecordsDelete),
		"records.copy":        on(s.undo.RecordsCopy),
		"recovery.resolve":    on(s.undo.Resolve),
		"actions.list":        on(s.saved.Asked),
		"actions.save":        on(s.saved.Save),
		"actions.rename":      on(s.saved.Rename),
		"actions.remove":      on(s.saved.Remove),
		"actions.restore":     on(s.saved.Restore),
		"actions.run":         on(s.chat.ActionRun),
		"actions.export":      on(s.saved.Export),
		"actions.import":      on(s.saved.Import),
		"action.get":          on(s.saved.Get),
		"action.put":          on(s.saved.Put),
		"actions.order":       on(s.saved.Order),
		"action.canvas":       on(s.saved.Canvas),
		"action.step":         on(s.saved.Step),
		"conversations.list":  on(s.chat.Conversations.List),
		"conversation.get":    on(s.chat.Conversations.Get),
		"conversation.rename": on(s.chat.Conversations.Rename),
		"conversation.remove": on(s.chat.Conversations.Remove),
		"conversation.export": on(s.chat.Conversations.Export),
		"findings.note":       on(s.chat.FindingsNote),
		"usage.get":           on(s.usage.Get),
		"usage.export":        on(s.usage.Export),
		"prices.default":      on(s.usage.DefaultPrices),
		"models.list":         on(s.chat.Models.List),
		"secrets.list":        on(s.guard.SecretsList),
		"plugins.search":      on(s.plugins.Asked),
		"trace.get":           on(s.history.TraceGet),
		"attachment.get":      on(s.history.AttachmentGet),
		"run.export":          on(s.history.Export),
		"reply.draw":          on(s.replyDraw),
		"reply.check":         on(s.replyCheck),
		"answer":              on(s.questions.Answer),
		"tools.list":          on(s.saved.ToolsList),
		"connection.test":     on(s.chat.Models.Test),
		"estimate":            on(s.chat.Estimate),
		"hidden":              on(s.guard.HiddenPaths),
	}
}
