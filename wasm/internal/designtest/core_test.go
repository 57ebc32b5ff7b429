package designtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/server"
)

// core is the whole program over a vault in memory, with the panel's side of
// the protocol.
type core struct {
	t   *testing.T
	s   *server.Server
	mem *hosttest.Memory

	mu    sync.Mutex
	heard sync.Cond
	runs  []*protocol.RunState
}

func start(t *testing.T, files map[string]string, set protocol.Settings) *core {
	t.Helper()
	c := &core{t: t, mem: hosttest.New(hosttest.Options{Files: files})}
	c.heard.L = &c.mu
	s, err := server.New(server.Deps{Host: c.mem.Host(), Emit: c.hear})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	c.s = s
	ask[protocol.Welcome](c, "hello", protocol.Hello{
		Contract: protocol.Contract, Settings: set, Platform: protocol.Platform{Name: "linux", Language: "en"},
	})
	return c
}

func (c *core) hear(e protocol.Event) {
	if e.Run == nil || e.Run.State != "finished" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs = append(c.runs, e.Run)
	c.heard.Broadcast()
}

// ask makes one request of the protocol.
func ask[R any](c *core, method string, params any) R {
	c.t.Helper()
	r, err := try[R](c, method, params)
	if err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
	return r
}

func try[R any](c *core, method string, params any) (R, error) {
	c.t.Helper()
	var r R
	payload, err := json.Marshal(params)
	if err != nil {
		c.t.Fatal(err)
	}
	answer, err := c.s.Handle(c.t.Context(), method, payload)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(answer, &r); err != nil {
		c.t.Fatal(err)
	}
	return r, nil
}

// review simulates a plan.
func (c *core) review(plan string) *protocol.Review {
	c.t.Helper()
	r, err := c.s.OpenPlan(c.t.Context(), []byte(plan), nil, false)
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

// approve says yes to a review and waits for the end of its run.
func (c *core) approve(r protocol.Review) *protocol.RunState {
	c.t.Helper()
	ask[protocol.RunRef](c, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for _, rs := range c.runs {
			if rs.Run == r.Run {
				return rs
			}
		}
		c.heard.Wait()
	}
}

// records are the records of one file of a run's folder, without their frames.
func (c *core) records(run, name string) [][]byte {
	c.t.Helper()
	var out [][]byte
	for file, data := range c.mem.StoreFiles() {
		if path.Base(path.Dir(file)) != run || path.Base(file) != name {
			continue
		}
		for line := range bytes.Lines(data) {
			var frame struct {
				R json.RawMessage `json:"r"`
			}
			if err := json.Unmarshal(line, &frame); err != nil {
				c.t.Fatalf("%s: %v", file, err)
			}
			out = append(out, frame.R)
		}
	}
	if len(out) == 0 {
		c.t.Fatalf("run %s has no %s", run, name)
	}
	return out
}

// list writes one thing a line.
func list[T any](things []T, line func(T) string) string {
	var b strings.Builder
	for _, x := range things {
		fmt.Fprintln(&b, line(x))
	}
	return b.String()
}

// compact writes JSON on one line.
func compact(t *testing.T, v any) string {
	t.Helper()
	return strings.TrimSuffix(encode(t, v, ""), "\n")
}

// pretty writes JSON over several lines.
func pretty(t *testing.T, v any) string {
	t.Helper()
	return encode(t, v, "  ")
}

func encode(t *testing.T, v any, indent string) string {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return hash.ReplaceAllString(b.String(), "HASH")
}

// hash matches digests of bytes: of no use to a reader.
var hash = regexp.MustCompile(`[0-9a-f]{64}`)

// object reads a JSON object.
func object(t *testing.T, raw []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// without replaces what differs from run to run, or has words of the catalogue.
func without(v map[string]any, names ...string) map[string]any {
	for _, name := range names {
		if _, there := v[name]; there {
			v[name] = "…"
		}
	}
	return v
}
