//go:build js && wasm && browser

package browserstore_test

import (
	"context"
	"crypto/rand"
	"syscall/js"
	"testing"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/jsbridge/browserstore"
)

// records is the interface of both stores.
type records interface {
	host.Store
	host.Flusher
	Kind() host.StoreKind
	Holds(ctx context.Context) (bool, error)
	Clear(ctx context.Context) error
	Try(ctx context.Context) error
}

// kinds makes a store of each kind, of a vault that nobody has seen.
var kinds = map[host.StoreKind]func(id string) records{
	host.StoreOPFS: func(id string) records { return browserstore.NewOPFS(id) },
	host.StoreIDB:  func(id string) records { return browserstore.NewIDB(id) },
}

// letGo closes all files, as when the worker of a core is ended.
func letGo() {
	js.Global().Call("eval", "for (const h of self.handles ??= []) h.close(); self.handles = []")
}

// each runs a test over both kinds.
func each(t *testing.T, test func(t *testing.T, open func() records)) {
	for kind, open := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			id := rand.Text()
			patch(t, "FileSystemFileHandle.prototype", "createSyncAccessHandle",
				`async value(...args) { const h = await real.apply(this, args); self.handles.push(h); return h; }`)
			t.Cleanup(func() {
				letGo()
				if err := open(id).Clear(context.WithoutCancel(t.Context())); err != nil {
					t.Error(err)
				}
			})
			test(t, func() records {
				letGo()
				return open(id)
			})
		})
	}
}

func TestTheStoresOfTheBrowserKeepTheContract(t *testing.T) {
	for kind, open := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			hosttest.Conform(t, func(t *testing.T) host.Host {
				h := hosttest.New(hosttest.Options{}).Host()
				h.Store = open(rand.Text())
				return h
			})
		})
	}
}
