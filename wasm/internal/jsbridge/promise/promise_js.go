//go:build js && wasm

package promise

import (
	"errors"
	"syscall/js"

	"github.com/hack-pad/safejs"
)

// settled holds the value or the failure of a promise that has ended.
type settled struct {
	value safejs.Value
	err   error
}

// Begun is a promise that somebody will wait for. Its failure counts as seen from
// the beginning, however late that is.
type Begun struct {
	done     chan settled
	kept     safejs.Func
	broken   safejs.Func
	rejected error // the promise could not be asked at all
}

// Begin takes a promise in hand. Wait must follow, once.
func Begin(promise safejs.Value, err error) *Begun {
	b := &Begun{done: make(chan settled, 1), rejected: err}
	if err != nil {
		return b
	}
	settle := func(failed bool) (safejs.Func, error) {
		return safejs.FuncOf(func(_ safejs.Value, args []safejs.Value) any {
			var s settled
			if len(args) > 0 {
				s.value = args[0]
			}
			if failed {
				s.err = js.Error{Value: safejs.Unsafe(s.value)}
			}
			b.done <- s
			return nil
		})
	}
	if b.kept, b.rejected = settle(false); b.rejected != nil {
		return b
	}
	if b.broken, b.rejected = settle(true); b.rejected != nil {
		b.kept.Release()
		return b
	}
	if _, b.rejected = promise.Call("then", b.kept, b.broken); b.rejected != nil {
		b.kept.Release()
		b.broken.Release()
	}
	return b
}

// Wait gives what the promise was kept with. It must not be called where the
// event loop waits for the caller.
func (b *Begun) Wait() (safejs.Value, error) {
	if b.rejected != nil {
		return safejs.Undefined(), b.rejected
	}
	s := <-b.done
	b.kept.Release()
	b.broken.Release()
	return s.value, s.err
}

// Call calls a method that gives a promise, and waits for it.
func Call(v safejs.Value, method string, args ...any) (safejs.Value, error) {
	return Begin(v.Call(method, args...)).Wait()
}

// Name gives the name of what JavaScript has thrown, such as "NotFoundError"; ""
// for another error.
func Name(err error) string {
	var thrown js.Error
	if !errors.As(err, &thrown) || thrown.Type() != js.TypeObject {
		return ""
	}
	name, err := safejs.Safe(thrown.Get("name")).String()
	if err != nil {
		return ""
	}
	return name
}
