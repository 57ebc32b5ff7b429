package hosttest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
)

func TestMemoryKeepsTheContractOfAHostOnEverySystem(t *testing.T) {
	for _, p := range hosttest.Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			hosttest.Conform(t, func(*testing.T) host.Host {
				return hosttest.New(hosttest.Options{Profile: p}).Host()
			})
		})
	}
}

func TestADiskWithoutCaseRefusesACreateThatItsIndexCannotSee(t *testing.T) {
	m := hosttest.New(hosttest.Options{Profile: hosttest.Mac, Files: map[string]string{"Time Entry.md": "x"}})
	v := m.Host().Vault
	if _, err := v.Stat(t.Context(), "time entry.md"); !fault.Is(err, fault.NotFound) {
		t.Errorf("stat: %v", err)
	}
	_, err := v.Apply(t.Context(), host.Op{Kind: host.OpCreate, Path: "time entry.md", Data: []byte("y")})
	if !fault.Is(err, fault.Conflict) {
		t.Errorf("create: %v", err)
	}
}

func TestAnIllegalNameIsRefusedWhereTheSystemRefusesIt(t *testing.T) {
	for _, c := range []struct {
		p    hosttest.Profile
		name string
		ok   bool
	}{{hosttest.Linux, "a:b.md", true}, {hosttest.Mac, "a:b.md", false}, {hosttest.Windows, "a?.md", false}, {hosttest.Android, "it's.md", false}, {hosttest.IOS, "a?.md", true}} {
		m := hosttest.New(hosttest.Options{Profile: c.p})
		_, err := m.Host().Vault.Apply(t.Context(), host.Op{Kind: host.OpCreate, Path: c.name})
		if (err == nil) != c.ok {
			t.Errorf("%s on %s: want as in the case, got %v", c.name, c.p.Name, err)
		}
	}
}

func TestUnsavedTextIsReadWrittenThroughAndLostInACrash(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{"a.md": "saved"}, Active: "a.md"})
	m.Type("a.md", "unsaved")
	v := m.Host().Vault
	if b, err := v.Read(t.Context(), "a.md"); err != nil || string(b) != "unsaved" {
		t.Fatalf("read %q, %v", b, err)
	}
	if b, _ := m.CrashClone().File("a.md"); string(b) != "saved" {
		t.Errorf("after a crash: %q", b)
	}
	_, err := v.Apply(t.Context(), host.Op{Kind: host.OpModify, Path: "a.md", Before: []byte("saved"), Data: []byte("x")})
	if !fault.Is(err, fault.Conflict) {
		t.Errorf("a baseline without the unsaved text was taken: %v", err)
	}
	if _, err := v.Apply(t.Context(), host.Op{Kind: host.OpModify, Path: "a.md", Before: []byte("unsaved"), Data: []byte("new")}); err != nil {
		t.Fatal(err)
	}
	if b, _ := m.File("a.md"); string(b) != "new" {
		t.Errorf("on the disk: %q", b)
	}
}

func TestTheMarkedSelectionIsTheEditorsSelection(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{"a.md": "x 🌱\r\n- ⟦one\r\n- tw⟧o"}, Active: "a.md"})
	s, err := m.Host().Editor.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := host.EditorState{
		Path: "a.md", Text: "one\n- tw",
		Selection: host.Range{From: host.Position{Line: 1, Ch: 2}, To: host.Position{Line: 2, Ch: 4}},
	}
	if s != want {
		t.Errorf("got %+v", s)
	}
}

func TestAFullDiskFailsFromTheNthWriteOnAndWritesNothing(t *testing.T) {
	m := hosttest.New(hosttest.Options{})
	h := m.Host()
	m.FailAt(2, nil)
	if err := h.Store.Append(t.Context(), "log", []byte("1")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err := h.Vault.Apply(t.Context(), host.Op{Kind: host.OpCreate, Path: "a.md", Data: []byte("x")})
		if !fault.Is(err, fault.Internal) {
			t.Errorf("got %v", err)
		}
	}
	if s := m.Snapshot(); len(s) != 0 {
		t.Errorf("written: %v", s)
	}
}

