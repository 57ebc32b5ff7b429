package jsbridge

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/text/texttest"
)

// encodeOp writes an op as it crosses, and reads it as the app's side would.
func encodeOp(t interface{ Fatalf(string, ...any) }, op host.Op) (protocol.Op, [][]byte) {
	var blobs [][]byte
	raw := appendOp(nil, op, func(b []byte) int {
		blobs = append(blobs, b)
		return len(blobs) - 1
	})
	var p protocol.Op
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		t.Fatalf("%s: want no error, got %v", raw, err)
	}
	return p, blobs
}

func TestWhateverBytesAnOpHoldsArriveAsTheyAre(t *testing.T) {
	bytesOf := rapid.OneOf(
		rapid.SliceOf(rapid.Byte()),
		rapid.Map(rapid.String(), func(s string) []byte { return []byte(s) }),
		rapid.Just([]byte("\ufeff\"\\\b\f\n\r\t\u0000\u2028</script>😀")),
	)
	rapid.Check(t, func(t *rapid.T) {
		op := host.Op{
			Kind:   host.OpModify,
			Path:   rapid.StringMatching(`[a-z"\\ü😀/]{0,20}`).Draw(t, "path"),
			Before: bytesOf.Draw(t, "before"),
			Data:   bytesOf.Draw(t, "data"),
		}
		p, blobs := encodeOp(t, op)
		if p.Kind != "modify" || p.Path != op.Path {
			t.Fatalf("got %+v", p)
		}
		for what, pair := range map[string]struct {
			got  *protocol.Content
			want []byte
		}{"before": {p.Before, op.Before}, "data": {p.Data, op.Data}} {
			got, err := content("m", *pair.got, blobs)
			if err != nil || string(got) != string(pair.want) {
				t.Fatalf("%s: %q came as %q, %v", what, pair.want, got, err)
			}
			if utf8.Valid(pair.want) != (pair.got.Blob < 0) {
				t.Fatalf("%s: %q crossed as %+v", what, pair.want, pair.got)
			}
		}
	})
}

func TestEachKindOfOpCarriesWhatItNeedsAndNoMore(t *testing.T) {
	text := func(s string) *protocol.Content { return &protocol.Content{Text: s, Blob: -1} }
	all := host.Op{Path: "a", To: "b", Before: []byte("before"), Data: []byte("data"), Follows: true}
	tests := []struct {
		kind host.OpKind
		want protocol.Op
	}{
		{host.OpCreate, protocol.Op{Kind: "create", Path: "a", Data: text("data")}},
		{host.OpModify, protocol.Op{Kind: "modify", Path: "a", Before: text("before"), Data: text("data")}},
		{host.OpRename, protocol.Op{Kind: "rename", Path: "a", To: "b"}},
		{host.OpTrash, protocol.Op{Kind: "trash", Path: "a", Before: text("before")}},
		{host.OpRemove, protocol.Op{Kind: "remove", Path: "a", Before: text("before")}},
		{host.OpMkdir, protocol.Op{Kind: "mkdir", Path: "a"}},
		{host.OpRmdir, protocol.Op{Kind: "rmdir", Path: "a"}},
	}
	for _, test := range tests {
		op := all
		op.Kind = test.kind
		got, _ := encodeOp(t, op)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: it differs from what was wanted (-want +got): %s", test.kind, diff)
		}
	}
	folder, _ := encodeOp(t, host.Op{Kind: host.OpTrash, Path: "folder"})
	if folder.Before != nil {
		t.Errorf("the trash of a folder carries %+v", folder.Before)
	}
	caret := &host.Range{From: host.Position{Line: 1, Ch: 2}, To: host.Position{Line: 3, Ch: 4}}
	got, _ := encodeOp(t, host.Op{Kind: host.OpModify, Path: "a", Caret: caret})
	want := &protocol.Selection{From: protocol.Position{Line: 1, Ch: 2}, To: protocol.Position{Line: 3, Ch: 4}}
	if diff := cmp.Diff(want, got.Caret); diff != "" {
		t.Error("it differs from what was wanted (-want +got):", diff)
	}
}

func TestABlobThatIsNotInTheBatchIsAnError(t *testing.T) {
	if _, err := content("vault.read", protocol.Content{Blob: 2}, [][]byte{{1}}); !fault.Is(err, fault.Internal) {
		t.Fatalf("got %v", err)
	}
}

func TestEveryHostPathCrossesThePortAndComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		port := &memory{}
		c := NewConn(port)
		h := NewHost(c)
		type call struct {
			name    string
			do      func() (any, error)
			method  string
			payload string
			result  string
			blobs   [][]byte
			want    any
		}
		ctx := t.Context()
		info := host.Info{Path: "a.md", Kind: host.File, Size: 3, CTime: 1, MTime: 2}
		infoJSON := `{"path":"a.md","kind":"file","size":3,"ctime":1,"mtime":2}`
		at := host.Position{Line: 1, Ch: 2}
		calls := []call{
			{"stat", func() (any, error) { return h.Vault.Stat(ctx, "a.md") }, "vault.stat", `{"path":"a.md"}`, infoJSON, nil, info},
			{"read text", func() (any, error) { return h.Vault.Read(ctx, "a.md") }, "vault.read", `{"path":"a.md"}`, `{"text":"ü","blob":-1}`, nil, []byte("ü")},
			{"read bytes", func() (any, error) { return h.Vault.Read(ctx, "a.md") }, "vault.read", `{"path":"a.md"}`, `{"text":"","blob":1}`, [][]byte{nil, {0xff}}, []byte{0xff}},
			{"list", func() (any, error) { return h.Vault.List(ctx, "") }, "vault.list", `{"path":""}`, `{"entries":[` + infoJSON + `]}`, nil, []host.Info{info}},
			{"walk", func() (any, error) { return h.Vault.Walk(ctx, "f") }, "vault.walk", `{"path":"f"}`, `{ "entries": [] }`, nil, []host.Info{}},
			{"backlinks", func() (any, error) { return h.Vault.Backlinks(ctx, "a.md") }, "vault.backlinks", `{"path":"a.md"}`, `{"paths":["b.md"]}`, nil, []string{"b.md"}},
			{"editor", func() (any, error) { return h.Editor.State(ctx) }, "editor.state", `{}`, `{"path":"a.md","selection":{"from":{"line":1,"ch":2},"to":{"line":1,"ch":2}},"text":"x"}`, nil, host.EditorState{Path: "a.md", Text: "x", Selection: host.Range{From: at, To: at}}},
			{"context", func() (any, error) { return h.Workspace.Context(ctx) }, "workspace.context", `{}`, `{"activePath":"a.md","viewType":"markdown","openPaths":["a.md"]}`, nil, host.WorkspaceState{ActivePath: "a.md", ViewType: "markdown", OpenPaths: []string{"a.md"}}},
			{"open", func() (any, error) { return nil, h.Workspace.Open(ctx, "a.md", true) }, "workspace.open", `{"path":"a.md","newPane":true}`, `{}`, nil, nil},
			{"focus", func() (any, error) { return nil, h.Workspace.Focus(ctx, "left") }, "workspace.focus", `{"pane":"left"}`, `{}`, nil, nil},
			{"commands", func() (any, error) { return h.Commands.List(ctx) }, "commands.list", `{}`, `{"commands":[{"id":"i","name":"n"}]}`, nil, []host.Command{{ID: "i", Name: "n"}}},
			{"command", func() (any, error) { return h.Commands.Run(ctx, "i") }, "commands.run", `{"id":"i"}`, `{"ok":true}`, nil, true},
			{"append", func() (any, error) { return nil, h.Store.Append(ctx, "s", []byte("x")) }, "store.append", `{"path":"s","blob":0}`, `{}`, nil, nil},
			{"write", func() (any, error) { return nil, h.Store.Write(ctx, "s", []byte("y")) }, "store.write", `{"path":"s","blob":1}`, `{}`, nil, nil},
			{"store read", func() (any, error) { return h.Store.Read(ctx, "s") }, "store.read", `{"path":"s"}`, `{"text":"","blob":0}`, [][]byte{{1}}, []byte{1}},
			{"store list", func() (any, error) { return h.Store.List(ctx, "") }, "store.list", `{"path":""}`, `{"entries":[]}`, nil, []host.Info{}},
			{"remove", func() (any, error) { return nil, h.Store.Remove(ctx, "s") }, "store.remove", `{"path":"s"}`, `{}`, nil, nil},
			{"secret", func() (any, error) { return secrets(c)(ctx, "k") }, "secret.has", `{"name":"k"}`, `{"has":true}`, nil, true},
			{"key", func() (any, error) { return h.Device.Key(ctx) }, "device.key", `{}`, `{"key":"00ff"}`, nil, []byte{0, 0xff}},
		}
		for _, call := range calls {
			type outcome struct {
				got any
				err error
			}
			done := make(chan outcome, 1)
			go func() {
				got, err := call.do()
				done <- outcome{got, err}
			}()
			sent := reply(t, c, port, call.result, "", call.blobs...)
			if sent.Method != call.method || sent.Payload != call.payload {
				t.Errorf("%s: sent %s %s, want %s %s", call.name, sent.Method, sent.Payload, call.method, call.payload)
			}
			o := <-done
			if diff := cmp.Diff(call.want, o.got); o.err != nil || diff != "" {
				t.Errorf("%s: it differs from what was wanted (-want +got): %v %s", call.name, o.err, diff)
			}
		}
	})
}

func TestTheFastReaderOfListsAgreesWithEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := rapid.SliceOf(rapid.Custom(func(t *rapid.T) protocol.Info {
			return protocol.Info{
				Path: rapid.String().Draw(t, "path"), Kind: rapid.SampledFrom([]protocol.EntryKind{"file", "folder", "odd"}).Draw(t, "kind"),
				Size: rapid.Int64().Draw(t, "size"), CTime: rapid.Int64Range(0, 1<<50).Draw(t, "ctime"), MTime: 1,
			}
		})).Draw(t, "entries")
		raw, err := json.Marshal(protocol.Infos{Entries: append([]protocol.Info{}, entries...)})
		if err != nil {
			t.Fatal(err)
		}
		got, ok := parseInfos(raw)
		if !ok {
			return // encoding/json reads it then
		}
		for i, e := range entries {
			if got[i] != info(e) {
				t.Fatalf("entry %d: %+v read as %+v", i, e, got[i])
			}
		}
	})
}

func TestTheFastReaderTakesWhatTheShellWrites(t *testing.T) {
	for raw, want := range map[string]int{
		`{"entries":[]}`: 0,
		`{"entries":[{"path":"a \"b\" \\ ü 😀","kind":"file","size":0,"ctime":1,"mtime":1700000000000}]}`:                                  1,
		`{"entries":[{"path":"a","kind":"folder","size":0,"ctime":0,"mtime":0},{"path":"b","kind":"file","size":1,"ctime":1,"mtime":1}]}`: 2,
	} {
		if got, ok := parseInfos([]byte(raw)); !ok || len(got) != want {
			t.Errorf("%s: want it to be found and as many of them as want, got %v, %v", raw, got, ok)
		}
	}
	for _, raw := range []string{
		``, `{"entries":[`, `{"entries":[]}x`, `{"entries":[{}]}`, `{"entries":[,]}`,
		`{"entries":[{"path":"a\n","kind":"file","size":0,"ctime":0,"mtime":0}]}`,
		`{"entries":[{"path":"\u0041","kind":"file","size":0,"ctime":0,"mtime":0}]}`,
		`{"entries":[{"path":"a","kind":"file","size":00,"ctime":0,"mtime":0}]}`,
		`{"entries":[{"path":"a","kind":"file","size":-1,"ctime":0,"mtime":0}]}`,
		`{"entries":[{"path":"a","kind":"file","size":1.5,"ctime":0,"mtime":0}]}`,
		`{"entries":[{"path":"a","kind":"file","size":1,"ctime":0,"mtime":0,"more":1}]}`,
		`{"entries":[{"path":"a","kind":"file","size":1,"ctime":0,"mtime":0}`,
		`{"entries":[{"path":"a\`,
	} {
		if got, ok := parseInfos([]byte(raw)); ok {
			t.Errorf("%s was read as %v", raw, got)
		}
	}
}

func BenchmarkAppendOp(b *testing.B) {
	op := host.Op{Kind: host.OpCreate, Path: "Projects/Some note.md", Data: []byte(strings.Repeat("A line of a note.\n", 57))}
	var dst []byte
	b.SetBytes(int64(len(op.Data)))
	for b.Loop() {
		dst = appendOp(dst[:0], op, nil)
	}
}

func BenchmarkParseInfos(b *testing.B) {
	entries := make([]protocol.Info, 100_000)
	for i := range entries {
		entries[i] = protocol.Info{Path: fmt.Sprintf("folder/note %d.md", i), Kind: "file", Size: 1000, CTime: 1700000000000, MTime: 1700000000000}
	}
	raw, err := json.Marshal(protocol.Infos{Entries: entries})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, ok := parseInfos(raw); !ok {
			b.Fatal("not read")
		}
	}
}

func TestContentsCrossAsTextWhereEverybodyTakesThemForText(t *testing.T) {
	for _, c := range texttest.Contents() {
		blobs := 0
		out := appendContent(nil, c.Data, func(b []byte) int {
			blobs++
			return 7
		})
		var got protocol.Content
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%s: want no error, got %v", c.Name, err)
		}
		if want := (protocol.Content{Text: string(c.Data), Blob: -1}); c.Text && (got != want || blobs != 0) {
			t.Errorf("%s crossed as bytes, want text", c.Name)
		}
		if want := (protocol.Content{Blob: 7}); !c.Text && (got != want || blobs != 1) {
			t.Errorf("%s crossed as text, want bytes", c.Name)
		}
	}
}
