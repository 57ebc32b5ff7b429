package overlay_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/vaultpath"
)

var vault = map[string]string{"A.md": "a\n", "B.md": "b\n", "F/A.md": "fa\n", "F/G/x.md": "x\n", "Empty/": ""}

func memory() *hosttest.Memory {
	return hosttest.New(hosttest.Options{Profile: hosttest.Mac, Files: vault})
}

func over(m *hosttest.Memory, opts ...overlay.Option) *overlay.Vault {
	return overlay.New(overlay.NewBase(m.Host().Vault, nil, time.UnixMilli(1)), opts...)
}

// anyOp draws a write that a tool could make of a vault as it is.
func anyOp(t *rapid.T, v host.Vault) host.Op {
	ctx := t.Context()
	path := rapid.SampledFrom([]string{"A.md", "a.md", "B.md", "F/A.md", "F/G/x.md", "F/new.md", "N/y.md", "N", "F", "F/G", "Empty", "empty"}).Draw(t, "path")
	text := []byte(rapid.SampledFrom([]string{"", "one\n", "two\n"}).Draw(t, "text"))
	before, err := v.Read(ctx, path)
	kind := rapid.SampledFrom([]host.OpKind{host.OpCreate, host.OpModify, host.OpModify, host.OpMkdir, host.OpRename, host.OpRename, host.OpTrash, host.OpRemove, host.OpRmdir}).Draw(t, "kind")
	op := host.Op{Kind: kind, Path: path}
	switch kind {
	case host.OpCreate:
		op.Data = text
	case host.OpModify:
		op.Before, op.Data = before, text
		if rapid.IntRange(0, 4).Draw(t, "drift") == 0 {
			op.Before = []byte("something else")
		}
	case host.OpRename:
		op.To = rapid.SampledFrom([]string{"C.md", "b.md", "B.md", "F/C.md", "Moved", "Moved/In", "f", "N/z.md"}).Draw(t, "to")
		if strings.HasPrefix(op.To, path+"/") || op.To == path {
			op.Kind, op.To, op.Data = host.OpCreate, "", text
		}
	case host.OpTrash, host.OpRemove:
		if err != nil { // folders go file by file
			op = host.Op{Kind: host.OpMkdir, Path: path}
		}
		op.Before = before
	case host.OpRmdir:
		if in, err := v.List(ctx, path); err != nil || len(in) > 0 {
			op = host.Op{Kind: host.OpMkdir, Path: path}
		}
	}
	return op
}

// look describes all that can be seen of a vault.
func look(t *rapid.T, v host.Vault) string {
	var b strings.Builder
	all, err := v.Walk(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		fmt.Fprintf(&b, "%s %s", e.Kind, e.Path)
		if e.Kind == host.File {
			data, err := v.Read(t.Context(), e.Path)
			fmt.Fprintf(&b, " %q %v", data, err)
		}
		in, err := v.List(t.Context(), vaultpath.Parent(e.Path))
		listed := err == nil && slices.ContainsFunc(in, func(i host.Info) bool { return i.Path == e.Path })
		fmt.Fprintf(&b, " listed %v\n", listed)
	}
	return b.String()
}

func TestAnOverlayAnswersAsTheVaultWouldAndItsLogMakesTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		below, real := memory(), memory()
		untouched := below.Snapshot()
		v := over(below)
		made := real.Host().Vault
		for i := range rapid.IntRange(1, 14).Draw(t, "ops") {
			op := anyOp(t, made)
			_, got := v.For(fmt.Sprint("call ", i)).Apply(t.Context(), op)
			_, want := made.Apply(t.Context(), op)
			if (got == nil) != (want == nil) {
				t.Fatalf("%s %s %s: the overlay says %v, the vault %v", op.Kind, op.Path, op.To, got, want)
			}
			if a, b := look(t, v.For("")), look(t, made); a != b {
				t.Fatalf("after %s %s %s the overlay is\n%s\nand the vault\n%s", op.Kind, op.Path, op.To, a, b)
			}
		}
		if d := untouched.Diff(below.Snapshot()); d != "" {
			t.Fatalf("the vault below was written:\n%s", d)
		}
		again := memory()
		for _, w := range v.Log() {
			if w.Refused != nil {
				continue
			}
			if w.BeforeEtag != "" && w.BeforeEtag != host.Etag(w.Op.Before) || w.AfterEtag != "" && w.AfterEtag != host.Etag(w.Op.Data) {
				t.Fatalf("%s %s: etags that are not of its bytes", w.Op.Kind, w.Op.Path)
			}
			if _, err := again.Host().Vault.Apply(t.Context(), w.Op); err != nil {
				t.Fatalf("the log cannot be made: %s %s: %v", w.Op.Kind, w.Op.Path, err)
			}
		}
		if d := real.Snapshot().Diff(again.Snapshot()); d != "" {
			t.Fatalf("the log makes another vault:\n%s", d)
		}
	})
}

