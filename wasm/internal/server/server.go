// Package server is the core as the app's side sees it. It implements every method
// of protocol.ServerMethods, and is the only place that wires packages
// together.
//
// One instruction is a turn; a turn that ends in a plan opens a review; an
// approved review becomes a run. There is at most one of each at a time. The
// state that the panel draws is told by events; State gives all of it at once.
package server

import (
	"context"
	"encoding/json"
	"time"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/ask"
	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/chat"
	"embedded-agent/wasm/internal/community"
	"embedded-agent/wasm/internal/conversation"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/index"
	"embedded-agent/wasm/internal/lease"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/network"
	"embedded-agent/wasm/internal/notrun"
	"embedded-agent/wasm/internal/offer"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/pins"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/saved"
	"embedded-agent/wasm/internal/seal"
	"embedded-agent/wasm/internal/storesize"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
	"embedded-agent/wasm/internal/transaction"
	"embedded-agent/wasm/internal/underway"
	"embedded-agent/wasm/internal/undo"
	"embedded-agent/wasm/internal/usage"
	"embedded-agent/wasm/internal/web"
)

// Deps are the parts that the core is made with.
type Deps struct {
	Host      host.Host
	Transport web.Transport
	// Emit tells the app's side; it must not block.
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

// Server is the core: what it was given, the rooms, and the handlers of methods.
type Server struct {
	deps     Deps
	host     host.Host
	seals    *seal.Store // the host's store, with the device's key
	markers  *audit.MarkerKey
	registry *tool.Registry
	plugins  *community.Searcher
	library  *action.Library
	rooms
	handlers map[string]handler
	life     context.Context // ends with Close
	end      context.CancelFunc
}

// rooms are the rooms of the core, from the top down (docs/adr/0027).
type rooms struct {
	chat      *chat.Chat
	undo      *undo.Undo
	tx        *transaction.Transactions
	saved     *saved.Saved
	runs      *underway.Runs
	history   *history.History
	guard     *guard.Guard
	questions *ask.Questions
	usage     *usage.Usage
	pins      *pins.Book
	notRun    *notrun.Shelf
	out       *outbox.Outbox
}

// New builds the core. It asks the host nothing yet.
func New(d Deps) (*Server, error) {
	if d.Now == nil {
		d.Now = time.Now
	}
	sizes := storesize.Over(d.Host.Store)
	sealed := seal.Over(sizes, d.Host.Device)
	d.Host.Store = sealed
	s := &Server{deps: d, host: indexed(d.Host), seals: sealed, markers: audit.NewMarkerKey(sealed), library: action.NewLibrary(d.Host.Store)}
	s.life, s.end = context.WithCancel(context.Background())
	s.out = outbox.New(s.life, d.Emit, d.Now)
	tools := append(builtin.All(), modelstep.Tool(), agent.ReadTool(), offer.DescribeTool(func() *tool.Registry { return s.registry }))
	reg, err := tool.NewRegistry(append(tools, d.Tools...)...)
	if err != nil {
		return nil, err
	}
	s.registry = reg
	s.questions = ask.New(s.out)
	s.usage = usage.New(usage.Deps{Store: d.Host.Store, Device: s.writerName, Out: s.out, Now: d.Now, Life: s.life})
	s.guard = guard.New(guard.Deps{
		Host: s.host, Registry: reg, Transport: d.Transport, HasSecret: d.HasSecret, Keys: d.Keys,
		Out: s.out, Questions: s.questions, Now: d.Now,
	})
	conversations := conversation.NewLibrary(d.Host.Store, s.out.Redact, func() string { return timestamp.Milli(s.now()) }, s.writerName)
	s.history = history.New(history.Deps{
		Store: d.Host.Store, Sizes: sizes, Registry: reg, Guard: s.guard, Out: s.out, Now: d.Now, Device: s.deviceName,
		Writer: s.writerName, Stands: s.stands,
		Turns:   conversations.Traced,
		Needed:  func(ctx context.Context) ([]string, error) { return s.undo.Needed(ctx) },
		Live:    func(run string) *history.Tracing { return s.tx.LiveTrace(run) },
		Dropped: func(run string) { s.tx.ForgetLast(run) },
	})
	s.pins = pins.NewBook(d.Host.Store, s.deviceName, s.out)
	s.plugins = &community.Searcher{
		List: &community.Directory{Store: d.Host.Store, Now: d.Now, Fetch: func(ctx context.Context) ([]byte, error) {
			return network.PluginList(ctx, d.Transport)
		}},
		Installed: d.Host.Plugins,
	}
	s.runs = underway.New(underway.Deps{
		Host: s.host, Now: d.Now, Life: s.life, KeepKey: s.markers.Keep, Elsewhere: s.history.Elsewhere,
		LookAgain: func(ctx context.Context) { s.undo.LookAgain(ctx) },
	})
	s.notRun = notrun.New(d.Host.Store, s.out.Redact)
	s.tx = transaction.New(transaction.Deps{
		Host: s.host, Registry: reg, Guard: s.guard, History: s.history, Runs: s.runs, Pins: s.pins, Plugins: s.plugins,
		NotRun: s.notRun,
		Out:    s.out, Now: d.Now, Life: s.life,
		LookAgain: func(ctx context.Context) { s.undo.LookAgain(ctx) },
		Talk: transaction.Talk{
			AskModel: func(ctx context.Context, sim *transaction.Simulation, env *tool.Env, args tool.Args) (tool.Data, error) {
				return s.chat.AskModel(ctx, sim, env, args)
			},
			AllowStep: func(ctx context.Context, sim *transaction.Simulation, c *tool.Call) (bool, error) {
				return s.chat.AllowStep(ctx, sim, c)
			},
			PlayBack: func(ctx context.Context, goal string, bundles []json.RawMessage) (*plan.Plan, error) {
				return chat.PlayBack(ctx, reg, goal, bundles)
			},
			ConfirmKey: func(ctx context.Context) error { return s.chat.Models.ConfirmKey(ctx) },
			Settled:    func(run string, approved bool) { s.chat.Conversations.Settle(run, approved) },
		},
	})
	s.undo = undo.New(undo.Deps{
		Host: s.host, Registry: reg, Guard: s.guard, History: s.history, Runs: s.runs, Transactions: s.tx, Out: s.out, Now: d.Now, Tell: s.tellState,
	})
	s.saved = saved.New(saved.Deps{
		Store: d.Host.Store, Library: s.library, Registry: reg, Guard: s.guard, History: s.history, Questions: s.questions,
		Out: s.out, Now: d.Now, Plan: s.tx.PlanAtHand,
		Calls: func(run string) ([]saved.Call, bool) { return s.chat.CallsAtHand(run) },
	})
	s.chat = chat.New(chat.Deps{
		Host: s.host, Model: chat.ModelAccess{Transport: d.Transport, Provider: d.Provider, Images: d.Images}, Registry: reg, Library: s.library,
		Conversations: conversations, Guard: s.guard, History: s.history, Pins: s.pins, Saved: s.saved, Transactions: s.tx,
		Usage: s.usage, Out: s.out, Now: d.Now, Life: s.life,
	})
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

// state gives all that a panel needs.
func (s *Server) state(ctx context.Context) (protocol.State, error) {
	list, err := s.library.List(ctx)
	if err != nil {
		return protocol.State{}, err
	}
	st := protocol.State{Actions: s.saved.Views(list)}
	c := s.guard.Settings()
	st.Demo, st.Ready = chat.Demo(&c), s.chat.Models.Ready(&c)
	st.Questions = s.questions.Open()
	st.Turn = s.chat.TurnView()
	s.tx.ShowState(&st)
	st.NotRun, err = s.notRun.List(ctx)
	return st, err
}

// deviceName names this device in the names of files that it alone writes.
func (s *Server) deviceName(ctx context.Context) (string, error) {
	return host.DeviceName(ctx, s.host.Owners)
}

// writerName names this device, or this window of it, in the names of files that
// grow.
func (s *Server) writerName(ctx context.Context) (string, error) {
	return host.WriterName(ctx, s.host.Owners, s.host.Store)
}

// stands is history.Deps's.
func (s *Server) stands(ctx context.Context, run string) (protocol.RunOutcome, error) {
	state, err := s.runs.Held(ctx, run)
	ours := s.runs.Lease(run) != nil
	switch {
	case err != nil || state == lease.Free && !ours:
		return protocol.OutcomeUnfinished, err
	case ours && len(s.questions.Open()) > 0:
		return protocol.OutcomeWaiting, nil
	}
	return protocol.OutcomeUnderway, nil
}

// tellState tells the panel how all stands.
func (s *Server) tellState(ctx context.Context) {
	if st, err := s.state(ctx); err == nil {
		s.out.Tell(protocol.Event{Type: protocol.EventState, State: &st})
	}
}

// OpenPlan opens the review of a plan that is at hand, such as a file.
func (s *Server) OpenPlan(ctx context.Context, raw []byte, values map[string]any, dryRun bool) (*protocol.Review, error) {
	return s.tx.OpenPlan(ctx, raw, values, dryRun)
}

// OpenBundle replays what run.export gives, or a bundle.json, in this vault.
func (s *Server) OpenBundle(ctx context.Context, raw []byte) (*protocol.Review, error) {
	return s.tx.OpenBundle(ctx, raw)
}
