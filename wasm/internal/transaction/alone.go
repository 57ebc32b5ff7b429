package transaction

import "embedded-agent/wasm/internal/fault"

// Idle refuses to touch the vault while a run does.
func (t *Transactions) Idle() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.run != nil && !t.run.over() {
		return fault.New(fault.Precondition, "error.busy", nil)
	}
	return nil
}

// Alone keeps other ways to take back or recover from the vault until it is
// given back.
func (t *Transactions) Alone() (func(), error) {
	if err := t.Idle(); err != nil {
		return nil, err
	}
	if !t.taking.TryLock() {
		return nil, fault.New(fault.Precondition, "error.busy", nil)
	}
	return t.taking.Unlock, nil
}

// aloneNext is Alone for what a person has approved: it waits its turn. A review
// is shown before the request that opened it has given the vault back.
func (t *Transactions) aloneNext() (func(), error) {
	t.taking.Lock()
	if err := t.Idle(); err != nil {
		t.taking.Unlock()
		return nil, err
	}
	return t.taking.Unlock, nil
}
