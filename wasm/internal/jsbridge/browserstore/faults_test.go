//go:build js && wasm && browser

package browserstore_test

import (
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"syscall/js"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/jsbridge/browserstore"
)

// patch replaces a member of the engine until the test ends. The script is the body
// of a function of "real", the member as it was.
func patch(t *testing.T, object, member, body string) {
	t.Helper()
	script := fmt.Sprintf(`(() => {
		const object = %s, member = %q;
		const was = Object.getOwnPropertyDescriptor(object, member);
		const real = was?.value;
		Object.defineProperty(object, member, { configurable: true, %s });
		return () => was ? Object.defineProperty(object, member, was) : delete object[member];
	})()`, object, member, body)
	restore := js.Global().Call("eval", script)
	t.Cleanup(func() { restore.Invoke() })
}

func wants(t *testing.T, s host.Store, path, want string) {
	t.Helper()
	got, err := s.Read(t.Context(), path)
	if err != nil || string(got) != want {
		t.Fatalf("%s holds %q (%v), want %q", path, got, err, want)
	}
}

func appends(t *testing.T, s host.Store, path, data string) {
	t.Helper()
	if err := s.Append(t.Context(), path, []byte(data)); err != nil {
		t.Fatal(err)
	}
}

const handleProto = "FileSystemSyncAccessHandle.prototype"

func TestADiskThatIsFullAtAnyByteLeavesTheFileAsItWas(t *testing.T) {
	const line = "a line\n"
	for _, how := range []string{`throw new DOMException("full", "QuotaExceededError")`, "return room"} {
		for room := range len(line) {
			t.Run(fmt.Sprint(how, room), func(t *testing.T) { full(t, line, how, room) })
		}
	}
}

// full appends a line where there is room for some of its bytes.
func full(t *testing.T, line, how string, room int) {
	s := browserstore.NewOPFS(rand.Text())
	appends(t, s, "runs/1/j", "before\n")
	js.Global().Set("full", true)
	patch(t, handleProto, "write", fmt.Sprintf(`value(bytes, at) {
		if (!self.full) return real.call(this, bytes, at);
		const room = %d;
		real.call(this, bytes.subarray(0, room), at);
		%s;
	}`, room, how))
	if err := s.Append(t.Context(), "runs/1/j", []byte(line)); !fault.Is(err, fault.Internal) {
		t.Fatalf("%d bytes of room: %v", room, err)
	}
	wants(t, s, "runs/1/j", "before\n")
	js.Global().Set("full", false)
	appends(t, s, "runs/1/j", line)
	wants(t, s, "runs/1/j", "before\n"+line)
}

func TestATransactionThatFailsLeavesTheFileAsItWas(t *testing.T) {
	for nth, name := range []string{"the piece", "the row"} {
		t.Run(name, func(t *testing.T) {
			s := browserstore.NewIDB(rand.Text())
			appends(t, s, "runs/1/j", "before\n")
			js.Global().Set("puts", 0)
			patch(t, "IDBObjectStore.prototype", "put", fmt.Sprintf(`value(...args) {
				if (self.puts++ === %d) throw new DOMException("full", "QuotaExceededError");
				return real.apply(this, args);
			}`, nth))
			if err := s.Append(t.Context(), "runs/1/j", []byte("a line\n")); !fault.Is(err, fault.Internal) {
				t.Fatal(err)
			}
			wants(t, s, "runs/1/j", "before\n")
			appends(t, s, "runs/1/j", "after\n")
			wants(t, s, "runs/1/j", "before\nafter\n")
		})
	}
}

func TestHandlesThatTheEngineHasLostAreOpenedAnew(t *testing.T) {
	js.Global().Call("eval", "self.bases = new Set()")
	patch(t, "IDBDatabase.prototype", "transaction", `value(...args) { self.bases.add(this); return real.apply(this, args); }`)
	each(t, func(t *testing.T, open func() records) {
		s := open()
		appends(t, s, "runs/1/j", "one\n")
		lose := func() {
			letGo()
			js.Global().Call("eval", "for (const b of self.bases) b.close(); self.bases.clear()")
		}
		lose()
		appends(t, s, "runs/1/j", "two\n")
		lose()
		wants(t, s, "runs/1/j", "one\ntwo\n")
		lose()
		if err := s.Flush(t.Context(), "runs/1/j"); err != nil {
			t.Error(err)
		}
	})
}

