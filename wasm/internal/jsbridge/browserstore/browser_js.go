//go:build js && wasm

package browserstore

import (
	"context"
	"errors"
	"strings"

	"github.com/hack-pad/safejs"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/jsbridge/promise"
)

// top is the folder, and the beginning of the names of databases, that are the
// plugin's own: other plugins share the app's origin.
const top = "embedded-agent"

// errNone says that the engine has no such thing.
var errNone = errors.New("the engine has none")

// browser gives what one of the functions of "records" gives.
func browser(name string) (safejs.Value, error) {
	records, err := safejs.Global().Get("records")
	if err != nil || records.IsUndefined() {
		return records, errors.Join(err, errNone)
	}
	v, err := records.Call(name)
	if err == nil && (v.IsUndefined() || v.IsNull()) {
		err = errNone
	}
	return v, err
}

// has says whether an object has a method.
func has(v safejs.Value, method string) bool {
	f, err := v.Get(method)
	return err == nil && f.Type() == safejs.TypeFunction
}

// allowed refuses what nobody waits for any more, and a path that leads out of the
// store.
func allowed(ctx context.Context, path string) error {
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return fault.New(fault.Validation, "error.path.outside", fault.P{"path": path})
		}
	}
	return nil
}

// failed makes what JavaScript has thrown the error of a path.
func failed(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case promise.Name(err) == "NotFoundError" || promise.Name(err) == "TypeMismatchError":
		return host.NotFound(path)
	}
	var f *fault.Error
	if errors.As(err, &f) {
		return f
	}
	return fault.Store(err)
}

// array copies bytes to a Uint8Array.
func array(data []byte) (safejs.Value, error) {
	v, err := construct("Uint8Array", len(data))
	if err == nil {
		_, err = safejs.CopyBytesToJS(v, data)
	}
	return v, err
}

// bytesOf copies a Uint8Array.
func bytesOf(v safejs.Value) ([]byte, error) {
	n, err := v.Length()
	if err != nil {
		return nil, err
	}
	data := make([]byte, n)
	_, err = safejs.CopyBytesToGo(data, v)
	return data, err
}

func construct(class string, args ...any) (safejs.Value, error) {
	c, err := safejs.Global().Get(class)
	if err != nil {
		return c, err
	}
	return c.New(args...)
}

// number reads a property that is a whole number, also beyond 32 bits.
func number(v safejs.Value, name string) (int64, error) {
	p, err := v.Get(name)
	if err != nil {
		return 0, err
	}
	f, err := p.Float()
	return int64(f), err
}

func text(v safejs.Value, name string) (string, error) {
	p, err := v.Get(name)
	if err != nil {
		return "", err
	}
	return p.String()
}
