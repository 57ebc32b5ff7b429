//go:build js && wasm

// Command testcore is a core whose server does what the tests of the boundary
// ask: it echoes, calls the host, waits, panics, loops for ever.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/jsbridge"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/web"
)

func main() {
	jsbridge.Main(func(c jsbridge.Core) jsbridge.Server { return &server{core: c} })
}

type server struct {
	core jsbridge.Core
	seen []string
}

// order is the parameters of every method but hello.
type order struct {
	Text  string `json:"text"`
	Path  string `json:"path"`
	Count int    `json:"count"`
}

func (s *server) Handle(ctx context.Context, method string, payload []byte) ([]byte, error) {
	s.seen = append(s.seen, method)
	if method == "hello" {
		return json.Marshal(protocol.Welcome{Contract: protocol.Contract, Version: "test"})
	}
	var o order
	if err := json.Unmarshal(payload, &o); err != nil {
		return nil, fault.New(fault.Validation, "error.json.invalid", nil).With(err)
	}
	switch method {
	case "estimate": // echo
		return json.Marshal(protocol.Estimated{Snippet: o.Text, Tokens: len(s.seen)})
	case "stop": // waits for its cancel
		<-ctx.Done()
		return nil, ctx.Err()
	case "send":
		return s.work(ctx, o)
	}
	return nil, fault.New(fault.NotFound, "error.internal", nil)
}

func (s *server) work(ctx context.Context, o order) ([]byte, error) {
	switch o.Text {
	case "panic":
		go panic("asked to")
		return nil, nil
	case "exit":
		os.Exit(3)
	case "loop":
		for n := 0; ; n++ {
			if n < 0 {
				fmt.Println(n) // keeps the loop
			}
		}
	case "later": // dies in a timer, outside every request
		time.AfterFunc(time.Millisecond, func() { panic("in a timer") })
		return []byte(`{"turn":"later"}`), nil
	case "append":
		return s.each(ctx, o, func(i int) error {
			return s.core.Host.Store.Append(ctx, o.Path, fmt.Appendf(nil, "%d\n", i))
		})
	case "create":
		return s.each(ctx, o, func(i int) error {
			_, err := s.core.Host.Vault.Apply(ctx, host.Op{
				Kind: host.OpCreate, Path: fmt.Sprintf("%s/%d.md", o.Path, i), Data: []byte("text"),
			})
			return err
		})
	case "read":
		data, err := s.core.Host.Vault.Read(ctx, o.Path)
		if err != nil {
			return nil, err
		}
		return json.Marshal(protocol.Accepted{Turn: fmt.Sprintf("%x", data)})
	case "events":
		for i := range o.Count {
			s.core.Emit(protocol.Event{Type: protocol.EventTurnText, Delta: &protocol.Delta{Text: fmt.Sprint(i)}})
		}
		return []byte(`{"turn":"events"}`), nil
	case "fetch":
		return s.fetch(ctx, o.Path)
	}
	return nil, fault.New(fault.Validation, "error.internal", nil)
}

// each runs f o.Count times at once.
func (s *server) each(ctx context.Context, o order, f func(int) error) ([]byte, error) {
	errs := make(chan error, o.Count)
	for i := range o.Count {
		go func() { errs <- f(i) }()
	}
	for range o.Count {
		select {
		case err := <-errs:
			if err != nil {
				return nil, err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return []byte(`{"turn":"each"}`), nil
}

func (s *server) fetch(ctx context.Context, url string) ([]byte, error) {
	r, err := s.core.HTTP.Do(ctx, web.Request{Method: "GET", URL: url, Stream: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var body []byte
	for {
		chunk, err := r.Read(ctx)
		if err != nil {
			return json.Marshal(protocol.Accepted{Turn: fmt.Sprintf("%d %s %s", r.Status(), body, err)})
		}
		body = append(body, chunk...)
	}
}