func TestAFileThatSomebodyHasChangedIsNotAddedTo(t *testing.T) {
	id := rand.Text()
	s := browserstore.NewOPFS(id)
	appends(t, s, "runs/1/j", "one\n")
	for i := range 20 { // so many that the first one is closed
		appends(t, s, fmt.Sprintf("runs/2/%d", i), "x")
	}
	if err := browserstore.NewOPFS(id).Write(t.Context(), "runs/1/j", []byte("other")); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "runs/1/j", []byte("two\n")); !fault.Is(err, fault.Internal) {
		t.Errorf("got %v", err)
	}
	wants(t, s, "runs/1/j", "other")
}

func TestAFileThatAFormerCoreStillHasOpenIsWaitedFor(t *testing.T) {
	id := rand.Text()
	former := browserstore.NewOPFS(id)
	appends(t, former, "runs/1/j", "one\n")
	js.Global().Call("eval", "self.former = []; self.refused = 0")
	patch(t, handleProto, "getSize", `value() { self.former.push(this); return real.call(this); }`)
	patch(t, "FileSystemFileHandle.prototype", "createSyncAccessHandle", `async value(...args) {
		try { return await real.apply(this, args); }
		catch (error) { if (++self.refused === 2) self.release(); throw error; }
	}`)
	release := js.FuncOf(func(js.Value, []js.Value) any { // as when its worker is gone at last
		go former.Write(t.Context(), "runs/1/j", []byte("last\n"))
		return nil
	})
	defer release.Release()
	js.Global().Set("release", release)
	s := browserstore.NewOPFS(id)
	appends(t, s, "runs/1/j", "two\n")
	wants(t, s, "runs/1/j", "last\ntwo\n")
	if n := js.Global().Get("refused").Int(); n < 2 {
		t.Errorf("it was refused %d times", n)
	}
}

// refusals are the ways in which an engine keeps a plugin from keeping things.
var refusals = map[host.StoreKind]map[string][3]string{
	host.StoreOPFS: {
		"there is no storage":               {"records", "storage", "value: () => undefined"},
		"storage cannot be looked at":       {"records", "storage", `value() { throw new DOMException("no", "SecurityError"); }`},
		"there is no getDirectory":          {"StorageManager.prototype", "getDirectory", "value: undefined"},
		"getDirectory is refused":           {"StorageManager.prototype", "getDirectory", `value: async () => { throw new DOMException("no", "SecurityError"); }`},
		"there are no sync access handles":  {"FileSystemFileHandle.prototype", "createSyncAccessHandle", "value: undefined"},
		"sync access handles are refused":   {"FileSystemFileHandle.prototype", "createSyncAccessHandle", `value: async () => { throw new DOMException("no", "InvalidStateError"); }`},
		"no file can be made":               {"FileSystemDirectoryHandle.prototype", "getFileHandle", `value: async () => { throw new DOMException("full", "QuotaExceededError"); }`},
		"nothing can be written":            {handleProto, "write", `value() { throw new DOMException("full", "QuotaExceededError"); }`},
		"the core knows nothing of storage": {"self", "records", "value: undefined"},
	},
	host.StoreIDB: {
		"there are no databases":          {"records", "indexedDB", "value: () => undefined"},
		"databases cannot be looked at":   {"records", "indexedDB", `value() { throw new DOMException("no", "SecurityError"); }`},
		"opening is refused":              {"IDBFactory.prototype", "open", `value() { throw new DOMException("no", "SecurityError"); }`},
		"opening fails":                   {"IDBFactory.prototype", "open", `value(name) { return real.call(this, name, 0.5); }`},
		"databases cannot be listed":      {"IDBFactory.prototype", "databases", `value: async () => { throw new DOMException("no", "UnknownError"); }`},
		"nothing can be written":          {"IDBObjectStore.prototype", "put", `value() { throw new DOMException("full", "QuotaExceededError"); }`},
		"a transaction cannot be begun":   {"IDBDatabase.prototype", "transaction", `value() { throw new DOMException("no", "UnknownError"); }`},
		"the core knows of no databases":  {"self", "records", "value: undefined"},
		"the tables were not made":        {"IDBDatabase.prototype", "createObjectStore", `value() { throw new DOMException("no", "ConstraintError"); }`},
		"a transaction is ended under us": {"IDBDatabase.prototype", "transaction", `value(...args) { const t = real.apply(this, args); setTimeout(() => { try { t.abort(); } catch {} }); t.abort(); return t; }`},
	},
}

