package server

import (
	"bytes"
	"context"
	"encoding/json"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/protocol"
)

// jsonOf encodes without escaping what HTML would need: notes are full of it.
func jsonOf(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fault.From(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// question is one that waits for its answer. The first answer wins.
type question struct {
	protocol.Question
	answer chan protocol.Answer
}

// ask shows a question and waits for the answer, or for ctx to end.
func (s *Server) ask(ctx context.Context, q protocol.Question) (protocol.Answer, error) {
	q.ID = newID()
	w := &question{Question: q, answer: make(chan protocol.Answer, 1)}
	s.mu.Lock()
	s.questions[q.ID] = w
	s.mu.Unlock()
	s.out.tell(protocol.Event{Type: protocol.EventQuestionOpened, Question: &q})
	defer func() {
		s.mu.Lock()
		delete(s.questions, q.ID)
		s.mu.Unlock()
		s.out.tell(protocol.Event{Type: protocol.EventQuestionClosed, Question: &q})
	}()
	select {
	case a := <-w.answer:
		return a, nil
	case <-ctx.Done():
		return protocol.Answer{}, fault.From(ctx.Err())
	}
}

func (s *Server) answer(_ context.Context, a protocol.Answer) (protocol.Empty, error) {
	s.mu.Lock()
	q := s.questions[a.ID]
	s.mu.Unlock()
	if q == nil {
		return protocol.Empty{}, fault.New(fault.NotFound, "error.question.gone", nil)
	}
	select {
	case q.answer <- a:
	default: // answered already
	}
	return protocol.Empty{}, nil
}

// running gives the run under way by its id.
func (s *Server) running(id string) (*execution, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == nil || s.run.over() || (id != "" && s.run.se.id != id) {
		return nil, fault.New(fault.NotFound, "error.run.notRunning", nil)
	}
	return s.run, nil
}

func (s *Server) runPause(_ context.Context, p protocol.RunRef) (protocol.Empty, error) {
	x, err := s.running(p.Run)
	if err != nil {
		return protocol.Empty{}, err
	}
	x.gate.Pause()
	x.mark("paused")
	return protocol.Empty{}, nil
}

func (s *Server) runResume(_ context.Context, p protocol.RunRef) (protocol.Empty, error) {
	x, err := s.running(p.Run)
	if err != nil {
		return protocol.Empty{}, err
	}
	x.gate.Resume()
	x.mark("running")
	return protocol.Empty{}, nil
}

func (x *execution) mark(state protocol.RunPhase) {
	x.mu.Lock()
	if x.rs.State == "running" || x.rs.State == "paused" {
		x.rs.State = state
	}
	x.mu.Unlock()
	x.tell()
}
