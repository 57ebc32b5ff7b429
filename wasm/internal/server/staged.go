//go:build !js

package server

import (
	"context"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/staged"
	"embedded-agent/wasm/internal/tool"
)

// OpenStaged opens the review of what a command left in its working copy. There are
// none under js: the plugin does not link the room.
func (s *Server) OpenStaged(ctx context.Context, w staged.Work) (*protocol.Review, error) {
	return staged.New(s.stagedDeps()).Open(ctx, w)
}

// StagedCalls gives the calls of other programs that wait for a person. Lock keeps other
// programs away from them, and mark tells whether notes have changed (staged.Deps).
func (s *Server) StagedCalls(lock func(ctx context.Context) (free func() error, err error), mark host.Marks) *StagedCalls {
	d := s.stagedDeps()
	d.Lock, d.Mark = lock, mark
	return staged.NewCalls(d)
}

func (s *Server) stagedDeps() staged.Deps {
	return staged.Deps{
		Host: s.host, Registry: s.registry, Guard: s.guard, History: s.history, Transactions: s.tx, Out: s.out, Now: s.deps.Now,
		WriteRun: s.undo.WriteRun,
	}
}

// StagedCalls are the calls of other programs that wait for a person.
type StagedCalls = staged.Calls

// SubmittedPlan says what came of a plan that was staged.
type SubmittedPlan = staged.Submitted

// StageableTools lists the tools whose calls can be staged, or only read, by the
// settings of this moment.
func (s *Server) StageableTools() []*tool.Entry {
	var out []*tool.Entry
	for _, e := range s.registry.All() {
		if staged.Stageable(e) && s.guard.Offered(e) {
			out = append(out, e)
		}
	}
	return out
}

// StagedWork lists the changes of a command in its working copy, for the command line.
type StagedWork = staged.Work

// Sight gives the rule for paths that may be seen, by the policy of this moment: its
// error is why one may not. The error of Sight says that the organisation's policy
// cannot be read.
func (s *Server) Sight(ctx context.Context) (func(path string) error, error) {
	if err := s.guard.ReadOrganisation(ctx); err != nil {
		return nil, err
	}
	return s.guard.Policy().MaySee, nil
}