func TestEachWayToRefuseIsToldAndLeavesNothing(t *testing.T) {
	for kind, ways := range refusals {
		for way, p := range ways {
			t.Run(string(kind)+"/"+way, func(t *testing.T) {
				id := rand.Text()
				t.Run("refused", func(t *testing.T) {
					patch(t, p[0], p[1], p[2])
					s := kinds[kind](id)
					_, err := s.Holds(t.Context())
					if err == nil {
						err = s.Try(t.Context())
					}
					if err == nil || strings.TrimSpace(err.Error()) == "" {
						t.Errorf("it was not told: %v", err)
					}
				})
				if holds, err := kinds[kind](id).Holds(t.Context()); holds || err != nil {
					t.Errorf("when the engine allows it again, it holds records: %v, %v", holds, err)
				}
				if err := kinds[kind](id).Try(t.Context()); err != nil {
					t.Errorf("when the engine allows it again: %v", err)
				}
			})
		}
	}
}

func TestWhatIsHeldIsSeenAtTheNextStartAndClearedWhole(t *testing.T) {
	each(t, func(t *testing.T, open func() records) {
		if err := open().Try(t.Context()); err != nil {
			t.Fatal(err)
		}
		if holds, err := open().Holds(t.Context()); holds || err != nil {
			t.Errorf("a trial is taken for records: %v, %v", holds, err)
		}
		appends(t, open(), "runs/1/j", "x")
		if holds, err := open().Holds(t.Context()); !holds || err != nil {
			t.Errorf("it holds records: %v, %v", holds, err)
		}
		if err := open().Clear(t.Context()); err != nil {
			t.Fatal(err)
		}
		if holds, err := open().Holds(t.Context()); holds || err != nil {
			t.Errorf("cleared, it holds records: %v, %v", holds, err)
		}
	})
}

func TestTheStoresDoWhatAStoreInMemoryDoes(t *testing.T) {
	each(t, func(t *testing.T, open func() records) {
		for seed := range uint64(6) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				s, model := open(), hosttest.New(hosttest.Options{}).Host().Store
				r := mathrand.New(mathrand.NewPCG(seed, 1))
				top := fmt.Sprintf("runs/%d", seed)
				for range 150 {
					if r.IntN(12) == 0 {
						s = open() // as after a start
					}
					step(t, r, top, s, model)
				}
				same(t, top, s, model)
			})
		}
	})
}

// step does one thing in both stores.
func step(t *testing.T, r *mathrand.Rand, top string, stores ...host.Store) {
	t.Helper()
	folder := top + "/" + string(rune('a'+r.IntN(3)))
	path := folder + "/" + string(rune('a'+r.IntN(8)))
	data := make([]byte, r.IntN(3)*r.IntN(300))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	op := r.IntN(10)
	for _, s := range stores {
		var err error
		switch {
		case op < 6:
			err = s.Append(t.Context(), path, data)
		case op < 8:
			err = s.Write(t.Context(), path, data)
		case op < 9:
			err = s.Remove(t.Context(), path)
		default:
			err = s.Remove(t.Context(), folder)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// same compares all that is below a folder.
func same(t *testing.T, folder string, s, model host.Store) {
	t.Helper()
	got, err := s.List(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	want, err := model.List(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	// A folder that is empty is there in some stores and not in others.
	got = slices.DeleteFunc(got, func(i host.Info) bool { return i.Kind == host.Folder && empty(t, s, i.Path) })
	for i := range got {
		got[i].MTime = 0
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%s lists %+v, want %+v", folder, got, want)
	}
	for _, i := range want {
		if i.Kind == host.Folder {
			same(t, i.Path, s, model)
			continue
		}
		data, err := model.Read(t.Context(), i.Path)
		if err != nil {
			t.Fatal(err)
		}
		wants(t, s, i.Path, string(data))
	}
}

func empty(t *testing.T, s host.Store, folder string) bool {
	list, err := s.List(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	return len(list) == 0
}
