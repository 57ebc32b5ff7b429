package jsbridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/protocol"
)

// memory is a Port that keeps what is sent.
type memory struct {
	mu    sync.Mutex
	sent  []protocol.Envelope
	blobs [][]byte
}

func (m *memory) Blob(data []byte) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.blobs = append(m.blobs, append([]byte(nil), data...))
	return len(m.blobs) - 1
}

func (m *memory) Send(e protocol.Envelope) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent = append(m.sent, e)
}

// take gives what was sent since the last take.
func (m *memory) take() []protocol.Envelope {
	m.mu.Lock()
	defer m.mu.Unlock()
	sent := m.sent
	m.sent = nil
	return sent
}

type serverFunc func(ctx context.Context, method string, payload []byte) ([]byte, error)

func (f serverFunc) Handle(ctx context.Context, method string, payload []byte) ([]byte, error) {
	return f(ctx, method, payload)
}

func request(id int, payload string) protocol.Envelope {
	return protocol.Envelope{ID: id, Kind: protocol.KindRequest, Method: "m", Payload: payload}
}

func TestARequestIsAnsweredWithItsID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		port := &memory{}
		c := NewConn(port)
		c.Serve(serverFunc(func(_ context.Context, method string, payload []byte) ([]byte, error) {
			return fmt.Appendf(nil, "%s(%s)", method, payload), nil
		}))
		c.Receive([]protocol.Envelope{request(7, "x")}, nil)
		synctest.Wait()
		sent := port.take()
		want := protocol.Envelope{ID: 7, Kind: protocol.KindResponse, Method: "m", Payload: "m(x)"}
		if len(sent) != 1 || sent[0] != want {
			t.Fatalf("sent %+v, want %+v", sent, want)
		}
	})
}

func TestARequestThatWaitsDoesNotHoldBackTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		port := &memory{}
		c := NewConn(port)
		gate := make(chan struct{})
		c.Serve(serverFunc(func(_ context.Context, _ string, payload []byte) ([]byte, error) {
			if string(payload) == "slow" {
				<-gate
			}
			return payload, nil
		}))
		c.Receive([]protocol.Envelope{request(1, "slow"), request(2, "quick")}, nil)
		synctest.Wait()
		if sent := port.take(); len(sent) != 1 || sent[0].ID != 2 {
			t.Fatalf("sent %+v, want the answer to 2 alone", sent)
		}
		close(gate)
		synctest.Wait()
		if sent := port.take(); len(sent) != 1 || sent[0].ID != 1 {
			t.Fatalf("sent %+v, want the answer to 1", sent)
		}
	})
}

func TestACancelEndsTheContextOfItsRequestAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		port := &memory{}
		c := NewConn(port)
		gate := make(chan struct{})
		c.Serve(serverFunc(func(ctx context.Context, _ string, _ []byte) ([]byte, error) {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-gate:
				return []byte("done"), nil
			}
		}))
		c.Receive([]protocol.Envelope{request(1, ""), request(2, "")}, nil)
		c.Receive([]protocol.Envelope{{ID: 1, Kind: protocol.KindCancel}, {ID: 99, Kind: protocol.KindCancel}}, nil)
		synctest.Wait()
		sent := port.take()
		if len(sent) != 1 || sent[0].ID != 1 || problemOf(t, sent[0]).Code != protocol.ProblemCode(fault.Cancelled) {
			t.Fatalf("sent %+v, want CANCELLED for 1 alone", sent)
		}
		close(gate)
		synctest.Wait()
	})
}

func problemOf(t *testing.T, e protocol.Envelope) protocol.Problem {
	t.Helper()
	var p protocol.Problem
	if err := json.Unmarshal([]byte(e.Error), &p); err != nil {
		t.Fatalf("error %q: %v", e.Error, err)
	}
	return p
}

func TestRequestsBeforeTheServerIsThereAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		port := &memory{}
		NewConn(port).Receive([]protocol.Envelope{request(1, "")}, nil)
		synctest.Wait()
		if p := problemOf(t, port.take()[0]); p.Key != "error.core.notReady" {
			t.Fatalf("problem %+v", p)
		}
	})
}

func TestAPayloadNestedTooDeepDoesNotReachTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		port := &memory{}
		c := NewConn(port)
		c.Serve(serverFunc(func(context.Context, string, []byte) ([]byte, error) {
			t.Error("the server was asked")
			return nil, nil
		}))
		c.Receive([]protocol.Envelope{request(1, strings.Repeat("[", 10_000))}, nil)
		synctest.Wait()
		if p := problemOf(t, port.take()[0]); p.Key != "error.json.depth" {
			t.Fatalf("problem %+v", p)
		}
	})
}

// reply answers the one request that was sent.
func reply(t *testing.T, c *Conn, port *memory, payload, problem string, blobs ...[]byte) protocol.Envelope {
	t.Helper()
	synctest.Wait()
	sent := port.take()
	if len(sent) != 1 || sent[0].Kind != protocol.KindRequest {
		t.Fatalf("sent %+v, want one request", sent)
	}
	c.Receive([]protocol.Envelope{{
		ID: sent[0].ID, Kind: protocol.KindResponse, Method: sent[0].Method, Payload: payload, Error: problem,
	}}, blobs)
	return sent[0]
}

