// Package server is the core as the shell sees it: it implements every method
// of protocol.ServerMethods, and is the only place that wires packages
// together.
//
// One instruction is a turn; a turn that ends in a plan opens a review; an
// approved review becomes a run. There is at most one of each at a time. The
// state that the panel draws is told by events; State gives all of it at once.
package server

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/ask"
	"embedded-agent/wasm/internal/conversation"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/index"
	"embedded-agent/wasm/internal/lease"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/pins"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/saved"
	"embedded-agent/wasm/internal/seal"
	"embedded-agent/wasm/internal/storesize"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
	"embedded-agent/wasm/internal/usage"
)

// Version is the executor's, as envelopes carry it.
const Version = "0.1.0"

// Deps is what the core is given.
type Deps struct {
	Host      host.Host
	Transport llm.Transport
	// Emit tells the shell; it must not block.
	Emit func(protocol.Event)
	// Provider, where set, is used instead of one made from the settings: the
	// scripted model of tests.
	Provider llm.Provider
	// Tools come beside the built-in ones.
	Tools []tool.Tool
	// HasSecret says whether the host's secret store has a value for a name; nil
	// where there is no such store. The values never come here.
	HasSecret func(ctx context.Context, name string) (bool, error)
	// Keys says where each of the secrets may go from this device; nil where the
	// host does not tie them to hosts.
	Keys guard.Keys
	// Images makes images fit for a model; nil sends only those that fit as they
	// are.
	Images agent.ImageFitter
	// Now is the clock; nil is the real one.
	Now func() time.Time
}

// Server is the core.
type Server struct {
	deps      Deps
	host      host.Host
	sizes     *storesize.Store // what the host's store lies under
	seals     *seal.Store      // the host's store, with the device's key
	registry  *tool.Registry
	library   *action.Library
	endpoints *endpoints
	pins      *pins.Book
	usage     *usage.Usage
	plugins   *plugins
	guard     *guard.Guard
	history   *history.History
	saved     *saved.Saved
	handlers  map[string]handler
	out       *outbox.Outbox
	life      context.Context // ends with Close
	end       context.CancelFunc

	// taking is held while a run is taken back or recovered.
	taking sync.Mutex

	mu sync.Mutex
	// results are those that tools let be reused; overlays numbers the overlays.
	results       *agent.Cache
	overlays      atomic.Uint64
	conversations *conversation.Library
	marker        []byte // the key of redaction markers
	// markerKept: the key is in the store.
	markerKept bool
	turn       *turn
	review     *session
	run        *execution
	lastRun    *protocol.RunSummary
	recover    []protocol.RunSummary
	leases     map[string]*lease.Keeper // of the runs that are carried out here
	seen       map[string]sighting      // the leases of others, by run
	watching   bool
	questions  *ask.Questions
	talk       *talk
}

// New builds the core. It asks the host nothing yet.
func New(d Deps) (*Server, error) {
	if d.Now == nil {
		d.Now = time.Now
	}
	sizes := storesize.Over(d.Host.Store)
	sealed := seal.Over(sizes, d.Host.Device)
	d.Host.Store = sealed
	s := &Server{
		deps: d, host: indexed(d.Host), sizes: sizes, seals: sealed, library: action.NewLibrary(d.Host.Store),

		leases: map[string]*lease.Keeper{}, seen: map[string]sighting{},
	}
	s.life, s.end = context.WithCancel(context.Background())
	s.out = outbox.New(s.life, d.Emit, d.Now)
	tools := append(builtin.All(), agent.StepTool(s.startStep), agent.ReadTool())
	reg, err := tool.NewRegistry(append(tools, d.Tools...)...)
	if err != nil {
		return nil, err
	}
	s.registry = reg
	s.questions = ask.New(s.out)
	s.usage = usage.New(usage.Deps{Store: d.Host.Store, Device: s.deviceName, Out: s.out, Now: d.Now, Life: s.life})
	s.guard = guard.New(guard.Deps{
		Host: s.host, Registry: reg, Transport: d.Transport, HasSecret: d.HasSecret, Keys: d.Keys,
		Out: s.out, Questions: s.questions, Usage: s.usage, Now: d.Now,
	})
	s.results = agent.NewCache(0, s.secretScope)
	s.conversations = conversation.NewLibrary(d.Host.Store, s.out.Redact, func() string { return pipeline.Stamp(s.now()) }, s.deviceName)
	s.history = history.New(history.Deps{
		Store: d.Host.Store, Sizes: sizes, Registry: reg, Conversations: s.conversations, Guard: s.guard, Out: s.out,
		Now: d.Now, Version: Version, Needed: s.needed, Live: s.liveTrace, Dropped: s.forgetLast,
	})
	s.saved = saved.New(saved.Deps{
		Store: d.Host.Store, Library: s.library, Registry: reg, Guard: s.guard, History: s.history, Questions: s.questions,
		Out: s.out, Now: d.Now, Plan: s.planAtHand, Calls: s.callsAtHand,
	})
	s.endpoints = &endpoints{store: d.Host.Store}
	s.pins = pins.NewBook(d.Host.Store, s.deviceName, s.out)
	s.plugins = newPlugins(d, d.Host.Store)
	s.handlers = s.table()
	if err := s.configure(protocol.Settings{}); err != nil {
		return nil, err
	}
	return s, nil
}

// indexed lays the index over a host's vault: every reader of it profits.
func indexed(h host.Host) host.Host {
	h.Vault = index.Over(h)
	return h
}

// Close ends everything that is under way.
func (s *Server) Close() { s.end() }

// Registry gives the tools, for commands and benchmarks.
func (s *Server) Registry() *tool.Registry { return s.registry }

func (s *Server) now() time.Time { return s.deps.Now() }

// state gives all that a panel needs. The lock must not be held.
func (s *Server) state(ctx context.Context) (protocol.State, error) {
	list, err := s.library.List(ctx)
	if err != nil {
		return protocol.State{}, err
	}
	st := protocol.State{Actions: s.saved.Views(list)}
	c := s.guard.Settings()
	s.mu.Lock()
	defer s.mu.Unlock()
	st.Demo, st.Ready = demo(&c), s.ready(&c)
	st.LastRun = s.lastRun
	st.Recoveries = append([]protocol.RunSummary{}, s.recover...)
	st.Questions = s.questions.Open()
	if s.turn != nil {
		t := s.turn.view()
		st.Turn = &t
	}
	if s.review != nil {
		st.Review = s.review.view
	}
	if s.run != nil {
		rs := s.run.state()
		st.Run = &rs
	}
	return st, nil
}
