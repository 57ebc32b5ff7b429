package jsbridge

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
)

// applier answers writes as the app's side does: each is made, but for those of the
// path "bad.md".
func applier(c *Conn, e protocol.Envelope) {
	one := func(op protocol.Op) protocol.Applied {
		if op.Path == "bad.md" {
			return protocol.Applied{Problem: &protocol.Problem{Code: "CONFLICT", Key: "error.vault.exists"}}
		}
		return protocol.Applied{Info: &protocol.Info{Path: op.Path, Kind: "file", Size: 3}}
	}
	r := protocol.Envelope{ID: e.ID, Kind: protocol.KindResponse, Method: e.Method}
	switch e.Method {
	case "vault.apply":
		var op protocol.Op
		_ = json.Unmarshal([]byte(e.Payload), &op)
		if a := one(op); a.Problem != nil {
			r.Error = jsonText(a.Problem)
		} else {
			r.Payload = jsonText(a.Info)
		}
	case "vault.applyAll":
		var ops protocol.Ops
		_ = json.Unmarshal([]byte(e.Payload), &ops)
		var all protocol.AllApplied
		for _, op := range ops.Ops {
			all.Results = append(all.Results, one(op))
		}
		r.Payload = jsonText(all)
	}
	c.Receive([]protocol.Envelope{r}, nil)
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func create(path string) host.Op {
	return host.Op{Kind: host.OpCreate, Path: path, Data: []byte("abc")}
}

// together lets all writes that are asked for in f wait for their turn before the
// first is sent, as on the one thread that a core has in the app. It gives what
// was sent.
func together(port *memory, v host.Vault, f func()) []protocol.Envelope {
	b := v.(vault).writes
	b.mu.Lock()
	b.due = true // whoever asks first does not begin
	b.mu.Unlock()
	f()
	synctest.Wait()
	b.flush()
	synctest.Wait()
	return port.take()
}

func TestWritesThatAreAskedForTogetherCrossTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		port := &memory{}
		c := NewConn(port)
		v := NewHost(c).Vault
		paths := []string{"a.md", "b.md", "bad.md", "c.md", "d.md", "e.md"}
		got := make([]string, len(paths))
		var wg sync.WaitGroup
		sent := together(port, v, func() {
			for i, p := range paths {
				wg.Go(func() {
					info, err := v.Apply(t.Context(), create(p))
					got[i] = fmt.Sprint(info.Path, info.Size, codeOf(err))
				})
			}
		})
		carried := 0
		for _, e := range sent {
			carried += strings.Count(e.Payload, `"kind":"create"`)
			if n := strings.Count(e.Payload, `"kind":"create"`); n > maxBatch {
				t.Errorf("%d writes in one message", n)
			}
			applier(c, e)
		}
		wg.Wait()
		if carried != len(paths) || len(sent) != 2 {
			t.Errorf("%d writes crossed in %d messages", carried, len(sent))
		}
		for i, p := range paths {
			want := fmt.Sprint(p, 3, "")
			if p == "bad.md" {
				want = fmt.Sprint("", 0, fault.Conflict)
			}
			if got[i] != want {
				t.Errorf("%s: got %s, want %s", p, got[i], want)
			}
		}
	})
}

func TestAMessageCarriesHalfOfTheWritesThatAreUnderWay(t *testing.T) {
	for _, c := range []struct {
		name        string
		first, then int
		want, after []int // writes of each message
	}{
		{"as many as a run makes at once", 8, 4, []int{4, 4}, []int{4}},
		{"as many as a revert makes at once", 32, 16, []int{16, 16}, []int{16}},
		{"fewer than a message carries at least", 3, 1, []int{3}, []int{1}},
		{"more than two messages carry at most", 40, 2, []int{16, 16, 8}, []int{2}},
		{"an odd number", 13, 7, []int{7, 6}, []int{7}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				port := &memory{}
				conn := NewConn(port)
				v := NewHost(conn).Vault
				ask := func(n int) []protocol.Envelope {
					return together(port, v, func() {
						for i := range n {
							go func() {
								if _, err := v.Apply(t.Context(), create(fmt.Sprint(i, ".md"))); err != nil {
									t.Error(err)
								}
							}()
						}
					})
				}
				sent := ask(c.first)
				if got := sizes(sent); !slices.Equal(got, c.want) {
					t.Errorf("%d writes crossed as %v, want %v", c.first, got, c.want)
				}
				applier(conn, sent[0])
				synctest.Wait()
				later := ask(c.then)
				if got := sizes(later); !slices.Equal(got, c.after) {
					t.Errorf("after an answer, %d writes crossed as %v, want %v", c.then, got, c.after)
				}
				for _, e := range append(sent[1:], later...) {
					applier(conn, e)
				}
				synctest.Wait()
				if left := v.(vault).writes.sent; left != 0 {
					t.Errorf("all were answered, and %d count as under way", left)
				}
			})
		})
	}
}

// sizes counts the writes of messages, the largest first: they go in no order.
func sizes(sent []protocol.Envelope) []int {
	var all []int
	for _, e := range sent {
		all = append(all, strings.Count(e.Payload, `"kind":"create"`))
	}
	slices.SortFunc(all, func(a, b int) int { return b - a })
	return all
}

func TestAWriteAloneCrossesAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		port := &memory{}
		c := NewConn(port)
		go func() { _, _ = NewHost(c).Vault.Apply(t.Context(), create("a.md")) }()
		synctest.Wait()
		sent := port.take()
		if len(sent) != 1 || sent[0].Method != "vault.apply" {
			t.Fatalf("sent %+v", sent)
		}
		applier(c, sent[0])
	})
}

func TestAGroupIsCancelledWhenNobodyWaitsForAnyOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		port := &memory{}
		c := NewConn(port)
		v := NewHost(c).Vault
		first, leaveFirst := context.WithCancel(t.Context())
		second, leaveSecond := context.WithCancel(t.Context())
		sent := together(port, v, func() {
			for _, ctx := range []context.Context{first, second} {
				go func() {
					if _, err := v.Apply(ctx, create("a.md")); !fault.Is(err, fault.Cancelled) {
						t.Errorf("a write that was left: %v", err)
					}
				}()
			}
		})
		if len(sent) != 1 || sent[0].Method != "vault.applyAll" {
			t.Fatalf("sent %+v", sent)
		}
		leaveFirst()
		synctest.Wait()
		if more := port.take(); len(more) != 0 {
			t.Fatalf("one is waited for still, and %+v was sent", more)
		}
		leaveSecond()
		synctest.Wait()
		if more := port.take(); len(more) != 1 || more[0].Kind != protocol.KindCancel || more[0].ID != sent[0].ID {
			t.Fatalf("after both had left, sent %+v", more)
		}
	})
}

func TestAnswersThatDoNotFitTheWritesAreRefused(t *testing.T) {
	for _, data := range []string{
		`{"results":[]}`, `{"results":[{"info":{"path":"a","kind":"file","size":1,"ctime":2,"mtime":3}}]}`, `{"results":[{},{}]}`, `[]`,
	} {
		if _, err := parseApplied([]byte(data), 2); !fault.Is(err, fault.Internal) {
			t.Errorf("%s: want the error fault.Internal, got %v", data, err)
		}
	}
}

func codeOf(err error) fault.Code {
	if err == nil {
		return ""
	}
	return fault.From(err).Code
}
