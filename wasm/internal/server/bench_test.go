package server

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// thousand is a plan that makes a note for each of n bullets.
func thousand(n int) (map[string]string, string) {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "- Note number %d\n", i)
	}
	body := strings.Repeat("Words that fill a note up to about one kilobyte. ", 20)
	return map[string]string{"List.md": b.String()}, `{"goal":"Many notes","assumptions":[],"steps":[
{"id":"src","tool":"vault.readFile","args":{"path":"List.md"}},
{"id":"list","tool":"util.parseMarkdownBullets","args":{"text":"$steps.src.content"}},
{"id":"make","tool":"vault.createFile","args":{"folder":"Made","title":"{b.title}","content":"# {b.title}\n\n` + body + `\n"},"foreach":{"from":"$steps.list.items","itemName":"b"}}]}`
}

// runPlan simulates, approves and runs a plan, and waits for its end.
func runPlan(ctx context.Context, s *Server, ended chan protocol.RunState, raw string) (protocol.RunState, error) {
	r, err := s.tx.OpenPlan(ctx, []byte(raw), nil, false)
	if err != nil {
		return protocol.RunState{}, err
	}
	return execute(s, ended, r.Run)
}

// execute approves and runs an open review, and waits for its end.
func execute(s *Server, ended chan protocol.RunState, id string) (protocol.RunState, error) {
	se, err := s.tx.Open(id)
	if err != nil {
		return protocol.RunState{}, err
	}
	if err := s.tx.Begin(se, false); err != nil {
		return protocol.RunState{}, err
	}
	return <-ended, nil
}

// BenchmarkExecute1000 is BenchmarkRun1000 from the approval on.
func BenchmarkExecute1000(b *testing.B) {
	files, raw := thousand(1000)
	for b.Loop() {
		b.StopTimer()
		s, ended := benchServer(b, files)
		r, err := s.tx.OpenPlan(b.Context(), []byte(raw), nil, false)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		rs, err := execute(s, ended, r.Run)
		if err != nil || rs.Outcome != "ok" {
			b.Fatalf("want no error and Outcome \"ok\", got %v %+v", err, rs.Problem)
		}
		s.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "µs/note")
}

// benchServer gives a core over a vault in memory, and where the end of each of
// its runs is told. Memory is collected as package memory has it below its limit.
func benchServer(b *testing.B, files map[string]string) (*Server, chan protocol.RunState) {
	debug.SetGCPercent(300)
	ended := make(chan protocol.RunState, 1)
	s, err := New(Deps{Host: hosttest.New(hosttest.Options{Files: files}).Host(), Emit: func(e protocol.Event) {
		if e.Type == protocol.EventRunState && e.Run.State == "finished" {
			ended <- *e.Run
		}
	}})
	if err != nil {
		b.Fatal(err)
	}
	return s, ended
}

// BenchmarkRun1000 is the core's own work for a run of 1,000 notes, on a host
// in memory: simulation, journal, audit and events included.
func BenchmarkRun1000(b *testing.B) {
	files, raw := thousand(1000)
	for b.Loop() {
		b.StopTimer()
		s, ended := benchServer(b, files)
		b.StartTimer()
		rs, err := runPlan(b.Context(), s, ended, raw)
		if err != nil || rs.Outcome != "ok" {
			b.Fatalf("want no error and Outcome \"ok\", got %v %+v", err, rs.Problem)
		}
		s.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "µs/note")
}

// BenchmarkRevert1000 takes the run of BenchmarkRun1000 back.
func BenchmarkRevert1000(b *testing.B) {
	files, raw := thousand(1000)
	for b.Loop() {
		b.StopTimer()
		s, ended := benchServer(b, files)
		rs, err := runPlan(b.Context(), s, ended, raw)
		if err != nil || rs.Outcome != "ok" {
			b.Fatalf("want no error and Outcome \"ok\", got %v %+v", err, rs.Problem)
		}
		b.StartTimer()
		back, err := s.undo.Revert(b.Context(), protocol.Revert{Run: rs.Run})
		if err != nil || back.Problem != nil || len(back.Restored) < 1000 {
			b.Fatalf("want no error, no Problem and at least 1000 Restored, got %v %+v", err, back.Problem)
		}
		s.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "µs/note")
}