func apply(t *testing.T, v *overlay.Vault, ops ...host.Op) {
	t.Helper()
	for _, op := range ops {
		if _, err := v.For("c").Apply(t.Context(), op); err != nil {
			t.Fatalf("%s %s: want no error, got %v", op.Kind, op.Path, err)
		}
	}
}

func TestTheChangesetIsTheNetDifference(t *testing.T) {
	for _, c := range []struct {
		name string
		ops  []host.Op
		want []string
	}{
		{"nothing", nil, nil},
		{"made and gone", []host.Op{{Kind: host.OpCreate, Path: "N.md"}, {Kind: host.OpTrash, Path: "N.md", Before: []byte{}}}, nil},
		{"changed and changed back", []host.Op{{Kind: host.OpModify, Path: "A.md", Before: []byte("a\n"), Data: []byte("x")}, {Kind: host.OpModify, Path: "A.md", Before: []byte("x"), Data: []byte("a\n")}}, nil},
		{"changed twice", []host.Op{{Kind: host.OpModify, Path: "A.md", Before: []byte("a\n"), Data: []byte("x")}, {Kind: host.OpModify, Path: "A.md", Before: []byte("x"), Data: []byte("y")}}, []string{`modify A.md "a\n" "y"`}},
		{"trashed and made anew", []host.Op{{Kind: host.OpTrash, Path: "A.md", Before: []byte("a\n")}, {Kind: host.OpCreate, Path: "A.md", Data: []byte("n")}}, []string{`modify A.md "a\n" "n"`}},
		{"moved and changed", []host.Op{{Kind: host.OpRename, Path: "A.md", To: "C.md"}, {Kind: host.OpModify, Path: "C.md", Before: []byte("a\n"), Data: []byte("x")}}, []string{`rename A.md>C.md "a\n" "x"`}},
		{"moved, and another in its place", []host.Op{{Kind: host.OpRename, Path: "A.md", To: "C.md"}, {Kind: host.OpCreate, Path: "A.md", Data: []byte("n")}}, []string{`create A.md "" "n"`, `rename A.md>C.md "" ""`}},
		{"a folder moved with all that is in it", []host.Op{{Kind: host.OpRename, Path: "F", To: "G"}}, []string{`rename F>G "" ""`}},
		{"a folder moved, and a note in it changed", []host.Op{{Kind: host.OpRename, Path: "F", To: "G"}, {Kind: host.OpModify, Path: "G/A.md", Before: []byte("fa\n"), Data: []byte("x")}}, []string{`rename F>G "" ""`, `rename F/A.md>G/A.md "fa\n" "x"`}},
		{"folders", []host.Op{{Kind: host.OpMkdir, Path: "N"}, {Kind: host.OpRmdir, Path: "Empty"}}, []string{`rmdir Empty "" ""`, `mkdir N "" ""`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := over(memory())
			apply(t, v, c.ops...)
			changes, err := v.Changes(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, x := range changes {
				from := x.From
				if from != "" {
					from += ">"
				}
				got = append(got, fmt.Sprintf("%s %s%s %q %q", x.Status, from, x.Path, x.Before, x.After))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestWhatThePersonLeftOutIsNotWritten(t *testing.T) {
	v := over(memory(), overlay.WithAmendments(&overlay.Amendments{
		Dropped: map[string]bool{"A.md": true, "B.md": true},
		Edits:   map[string]overlay.Edit{"N.md": {ShownEtag: host.Etag([]byte("shown")), Data: []byte("mine")}},
	}))
	ctx := t.Context()
	_, err := v.For("c").Apply(ctx, host.Op{Kind: host.OpModify, Path: "A.md", Before: []byte("a\n"), Data: []byte("x")})
	if !errors.Is(err, overlay.ErrDropped) {
		t.Errorf("a change that was left out: %v", err)
	}
	if _, err := v.For("c").Apply(ctx, host.Op{Kind: host.OpModify, Path: "B.md", Before: []byte("b\n"), Data: []byte("x"), Follows: true}); err != nil {
		t.Errorf("a consequence that was left out stops its call: %v", err)
	}
	apply(t, v, host.Op{Kind: host.OpCreate, Path: "N.md", Data: []byte("shown")}, host.Op{Kind: host.OpCreate, Path: "M.md", Data: []byte("shown")})
	for path, want := range map[string]string{"A.md": "a\n", "B.md": "b\n", "N.md": "mine", "M.md": "shown"} {
		if got, err := v.For("c").Read(ctx, path); err != nil || string(got) != want {
			t.Errorf("want no error and equal to want, got %s is %q, %v", path, got, err)
		}
	}
	apply(t, v, host.Op{Kind: host.OpModify, Path: "N.md", Before: []byte("mine"), Data: []byte("other")})
	if got, err := v.For("c").Read(ctx, "N.md"); err != nil || string(got) != "other" {
		t.Errorf("a plan that gives other bytes has outrun the edit: %q, %v", got, err)
	}
}

func TestAGuardIsAskedBeforeAnythingAndItsNoIsAnError(t *testing.T) {
	m := memory()
	v := over(m, overlay.WithGuard(func(op host.Op) error {
		if op.Path == "A.md" || op.To == "A.md" {
			return fault.New(fault.Denied, "error.internal", nil)
		}
		return nil
	}))
	for _, op := range []host.Op{
		{Kind: host.OpModify, Path: "A.md", Before: []byte("a\n")},
		{Kind: host.OpRename, Path: "B.md", To: "A.md"},
	} {
		if _, err := v.For("c").Apply(t.Context(), op); !fault.Is(err, fault.Denied) {
			t.Errorf("%s %s: want the error fault.Denied, got %v", op.Kind, op.Path, err)
		}
	}
	if len(v.Log()) != 0 {
		t.Errorf("want no Log, got %+v", v.Log())
	}
}

func TestWhatMayNotBeSeenIsInNoListAndCannotBeReadByName(t *testing.T) {
	v := over(memory(), overlay.WithSight(func(path string) error {
		if strings.HasPrefix(path, "F/") {
			return fault.New(fault.Denied, "error.internal", nil)
		}
		return nil
	})).For("c")
	all, err := v.Walk(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	in, err := v.List(t.Context(), "F")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range append(all, in...) {
		if strings.HasPrefix(e.Path, "F/") {
			t.Errorf("%s is seen", e.Path)
		}
	}
	if _, err := v.Read(t.Context(), "F/A.md"); !fault.Is(err, fault.Denied) {
		t.Error(err)
	}
	if named, err := v.Named(t.Context(), "x.md"); err != nil || len(named) > 0 {
		t.Errorf("want no error and no named, got %v %v", named, err)
	}
}

func TestABaseTellsWhatAFileWasLikeBeforeItWasRead(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{"1.md": "1", "2.md": "2", "3.md": "3", "4.md": "4", "5.md": "5", "6.md": "6", "7.md": "7", "8.md": "8", "Far/9.md": "9"}})
	b := overlay.NewBase(m.Host().Vault, nil, time.UnixMilli(1))
	if err := b.Prefetch(t.Context(), []string{"1.md", "2.md", "3.md", "4.md", "5.md", "6.md", "7.md", "8.md", "Far/9.md"}, 4); err != nil {
		t.Fatal(err)
	}
	now, err := m.Host().Vault.Stat(t.Context(), "1.md")
	if err != nil {
		t.Fatal(err)
	}
	if seen, ok := b.Seen("1.md"); !ok || seen != now {
		t.Errorf("%+v, %v; the host says %+v", seen, ok, now)
	}
	if seen, ok := b.Seen("Far/9.md"); ok {
		t.Errorf("of a file whose folder was not listed: %+v", seen)
	}
	for path, want := range map[string]bool{"1.md": true, "0.md": false, "Far/9.md": true, "FAR/9.md": false} {
		if got, err := b.Taken(t.Context(), path); err != nil || got != want {
			t.Errorf("%s is taken: %v, %v", path, got, err)
		}
	}
}