func TestACallGivesTheShellsProblemAsItsError(t *testing.T) {
	tests := []struct {
		problem string
		code    fault.Code
		key     string
	}{
		{`{"code":"CONFLICT","key":"error.vault.changed","params":{"path":"a"}}`, fault.Conflict, "error.vault.changed"},
		{`{"code":"NETWORK_ERROR","key":"error.http.broken","retryable":true}`, fault.Network, "error.http.broken"},
		{`{"code":"MADE_UP","key":"error.vault.changed"}`, fault.Internal, "error.internal"},
		{`{"code":"CONFLICT"}`, fault.Internal, "error.internal"},
		{`not json`, fault.Internal, "error.internal"},
		{strings.Repeat("[", 1000), fault.Validation, "error.json.depth"},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			port := &memory{}
			c := NewConn(port)
			failed := make(chan error, 1)
			go func() { failed <- do(t.Context(), c, "m", noParams) }()
			reply(t, c, port, "", test.problem)
			f := fault.From(<-failed)
			if f == nil || f.Code != test.code || f.Key != test.key {
				t.Errorf("%.60s: got %+v, want %s %s", test.problem, f, test.code, test.key)
			}
		})
	}
}

func TestACallWhoseContextEndsTellsTheShellAndDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		port := &memory{}
		c := NewConn(port)
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() { failed <- do(ctx, c, "m", noParams) }()
		synctest.Wait()
		cancel()
		if err := <-failed; !fault.Is(err, fault.Cancelled) {
			t.Fatalf("got %v, want CANCELLED", err)
		}
		sent := port.take()
		if len(sent) != 2 || sent[1].Kind != protocol.KindCancel || sent[1].ID != sent[0].ID {
			t.Fatalf("sent %+v, want a request and its cancel", sent)
		}
		// The answer that crossed the cancel is dropped.
		c.Receive([]protocol.Envelope{{ID: sent[0].ID, Kind: protocol.KindResponse, Method: "m"}}, nil)

		if err := do(ctx, c, "m", noParams); !fault.Is(err, fault.Cancelled) || len(port.take()) != 0 {
			t.Fatalf("a call on an ended context was sent, or gave %v", err)
		}
	})
}

func TestAnAnswerOpenedForNobodyIsGivenToTheOrphanFunction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		port := &memory{}
		c := NewConn(port)
		NewHTTP(c)
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() { failed <- do(ctx, c, "http.open", noParams) }()
		synctest.Wait()
		cancel()
		<-failed
		id := port.take()[0].ID
		c.Receive([]protocol.Envelope{{
			ID: id, Kind: protocol.KindResponse, Method: "http.open", Payload: `{"handle":5,"status":200,"headers":{}}`,
		}}, nil)
		sent := port.take()
		if len(sent) != 1 || sent[0].Method != "http.close" || sent[0].Payload != `{"handle":5}` {
			t.Fatalf("sent %+v, want http.close of 5", sent)
		}
	})
}

func TestEventsAndResponsesKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		port := &memory{}
		c := NewConn(port)
		wait := make(chan struct{})
		c.Serve(serverFunc(func(context.Context, string, []byte) ([]byte, error) {
			c.Emit(protocol.Event{Type: protocol.EventNotice})
			<-wait
			c.Emit(protocol.Event{Type: protocol.EventTurnText})
			c.Emit(protocol.Event{Type: protocol.EventState})
			return nil, errors.New("boom")
		}))
		c.Receive([]protocol.Envelope{request(1, "")}, nil)
		synctest.Wait()
		close(wait)
		synctest.Wait()
		// How many go in one message is the scheduler's business; their order is not.
		types := regexp.MustCompile(`"type":"([^"]+)"`)
		var got []string
		for _, e := range port.take() {
			for _, m := range types.FindAllStringSubmatch(e.Payload, -1) {
				got = append(got, m[1])
			}
			if e.Kind != protocol.KindEvent {
				got = append(got, fmt.Sprint(e.Kind, e.ID, e.Method))
			}
		}
		want := fmt.Sprint([]protocol.EventType{protocol.EventNotice, protocol.EventTurnText, protocol.EventState, "response1m"})
		if fmt.Sprint(got) != want {
			t.Fatalf("sent %v, want %v", got, want)
		}
	})
}

func TestManyCallsAtOnceEachGetTheirOwnAnswer(t *testing.T) {
	port := &memory{}
	c := NewConn(port)
	const n = 200
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			path := fmt.Sprint("p", i)
			data, _, err := c.Call(t.Context(), "echo", pathParams(path))
			if err != nil || string(data) != `{"path":"`+path+`"}` {
				t.Errorf("%s: got %s, %v", path, data, err)
			}
		})
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	for {
		for _, e := range port.take() {
			e.Kind = protocol.KindResponse
			c.Receive([]protocol.Envelope{e}, nil)
		}
		select {
		case <-done:
			return
		default:
			runtime.Gosched() // wasm has one thread, and nothing takes it away
		}
	}
}