func TestAKillLeavesAPrefixOfTheWriteAndNothingAfterIt(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(200) {
		m := hosttest.New(hosttest.Options{Files: map[string]string{"a.md": "old"}})
		h := m.Host()
		m.KillAt(1, seed, false)
		_, err := h.Vault.Apply(t.Context(), host.Op{Kind: host.OpModify, Path: "a.md", Before: []byte("old"), Data: []byte("new!")})
		if !errors.Is(err, hosttest.ErrDead) {
			t.Fatalf("the write said %v", err)
		}
		if err := h.Store.Append(t.Context(), "log", []byte("x")); !errors.Is(err, hosttest.ErrDead) {
			t.Fatalf("an append after death said %v", err)
		}
		select {
		case <-m.Dead():
		default:
			t.Fatal("Dead is not closed")
		}
		c := m.CrashClone()
		b, _ := c.File("a.md")
		seen[string(b)] = true
		if _, err := c.Host().Vault.Read(t.Context(), "a.md"); err != nil {
			t.Errorf("the clone is dead too: %v", err)
		}
	}
	for _, want := range []string{"old", "", "n", "ne", "new", "new!"} {
		if !seen[want] {
			t.Errorf("200 seeds never left %q; they left %v", want, seen)
		}
	}
	if len(seen) != 6 {
		t.Errorf("more than prefixes: %v", seen)
	}
}

func TestATornAppendKeepsWhatWasThereBefore(t *testing.T) {
	for seed := range uint64(20) {
		m := hosttest.New(hosttest.Options{})
		s := m.Host().Store
		if err := s.Append(t.Context(), "log", []byte("first\n")); err != nil {
			t.Fatal(err)
		}
		m.KillAt(2, seed, false)
		if err := s.Append(t.Context(), "log", []byte("second\n")); err == nil {
			t.Fatal("a dead host appended")
		}
		got := m.CrashClone().StoreFiles()["log"]
		if !bytes.HasPrefix([]byte("first\nsecond\n"), got) || len(got) < 6 {
			t.Errorf("seed %d left %q", seed, got)
		}
	}
}

func TestADeadHostCanHangUntilTheCallerGivesUp(t *testing.T) {
	m := hosttest.New(hosttest.Options{})
	m.KillAt(1, 1, true)
	ctx := t.Context()
	if _, err := m.Host().Vault.Apply(ctx, host.Op{Kind: host.OpMkdir, Path: "f"}); err == nil {
		t.Fatal("no error from the write that died")
	}
	got := make(chan error, 1)
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	go func() { _, err := m.Host().Vault.Stat(short, ""); got <- err }()
	if err := <-got; !fault.Is(err, fault.Timeout) {
		t.Errorf("got %v", err)
	}
}

func TestAnEditFromOutsideJustBeforeAWriteIsAConflict(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{"a.md": "old"}})
	m.BeforeWrite(1, func() { m.Put("a.md", "theirs") })
	_, err := m.Host().Vault.Apply(t.Context(), host.Op{Kind: host.OpModify, Path: "a.md", Before: []byte("old"), Data: []byte("ours")})
	if !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v", err)
	}
	if b, _ := m.File("a.md"); string(b) != "theirs" {
		t.Errorf("holds %q", b)
	}
}

func TestCountsTellVaultFromStore(t *testing.T) {
	m := hosttest.New(hosttest.Options{})
	h := m.Host()
	for i := range 3 {
		if _, err := h.Vault.Apply(t.Context(), host.Op{Kind: host.OpCreate, Path: fmt.Sprint(i, ".md")}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Vault.Walk(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if err := h.Store.Write(t.Context(), "x", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Store.List(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if got, want := m.Counts(), (hosttest.Counts{Reads: 1, Writes: 3, StoreReads: 1, StoreWrites: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestADiffNamesEveryPathThatDiffers(t *testing.T) {
	a := hosttest.New(hosttest.Options{Files: map[string]string{"same.md": "s", "changed.md": "1", "gone.md": "g"}}).Snapshot()
	b := hosttest.New(hosttest.Options{Files: map[string]string{"same.md": "s", "changed.md": "2", "new/": ""}}).Snapshot()
	want := "~ changed.md \"1\", then \"2\"\n- gone.md \"g\"\n+ new/ \"\"\n"
	if got := a.Diff(b); got != want {
		t.Errorf("got %s", got)
	}
	if !a.Equal(a) {
		t.Error("a snapshot differs from itself")
	}
}
