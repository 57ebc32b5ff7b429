//go:build js && wasm && browser

package browserstore_test

import (
	"context"
	"crypto/rand"
	"testing"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/jsbridge/browserstore"
)

// records is the interface of both stores.
type records interface {
	host.Store
	host.Flusher
	Holds(ctx context.Context) (bool, error)
	Clear(ctx context.Context) error
	Try(ctx context.Context) error
}

// kinds makes a store of each kind, of a vault that nobody has seen.
var kinds = map[host.StoreKind]func(id string) records{
	host.StoreOPFS: func(id string) records { return browserstore.NewOPFS(id) },
	host.StoreIDB:  func(id string) records { return browserstore.NewIDB(id) },
}

// each runs a test over both kinds.
func each(t *testing.T, test func(t *testing.T, open func() records)) {
	for kind, open := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			id := rand.Text()
			t.Cleanup(func() {
				if err := open(id).Clear(context.WithoutCancel(t.Context())); err != nil {
					t.Error(err)
				}
			})
			test(t, func() records { return open(id) })
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
