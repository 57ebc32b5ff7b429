// Package notrun keeps plans that were shown for review and have not run: with
// what the person left out and edited, what they were still writing, and what
// models gave while the plan was simulated. A plan that cost money so outlives
// Cancel, the next message and a restart, and is reviewed again without a model.
//
//	notrun/RUN.json   one plan, by the id of the run that it would be
//
// They belong to this device: a run has one device, and so has its id. What is
// kept decides nothing: it is simulated and approved like any other plan.
package notrun

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"sync"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// Folder is where the plans are in the store.
const Folder = "notrun"

// Max is how many plans are kept; the oldest goes first.
const Max = 20

// Record is one plan with all that a review of it needs.
type Record struct {
	protocol.NotRun
	Plan        json.RawMessage      `json:"plan"`
	Instruction string               `json:"instruction,omitempty"`
	Action      string               `json:"action,omitempty"` // the saved action that it came from
	Link        bool                 `json:"link,omitempty"`
	Selection   *host.EditorState    `json:"selection,omitempty"` // that it works on
	DryRun      bool                 `json:"dryRun,omitempty"`
	Dropped     []string             `json:"dropped,omitempty"`
	Edits       map[string]Edit      `json:"edits,omitempty"` // by path
	Frozen      map[string]tool.Data `json:"frozen,omitempty"`
	Drafts      protocol.DraftTexts  `json:"drafts,omitzero"`
}

// Edit is a person's own text for a path, and the text that it stands for.
type Edit struct {
	Shown    string `json:"shown"`
	Text     string `json:"text"`
	Rejected []int  `json:"rejected,omitempty"` // hunks; nil where the text was typed
}

// Shelf is the plans that are kept. Its methods may be called from several
// goroutines.
type Shelf struct {
	store  host.Store
	redact func(string) string

	// mu guards kept, and is held while the store is asked, so that the file of a
	// plan is always that of its last state. Nothing else is locked under it.
	mu   sync.Mutex
	kept map[string]*Record // nil until the store was read
}

// New opens the shelf of a store. Where redact would change a plan, the plan is
// kept until the core ends and not on disk.
func New(store host.Store, redact func(string) string) *Shelf {
	return &Shelf{store: store, redact: redact}
}

// List gives what is kept, the newest last.
func (s *Shelf) List(ctx context.Context) ([]protocol.NotRun, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	out := []protocol.NotRun{}
	for _, id := range s.ids() {
		out = append(out, s.kept[id].NotRun)
	}
	return out, nil
}

// Get gives a plan; nil where it is not kept. Others must not change it.
func (s *Shelf) Get(ctx context.Context, run string) (*Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	return s.kept[run], nil
}

// Put keeps a plan as it is now; what was being written in it stays. It is at hand
// until the core ends also where the store did not take it, which is the error.
func (s *Shelf) Put(ctx context.Context, r *Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	failed := s.load(ctx)
	if s.kept == nil {
		s.kept = map[string]*Record{}
	}
	if before := s.kept[r.Run]; before != nil {
		r.Drafts = before.Drafts
	}
	s.kept[r.Run] = r
	if err := s.write(ctx, r); failed == nil {
		failed = err
	}
	for _, old := range s.ids()[:max(0, len(s.kept)-Max)] {
		if err := s.remove(ctx, old); failed == nil {
			failed = err
		}
	}
	return failed
}

// Draft keeps what a person is writing in a plan's review. A plan that is not kept
// has none.
func (s *Shelf) Draft(ctx context.Context, run string, drafts protocol.DraftTexts) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx); err != nil {
		return err
	}
	before := s.kept[run]
	if before == nil {
		return nil
	}
	r := *before
	r.Drafts = drafts
	s.kept[run] = &r
	return s.write(ctx, &r)
}

// Remove forgets a plan: it runs, or its changes are those of another.
func (s *Shelf) Remove(ctx context.Context, run string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx); err != nil {
		return err
	}
	if s.kept[run] == nil {
		return nil
	}
	return s.remove(ctx, run)
}

func (s *Shelf) remove(ctx context.Context, run string) error {
	delete(s.kept, run)
	return s.store.Remove(ctx, file(run))
}

func file(run string) string { return path.Join(Folder, run+".json") }

// write writes a plan where it may be on disk word for word.
func (s *Shelf) write(ctx context.Context, r *Record) error {
	if plan := string(r.Plan); s.redact(plan) != plan {
		return nil
	}
	kept := *r
	if frozen, err := json.Marshal(r.Frozen); err != nil || s.redact(string(frozen)) != string(frozen) {
		kept.Frozen = nil // the model is asked again
	}
	data, err := json.Marshal(&kept)
	if err != nil {
		return fault.From(err)
	}
	return s.store.Write(ctx, file(r.Run), data)
}

// load reads the store once. What a crash has cut off is no plan any more; neither
// is one whose run has begun.
func (s *Shelf) load(ctx context.Context) error {
	if s.kept != nil {
		return nil
	}
	list, err := s.store.List(ctx, Folder)
	if err != nil {
		return err
	}
	kept := map[string]*Record{}
	for _, info := range list {
		id := strings.TrimSuffix(path.Base(info.Path), ".json")
		if ids.CheckRun(id) != nil {
			continue
		}
		data, err := s.store.Read(ctx, info.Path)
		if err != nil {
			return err
		}
		var r Record
		if json.Unmarshal(data, &r) != nil || r.Run != id {
			continue
		}
		begun, err := s.store.List(ctx, path.Join("runs", id))
		if err != nil {
			return err
		}
		if len(begun) == 0 {
			kept[id] = &r
		}
	}
	s.kept = kept
	return nil
}

// ids lists the plans, the oldest first: ids are in the order of time.
func (s *Shelf) ids() []string {
	out := make([]string, 0, len(s.kept))
	for id := range s.kept {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}
