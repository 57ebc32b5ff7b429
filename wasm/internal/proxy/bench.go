//go:build !js

package proxy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"embedded-agent/wasm/internal/llm/sentinel"
	"embedded-agent/wasm/internal/terminal"
)

// Bench measures the proxy and the state machine and writes a line "name value unit" for each row:
//
//   - sentinel_vs_copy: the machine over a stream of text and calls in pieces of 64 bytes, checks included, against keeping
//     the same pieces in a buffer (x, the median of nine runs of each, alternating)
//   - sentinel_throughput: the same in MB/s
//   - sentinel_10mb_vs_10x_1mb: one call with an argument string of ten megabytes against ten of one (x): 1 is linear
//   - proxy_latency_median, proxy_latency_p99: from the backend's delta to the client's event, over a loopback connection (ms)
//
// only, when not empty, is a prefix: other rows are not printed, and a group without such a row is not measured.
func Bench(w io.Writer, only string) error {
	out := terminal.To(w)
	groups := []struct {
		name    string
		measure func() ([]row, error)
	}{{"sentinel_", benchMachine}, {"proxy_latency_", benchLatency}}
	for _, g := range groups {
		if !strings.HasPrefix(g.name, only) && !strings.HasPrefix(only, g.name) {
			continue
		}
		rows, err := g.measure()
		if err != nil {
			return err
		}
		for _, r := range rows {
			if !strings.HasPrefix(r.name, only) {
				continue
			}
			out.Printf("%s %.3f %s\n", r.name, r.value, r.unit)
		}
	}
	return out.Err()
}

// row is a line of the benchmark.
type row struct {
	name  string
	value float64
	unit  string
}

const benchPiece = 64

func benchMachine() ([]row, error) {
	reg, err := sentinel.NewRegistry([]sentinel.Tool{{
		Name:       "write",
		Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}`),
	}}, nil)
	if err != nil {
		return nil, err
	}
	prose := strings.Repeat("Some words < of an answer, as answers go. ", 150)
	var mixed strings.Builder
	for mixed.Len() < 4<<20 {
		mixed.WriteString(prose)
		mixed.WriteString(benchCall(2000))
	}
	stream := mixed.String()
	machine := func(s string) time.Duration { return timeMachine(reg, s) }
	var ours, copies, ten, one []time.Duration
	big, small := benchCall(10<<20), benchCall(1<<20)
	for range 9 {
		ours = append(ours, machine(stream))
		copies = append(copies, timeCopy(stream))
	}
	for range 5 {
		ten = append(ten, machine(big))
		one = append(one, machine(strings.Repeat(small, 10)))
	}
	return []row{
		{"sentinel_vs_copy", ratio(ours, copies), "x"},
		{"sentinel_throughput", float64(len(stream)) / 1e6 / median(ours).Seconds(), "MB/s"},
		{"sentinel_10mb_vs_10x_1mb", ratio(ten, one), "x"},
	}, nil
}

// benchCall is a call whose argument string has about size bytes.
func benchCall(size int) string {
	inner := mustJSON(map[string]string{"path": "a.md", "content": strings.Repeat("A line of a \"note\", as notes go.\n", 1+size/36)})
	return sentinel.OpenTag + string(mustJSON(map[string]string{"name": "write", "arguments": string(inner)})) + sentinel.CloseTag
}

func timeMachine(reg *sentinel.Registry, s string) time.Duration {
	started := time.Now()
	m := sentinel.New(reg, sentinel.Options{}, func(sentinel.Event) {})
	for len(s) > benchPiece {
		m.Feed(s[:benchPiece])
		s = s[benchPiece:]
	}
	m.Feed(s)
	m.Close()
	return time.Since(started)
}

func timeCopy(s string) time.Duration {
	started := time.Now()
	var kept []byte
	for len(s) > benchPiece {
		kept = append(kept, s[:benchPiece]...)
		s = s[benchPiece:]
	}
	kept = append(kept, s...)
	took := time.Since(started)
	if len(kept) < len(s) { // reads what was copied, so that the copying is not compiled away
		panic("proxy: a slice became shorter by appending")
	}
	return took
}

func median(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[len(d)/2]
}

func ratio(a, b []time.Duration) float64 { return median(a).Seconds() / median(b).Seconds() }

// latencyBackend says when it said what: each delta is the time of its making.
type latencyBackend struct{ deltas int }

func (b *latencyBackend) Ask(ctx context.Context, _ Prompt, emit func(Delta)) (Usage, error) {
	tick := time.NewTicker(500 * time.Microsecond)
	defer tick.Stop()
	for range b.deltas {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return Usage{}, ctx.Err()
		}
		emit(Delta{Text: fmt.Sprintf("%d ", time.Now().UnixNano())})
	}
	return Usage{}, nil
}

func (b *latencyBackend) CheckImage(string) error                  { return nil }
func (b *latencyBackend) Models(context.Context) ([]string, error) { return nil, nil }
func (b *latencyBackend) Status() (string, bool)                   { return "bench", true }
func (b *latencyBackend) Close()                                   {}

func benchLatency() (rows []row, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- New(Config{Limits: DefaultLimits()}, &latencyBackend{deltas: 3000}).Serve(ctx, l) }()
	defer func() {
		stop()
		err = errors.Join(err, <-ended)
	}()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Post("http://"+l.Addr().String()+"/v1/responses", "application/json",
		strings.NewReader(`{"input":"x","stream":true,"store":false,"tools":[{"type":"function","name":"f"}]}`))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	took, err := readLatencies(resp.Body)
	if err != nil {
		return nil, err
	}
	if len(took) < 1000 {
		return nil, fmt.Errorf("only %d deltas arrived", len(took))
	}
	slices.Sort(took)
	return []row{
		{"proxy_latency_median", took[len(took)/2].Seconds() * 1e3, "ms"},
		{"proxy_latency_p99", took[len(took)*99/100].Seconds() * 1e3, "ms"},
	}, nil
}

// readLatencies reads how old each delta is when its event has arrived.
func readLatencies(r io.Reader) ([]time.Duration, error) {
	var took []time.Duration
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		_, rest, ok := bytes.Cut(sc.Bytes(), []byte(`"delta":"`))
		if !ok {
			continue
		}
		now := time.Now().UnixNano()
		var made int64
		if _, err := fmt.Sscan(string(rest[:min(len(rest), 24)]), &made); err != nil {
			return nil, err
		}
		took = append(took, time.Duration(now-made))
	}
	return took, sc.Err()
}
