//go:build soak && !js

package proxy

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"embedded-agent/wasm/internal/llm"
)

// openFiles counts the file descriptors of this process; 0 where the system does not list them.
func openFiles() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

// lowest is the smallest count within the time: what is there when nothing goes on.
func lowest(within time.Duration) (goroutines, files int) {
	goroutines, files = runtime.NumGoroutine(), openFiles()
	for end := time.Now().Add(within); time.Now().Before(end); runtime.Gosched() {
		goroutines, files = min(goroutines, runtime.NumGoroutine()), min(files, openFiles())
	}
	return goroutines, files
}

// settle waits until the counts are back at or below what they were, and returns them.
func settle(goroutines, files int) (int, int) {
	deadline := time.Now().Add(15 * time.Second)
	for {
		g, f := runtime.NumGoroutine(), openFiles()
		if g <= goroutines && f <= files || time.Now().After(deadline) {
			return g, f
		}
		runtime.GC()
	}
}

func TestFiftyClientsForAMinuteLeaveNothingBehind(t *testing.T) {
	length := time.Minute
	if d, err := time.ParseDuration(os.Getenv("SOAK")); err == nil {
		length = d
	}
	b := newScripted(func(ctx context.Context, p Prompt, emit func(Delta)) (Usage, error) {
		question := itemText(p.Items[len(p.Items)-1])
		for i := range 20 {
			if ctx.Err() != nil {
				return Usage{}, &llm.Error{Code: llm.CodeCancelled, Message: "Stopped."}
			}
			emit(Delta{Text: fmt.Sprintf("%s %d 🦊 <", question, i)})
			if i%7 == 3 {
				emit(Delta{Text: block("get_weather", fmt.Sprintf(`{"city":%q}`, question))})
			}
		}
		return Usage{Input: 1, Output: 1}, nil
	})
	s := start(t, b)
	s.client.Transport.(*http.Transport).MaxIdleConnsPerHost = 50
	s.streamed(`{"input":"warm",` + twoTools + `}`)
	s.client.CloseIdleConnections()
	goroutines, files := lowest(time.Second)
	end := time.Now().Add(length)
	var streams, left atomic.Int64
	var wg sync.WaitGroup
	for c := range 50 {
		wg.Go(func() {
			for n := 0; time.Now().Before(end); n++ {
				if err := s.soakOnce(fmt.Sprintf("client %d, question %d", c, n), n%10 == 9); err != nil {
					t.Error(err)
					return
				}
				if n%10 == 9 {
					left.Add(1)
				} else {
					streams.Add(1)
				}
			}
		})
	}
	wg.Wait()
	b.waitFree()
	s.client.CloseIdleConnections()
	g, f := settle(goroutines, files)
	t.Logf("%d streams, %d left early; goroutines %d → %d, files %d → %d", streams.Load(), left.Load(), goroutines, g, files, f)
	if g > goroutines || f > files {
		t.Errorf("goroutines %d → %d, files %d → %d", goroutines, g, files, f)
	}
	if streams.Load() < 50 {
		t.Errorf("only %d streams", streams.Load())
	}
}

// soakOnce asks one question and checks the stream, or leaves in the middle of it.
func (s *system) soakOnce(question string, leave bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	resp, err := s.post(ctx, fmt.Sprintf(`{"input":%q,"stream":true,%s}`, question, twoTools))
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if leave {
		_, err := io.CopyN(io.Discard, resp.Body, 3000)
		return err
	}
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	res, problems := checkStream(raw)
	if problems != nil {
		return fmt.Errorf("%s: %s", question, strings.Join(problems, "; "))
	}
	got := short(res)
	if res["status"] != "completed" || strings.Count(got, question) != 20+3 || !strings.Contains(got, `fc_003:get_weather`) {
		return fmt.Errorf("%s: another answer: %.300s", question, got)
	}
	return nil
}
