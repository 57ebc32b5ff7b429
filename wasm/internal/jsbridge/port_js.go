//go:build js && wasm

package jsbridge

import (
	"context"
	"fmt"

	"github.com/hack-pad/safejs"
	"github.com/norunners/vert"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/devicestore"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/jsbridge/browserstore"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/web"
)

// Core has the parts that a server is built with.
type Core struct {
	Host host.Host
	HTTP web.Transport
	// Secret says whether the host's secret store has a value for a name.
	Secret SecretFunc
	// Keys says where each secret may go.
	Keys Keys
	Emit func(protocol.Event)
	// Images makes images fit for a model.
	Images agent.ImageFitter
}

// Main builds the server and serves the messages of the app's side for ever. The app's side
// (bridge/core.ts) gives the object "bridge" in the core's global scope:
//
//	blob(bytes) → index   adds bytes to the batch under way
//	send(envelope)        adds a message to it
//	ready()               the core listens
//	receive(m, b)         set here; takes a batch of the app's side
//
// What cannot be sent or read is a defect of the two sides, and ends the core:
// the app's side sees that and starts another.
func Main(build func(Core) Server) {
	bridge := must(safejs.Global().Get("bridge"))
	conn := NewConn(&port{bridge, must(safejs.Global().Get("Uint8Array"))})
	transport := NewHTTP(conn)
	h := NewHost(conn)
	h.Store = devicestore.New(h.Store, owners{conn}.place, func(id string) []devicestore.Kind {
		return []devicestore.Kind{browserstore.NewOPFS(id), browserstore.NewIDB(id)}
	})
	conn.Serve(build(Core{
		Host: h, HTTP: transport, Secret: secrets(conn), Keys: Keys{conn}, Emit: conn.Emit, Images: images{},
	}))
	receive := must(safejs.FuncOf(func(_ safejs.Value, args []safejs.Value) any {
		messages, blobs, err := readBatch(args)
		if err != nil {
			panic(err)
		}
		conn.Receive(messages, blobs)
		return nil
	}))
	check(bridge.Set("receive", receive))
	must(bridge.Call("ready"))
	select {}
}

// port sends to the app's side of the boundary, which collects a batch.
type port struct {
	bridge safejs.Value
	bytes  safejs.Value
}

func (p *port) Blob(data []byte) int {
	array := must(p.bytes.New(len(data)))
	must(safejs.CopyBytesToJS(array, data))
	return must(must(p.bridge.Call("blob", array)).Int())
}

func (p *port) Send(e protocol.Envelope) {
	must(p.bridge.Call("send", safejs.Safe(vert.ValueOf(e).JSValue())))
}

// place gives devicestore the device and the window, which the app's side knows.
func (o owners) place(ctx context.Context) (devicestore.Place, error) {
	r, _, err := ask[protocol.Owner](ctx, o.c, "owner.self", noParams)
	return devicestore.Place{ID: r.Device, Kept: r.Kept, Owns: r.Owns, Persisted: r.Persisted}, err
}

func readBatch(args []safejs.Value) ([]protocol.Envelope, [][]byte, error) {
	if len(args) != 2 {
		return nil, nil, fmt.Errorf("jsbridge: receive takes messages and blobs, not %d arguments", len(args))
	}
	var messages []protocol.Envelope
	if err := (vert.Value{Value: safejs.Unsafe(args[0])}).AssignTo(&messages); err != nil {
		return nil, nil, fmt.Errorf("jsbridge: messages: %w", err)
	}
	n, err := args[1].Length()
	if err != nil || n == 0 {
		return messages, nil, err
	}
	blobs := make([][]byte, n)
	for i := range blobs {
		if blobs[i], err = readBytes(args[1], i); err != nil {
			return nil, nil, fmt.Errorf("jsbridge: blob %d: %w", i, err)
		}
	}
	return messages, blobs, nil
}

func readBytes(list safejs.Value, i int) ([]byte, error) {
	array, err := list.Index(i)
	if err != nil {
		return nil, err
	}
	return bytesOf(array)
}

// bytesOf copies a Uint8Array.
func bytesOf(array safejs.Value) ([]byte, error) {
	n, err := array.Length()
	if err != nil {
		return nil, err
	}
	data := make([]byte, n)
	_, err = safejs.CopyBytesToGo(data, array)
	return data, err
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
