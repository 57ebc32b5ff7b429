//go:build js && wasm

package browserstore

import (
	"errors"
	"syscall/js"

	"github.com/hack-pad/safejs"

	"embedded-agent/wasm/internal/jsbridge/promise"
)

// transact asks the database within one transaction, and waits until that has
// ended. work must not wait: the transaction would end under it.
func (s *IDB) transact(mode, durability string, work func(files, pieces safejs.Value) error) error {
	t, err := s.begin(mode, durability)
	if err != nil {
		return err
	}
	over := settle(t, "complete", "abort")
	err = inTables(t, work)
	if err != nil {
		_, _ = t.Call("abort") // what was asked of it already is not to be
	}
	return errors.Join(err, over.wait(t))
}

func inTables(t safejs.Value, work func(files, pieces safejs.Value) error) error {
	files, err := t.Call("objectStore", filesTable)
	if err != nil {
		return err
	}
	pieces, err := t.Call("objectStore", piecesTable)
	if err != nil {
		return err
	}
	return work(files, pieces)
}

// begin begins a transaction, on a connection that is opened anew where the one
// there was is lost, as after an app has slept.
func (s *IDB) begin(mode, durability string) (safejs.Value, error) {
	for again := false; ; again = true {
		db, err := s.connect()
		if err != nil {
			return safejs.Undefined(), err
		}
		options := map[string]any{}
		if durability != "" {
			options["durability"] = durability
		}
		t, err := db.Call("transaction", []any{filesTable, piecesTable}, mode, options)
		if promise.Name(err) != "InvalidStateError" || again {
			return t, err
		}
		s.disconnect()
	}
}

// connect opens the database, and makes its tables at the first time.
func (s *IDB) connect() (safejs.Value, error) {
	s.dbMu.Lock()
	defer s.dbMu.Unlock()
	if s.db != nil {
		return *s.db, nil
	}
	factory, err := browser("indexedDB")
	if err != nil {
		return factory, err
	}
	request, err := factory.Call("open", s.name(), 1)
	if err != nil {
		return request, err
	}
	upgrade, err := safejs.FuncOf(func(safejs.Value, []safejs.Value) any {
		if err := makeTables(request); err != nil {
			abort(request) // a database without its tables would be there for ever
		}
		return nil
	})
	if err != nil {
		return request, err
	}
	defer upgrade.Release()
	if _, err := request.Call("addEventListener", "upgradeneeded", upgrade); err != nil {
		return request, err
	}
	if err := settle(request, "success", "error").wait(request); err != nil {
		return request, err
	}
	db, err := request.Get("result")
	if err != nil {
		return db, err
	}
	s.db = &db
	return db, nil
}

func makeTables(opening safejs.Value) error {
	db, err := opening.Get("result")
	if err == nil {
		_, err = db.Call("createObjectStore", filesTable, map[string]any{"keyPath": "path"})
	}
	if err == nil {
		_, err = db.Call("createObjectStore", piecesTable)
	}
	return err
}

// abort ends the transaction of a request, which then fails.
func abort(request safejs.Value) {
	if t, err := request.Get("transaction"); err == nil {
		_, _ = t.Call("abort") // one that has ended has failed or not already
	}
}

func (s *IDB) disconnect() {
	s.dbMu.Lock()
	defer s.dbMu.Unlock()
	if s.db != nil {
		_, _ = s.db.Call("close")
		s.db = nil
	}
}

// settling is a request or a transaction whose end is waited for.
type settling struct {
	ended chan bool // whether well
	good  safejs.Func
	bad   safejs.Func
	err   error
}

// settle waits for one of two events. Only one of them ever comes: a function that
// was released must not be called.
func settle(v safejs.Value, good, bad string) *settling {
	s := &settling{ended: make(chan bool, 1)}
	tell := func(well bool) (safejs.Func, error) {
		return safejs.FuncOf(func(safejs.Value, []safejs.Value) any {
			s.ended <- well
			return nil
		})
	}
	if s.good, s.err = tell(true); s.err != nil {
		return s
	}
	if s.bad, s.err = tell(false); s.err != nil {
		s.good.Release()
		return s
	}
	if _, s.err = v.Call("addEventListener", good, s.good); s.err == nil {
		_, s.err = v.Call("addEventListener", bad, s.bad)
	}
	return s
}

// wait gives the error of a request or a transaction that did not end well.
func (s *settling) wait(v safejs.Value) error {
	if s.err != nil {
		return s.err
	}
	well := <-s.ended
	s.good.Release()
	s.bad.Release()
	if well {
		return nil
	}
	why, err := v.Get("error")
	if err == nil && why.Type() == safejs.TypeObject {
		return js.Error{Value: safejs.Unsafe(why)}
	}
	return errors.Join(err, errors.New("the database has refused"))
}
