package server

import (
	"context"
	"encoding/json"
	"strings"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
)

// The store's layout beside the run folders: a marker for each run under way,
// so that a start finds an unfinished one without reading every folder.
const (
	runsFolder  = "runs"
	hotFolder   = "hot"
	summaryFile = "summary.json"
)

// The outcomes that only a run has; others are those of a turn, too.
const (
	outcomeOK       = "ok"
	outcomePartial  = "partial"
	outcomeConflict = "conflict"
)

func runDir(id string) string { return runsFolder + "/" + id }

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
	d.etag = host.Etag(b)
	return &d, nil
}

func (s *Server) notice(level protocol.Level, key string, params map[string]string, run string) {
	s.out.tell(protocol.Event{Type: protocol.EventNotice, Notice: &protocol.Notice{
		Level: level, Text: protocol.Message{Key: key, Params: params}, Run: run,
	}})
}
