package journal

import (
	"bytes"
	"context"
	"encoding/json"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/seal"
)

// End is the content of end.json.
type End struct {
	Outcome protocol.RunOutcome `json:"outcome"`
	At      string              `json:"at"`
	Done    int                 `json:"done"`
	Failed  int                 `json:"failed"`
	Heads   map[string]string   `json:"heads,omitempty"` // file -> last link of its chain
	Counts  map[string]int      `json:"counts,omitempty"`
	// Torn is how many bytes at a file's end a crash has left of a record; they
	// are not part of its chain.
	Torn map[string]int `json:"torn,omitempty"`
	// Summary is the run's line for the history, as JSON.
	Summary json.RawMessage `json:"summary,omitempty"`
	// By names the run that settled this one after a crash.
	By string `json:"by,omitempty"`
	// Seal is that of this record without it, by the key of the run; where there
	// is none, its SHA-256.
	Seal string `json:"seal"`

	sealed bool // as it was read back: by this device
}

// encode gives the record's bytes, sealed by a key, if there is one.
func (e End) encode(key *seal.Key) ([]byte, error) {
	e.Seal = ""
	b, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	if e.Seal = host.Etag(b); key != nil {
		e.Seal = key.Tag([]byte(EndFile), b)
	}
	b, err = json.Marshal(e)
	return append(b, '\n'), err
}

// WriteEnd ends a run: its journal is no longer hot.
func WriteEnd(ctx context.Context, store host.Store, dir string, end End) error {
	b, err := end.encode(seal.OfRun(store, dir))
	if err != nil {
		return err
	}
	if err := store.Write(ctx, dir+"/"+EndFile, b); err != nil {
		return storeError(err)
	}
	// The last of the undo records is on the disk before the run's marker goes.
	for _, name := range []string{File, EndFile} {
		if err := host.Flush(ctx, store, dir+"/"+name); err != nil {
			return storeError(err)
		}
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
	if key := seal.OfRun(store, dir); key != nil {
		whole, err := e.encode(key)
		e.sealed = err == nil && bytes.Equal(whole, b)
	}
	return &e, nil
}

// Ours says whether this device wrote the record, and nobody has changed it.
func (e *End) Ours() bool { return e != nil && e.sealed }

// AfterCrash says whether a crash had left the run, and what became of its writes was
// found out later.
func (e *End) AfterCrash() bool {
	_, first := e.Heads[SettledFile]
	_, second := e.Heads[SettledToo]
	return first || second
}

// CheckEnd holds a run's end record against its seal, or its hash where it has
// none: CONFLICT when a byte of it was changed.
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
	if end.sealed {
		return nil
	}
	if b, err := end.encode(nil); err != nil || !bytes.Equal(b, data) {
		return corrupt(dir)
	}
	return nil
}
