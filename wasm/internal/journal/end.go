package journal

import (
	"bytes"
	"context"
	"encoding/json"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// End is the content of end.json.
type End struct {
	Outcome string            `json:"outcome"`
	At      string            `json:"at"`
	Done    int               `json:"done"`
	Failed  int               `json:"failed"`
	Heads   map[string]string `json:"heads,omitempty"` // file -> last link of its chain
	Counts  map[string]int    `json:"counts,omitempty"`
	// Torn is how many bytes at a file's end a crash has left of a record; they
	// are not part of its chain.
	Torn map[string]int `json:"torn,omitempty"`
	// Summary is the run's line for the history, as JSON.
	Summary json.RawMessage `json:"summary,omitempty"`
	// By names the run that settled this one after a crash.
	By string `json:"by,omitempty"`
	// Seal is the SHA-256 of this record without it.
	Seal string `json:"seal"`
}

// encode gives the record's bytes, sealed.
func (e End) encode() ([]byte, error) {
	e.Seal = ""
	b, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	e.Seal = host.Etag(b)
	b, err = json.Marshal(e)
	return append(b, '\n'), err
}

// WriteEnd ends a run: its journal is no longer hot.
func WriteEnd(ctx context.Context, store host.Store, dir string, end End) error {
	b, err := end.encode()
	if err != nil {
		return err
	}
	if err := store.Write(ctx, dir+"/"+EndFile, b); err != nil {
		return storeError(err)
	}
	return nil
}

// ReadEnd reads a run's end record; nil when it is missing or torn.
func ReadEnd(ctx context.Context, store host.Store, dir string) (*End, error) {
	b, err := store.Read(ctx, dir+"/"+EndFile)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var e End
	if json.Unmarshal(b, &e) != nil {
		return nil, nil // torn: the run had not ended
	}
	return &e, nil
}

// CheckEnd holds a run's end record against its seal: CONFLICT when a byte of
// it was changed.
func CheckEnd(ctx context.Context, store host.Store, dir string) error {
	end, err := ReadEnd(ctx, store, dir)
	if err != nil {
		return err
	}
	data, err := store.Read(ctx, dir+"/"+EndFile)
	if err != nil {
		return err
	}
	if end == nil {
		return corrupt(dir)
	}
	if b, err := end.encode(); err != nil || !bytes.Equal(b, data) {
		return corrupt(dir)
	}
	return nil
}
