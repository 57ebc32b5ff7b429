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

	"github.com/google/uuid"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/conversation"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/index"
	"embedded-agent/wasm/internal/lease"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/seal"
	"embedded-agent/wasm/internal/storesize"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
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
	Keys Keys
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
	ledger    *ledger
	plugins   *plugins
	fetched   fetched
	handlers  map[string]handler
	out       *outbox
	life      context.Context // ends with Close
	end       context.CancelFunc

	// taking is held while a run is taken back or recovered.
	taking sync.Mutex

	mu       sync.Mutex
	settings protocol.Settings
	prices   llm.PriceTable
	base     *policy.Policy // as the settings have it
	policy   *policy.Policy // as it is in force
	rails    rails
	// results are those that tools let be reused; overlays numbers the overlays.
	results       *agent.Cache
	overlays      atomic.Uint64
	conversations *conversation.Library
	redactor      *audit.Redactor
	marker        []byte // the key of redaction markers
	// markerKept: the key is in the store.
	markerKept bool
	offset     *time.Location
	turn       *turn
	review     *session
	run        *execution
	lastRun    *protocol.RunSummary
	recover    []protocol.RunSummary
	leases     map[string]*lease.Keeper // of the runs that are carried out here
	seen       map[string]sighting      // the leases of others, by run
	watching   bool
	questions  map[string]*question
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
		questions: map[string]*question{}, offset: time.UTC,
		leases: map[string]*lease.Keeper{}, seen: map[string]sighting{},
	}
	tools := append(builtin.All(), agent.StepTool(), agent.ReadTool())
	reg, err := tool.NewRegistry(append(tools, d.Tools...)...)
	if err != nil {
		return nil, err
	}
	s.registry = reg
	s.results = agent.NewCache(0, s.secretScope)
	s.conversations = conversation.NewLibrary(d.Host.Store, s.redact, func() string { return pipeline.Stamp(s.now()) }, s.deviceName)
	s.life, s.end = context.WithCancel(context.Background())
	s.out = newOutbox(s.life, d.Emit, d.Now)
	s.endpoints = &endpoints{store: d.Host.Store}
	s.plugins = newPlugins(d, d.Host.Store)
	s.ledger = &ledger{store: d.Host.Store, device: s.deviceName, failed: s.ledgerFailed}
	s.prices = llm.DefaultPrices()
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

// newID gives an id that sorts by time (UUIDv7).
func newID() string {
	id, err := uuid.NewV7()
	if err != nil {
		id = uuid.New()
	}
	return id.String()
}

// problem gives an error as the panel shows it.
func (s *Server) problem(err error) *protocol.Problem {
	if err == nil {
		return nil
	}
	return s.problemOf(fault.From(err))
}

func (s *Server) problemOf(e *fault.Error) *protocol.Problem {
	if e == nil {
		return nil
	}
	p := &protocol.Problem{
		Code: string(e.Code), Key: e.Key, Detail: s.redact(e.Detail),
		Retryable: e.Retryable, RetryAfterS: e.RetryAfterS,
	}
	if len(e.Params) > 0 {
		p.Params = make(map[string]string, len(e.Params))
		for k, v := range e.Params {
			p.Params[k] = s.redact(v)
		}
	}
	return p
}

func (s *Server) redact(text string) string {
	s.mu.Lock()
	r := s.redactor
	s.mu.Unlock()
	if r == nil || text == "" {
		return text
	}
	return r.Text(text)
}

// state gives all that a panel needs. The lock must not be held.
func (s *Server) state(ctx context.Context) (protocol.State, error) {
	list, err := s.library.List(ctx)
	if err != nil {
		return protocol.State{}, err
	}
	st := protocol.State{Actions: s.actionViews(list)}
	s.mu.Lock()
	defer s.mu.Unlock()
	st.Demo = s.demo()
	st.Ready = s.ready()
	st.LastRun = s.lastRun
	st.Recoveries = append([]protocol.RunSummary{}, s.recover...)
	st.Questions = []protocol.Question{}
	for _, q := range s.questions {
		st.Questions = append(st.Questions, q.Question)
	}
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
