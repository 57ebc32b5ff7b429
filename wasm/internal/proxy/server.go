//go:build !js

package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"embedded-agent/wasm/internal/llm/sentinel"
	"embedded-agent/wasm/internal/timestamp"
)

// Limits bound what one request and all of them may cost. Sizes are in bytes.
type Limits struct {
	MaxBody       int64         // the request
	MaxTranscript int           // the text put to the backend
	MaxBlock      int           // one tool call
	MaxOutput     int           // one answer
	MaxConcurrent int           // requests at once
	TurnTimeout   time.Duration // one answer, from request to end
	MaxReading    int64         // of all requests that are being read, in bytes
	MaxWaiting    int           // connections without a whole request
	ReadTimeout   time.Duration // reading the request
	ReadGrace     time.Duration // how long a body may come slower than minRate
	WriteTimeout  time.Duration // what a client may make the writing of one answer wait, and more for a long one
	ShutdownGrace time.Duration // what open requests get to end by themselves
	StoreEntries  int           // responses kept for previous_response_id
	StoreBytes    int           // and their size
}

// DefaultLimits are the limits unless flags say otherwise.
func DefaultLimits() Limits {
	return Limits{
		MaxBody: 48 << 20, MaxTranscript: 16 << 20, MaxBlock: sentinel.DefaultMaxBlock, MaxOutput: 64 << 20, MaxConcurrent: 64,
		MaxReading: 256 << 20, MaxWaiting: 256, TurnTimeout: 15 * time.Minute, ReadTimeout: time.Minute, ReadGrace: 10 * time.Second, WriteTimeout: 30 * time.Second, ShutdownGrace: 10 * time.Second,
		StoreEntries: 1000, StoreBytes: 128 << 20,
	}
}

// Config is everything about a server but its backend.
type Config struct {
	Model   string   // the model asked for when a request names none, "" for the backend's own
	Force   bool     // Model is asked for whatever a request names
	Token   string   // what clients must send as a bearer token, "" for nothing
	Origins []string // web origins that may call
	Limits  Limits
	Log     io.Writer // one line of JSON per request
}

// DefaultOrigins are Obsidian on a desktop and on phones, and pages served by this machine.
func DefaultOrigins() []string {
	return []string{"app://obsidian.md", "capacitor://localhost", "http://localhost"}
}

// Server is the HTTP side of the proxy.
type Server struct {
	cfg     Config
	backend Backend
	store   *store
	slots   chan struct{}
	intake  intake
	lobby   *lobby
	active  atomic.Int64
	stop    context.CancelFunc
	base    context.Context
	log     *requestLog
}

// New makes a server in front of a backend. The server does not close it.
func New(cfg Config, backend Backend) *Server {
	s := &Server{
		cfg: cfg, backend: backend, store: newStore(cfg.Limits.StoreEntries, cfg.Limits.StoreBytes),
		slots: make(chan struct{}, cfg.Limits.MaxConcurrent), log: &requestLog{w: cfg.Log},
		intake: intake{max: cfg.Limits.MaxReading}, lobby: newLobby(cfg.Limits.MaxWaiting),
	}
	s.base, s.stop = context.WithCancel(context.Background())
	return s
}

// Handler answers the server's paths.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/responses", s.asked(decodeRequest))
	mux.HandleFunc("POST /v1/responses/input_tokens", s.inputTokens)
	mux.HandleFunc("GET /v1/responses/{id}", s.stored)
	mux.HandleFunc("DELETE /v1/responses/{id}", s.forget)
	mux.HandleFunc("GET /v1/responses/{id}/input_items", s.inputItems)
	mux.HandleFunc("POST /v1/chat/completions", s.asked(decodeChat))
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("GET /healthz", s.health)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		(&wireError{Status: http.StatusNotFound, Code: "not_found", Message: fmt.Sprintf("There is no %s %s here. The proxy serves POST /v1/responses and POST /v1/chat/completions.", r.Method, clip(r.URL.Path, 80))}).write(w)
	})
	return s.guard(mux)
}

// Serve answers on the listener until ctx ends, then lets open requests end for the grace time, interrupts the rest, and
// returns when none is left.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	srv := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ConnContext: rememberConn, ConnState: s.lobby.state,
		ErrorLog: nil,
	}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(&corkListener{l}) }()
	select {
	case err := <-done:
		s.stop()
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), s.cfg.Limits.ShutdownGrace)
	defer cancel()
	err := srv.Shutdown(grace)
	s.stop() // interrupts the turns that are left
	if err != nil {
		last, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err = srv.Shutdown(last); err != nil {
			err = srv.Close()
		}
	}
	<-done
	return err
}

// decoder reads the body of a request, which is known to be well-formed JSON.
type decoder func(body []byte, earlier lookup, checkImage func(string) error) (*request, *wireError)

// asked answers the requests that a decoder reads.
func (s *Server) asked(decode decoder) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { s.ask(w, r, decode) }
}

// ask answers one request.
func (s *Server) ask(w http.ResponseWriter, r *http.Request, decode decoder) {
	started := time.Now()
	line := &logLine{Time: timestamp.Nano(started), Status: http.StatusOK}
	defer func() {
		line.Millis = time.Since(started).Milliseconds()
		s.log.write(line)
	}()
	refuse := func(e *wireError) {
		line.Status, line.Outcome, line.Code = e.Status, "refused", e.Code
		e.write(w)
	}
	if len(s.slots) == cap(s.slots) { // before much is read for nothing
		refuse(s.busy())
		return
	}
	req, err := s.read(w, r, decode)
	if err != nil {
		refuse(err)
		return
	}
	// Only now: whoever sends slowly takes nobody's place.
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		refuse(s.busy())
		return
	}
	s.active.Add(1)
	defer s.active.Add(-1)
	line.request(req)
	ctx, cancel := context.WithTimeout(r.Context(), s.cfg.Limits.TurnTimeout)
	defer cancel()
	defer context.AfterFunc(s.base, cancel)()
	if e := s.answer(ctx, w, req, line); e != nil {
		refuse(e)
	}
}

func (s *Server) busy() *wireError {
	return &wireError{
		Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded", RetryAfter: 1,
		Message: fmt.Sprintf("The proxy is busy with %d requests. Try again in a moment.", s.cfg.Limits.MaxConcurrent),
	}
}

// read takes a request off the wire.
func (s *Server) read(w http.ResponseWriter, r *http.Request, decode decoder) (*request, *wireError) {
	if mt, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); !strings.EqualFold(strings.TrimSpace(mt), "application/json") {
		return nil, &wireError{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type", Message: "Send the request as application/json."}
	}
	body, err := s.intake.take(w, http.MaxBytesReader(w, r.Body, s.cfg.Limits.MaxBody), s.cfg.Limits.ReadGrace, s.cfg.Limits.ReadTimeout)
	if err == nil {
		s.lobby.whole(r.Context())
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, &wireError{
			Status: http.StatusRequestEntityTooLarge, Code: "request_too_large",
			Message: fmt.Sprintf("The request is larger than %d bytes. Send less, or start the proxy with a larger --max-body.", s.cfg.Limits.MaxBody),
		}
	case errors.Is(err, errCrowded):
		return nil, &wireError{
			Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded", RetryAfter: 1,
			Message: "The proxy is reading too many large requests at once. Try again in a moment.",
		}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &wireError{Status: http.StatusRequestTimeout, Code: "timeout", Message: "The request did not arrive in time."}
	case err != nil:
		return nil, badRequest("", "The request is incomplete.")
	case !sentinel.WellFormed(string(body)):
		return nil, badRequest("", "The body is not JSON in UTF-8, or nested more than 128 levels deep.")
	}
	return decode(body, s.store, s.backend.CheckImage)
}

// answer runs a request and writes what comes of it. An error is still to be written; whatever was streamed has ended.
func (s *Server) answer(ctx context.Context, w http.ResponseWriter, req *request, line *logLine) *wireError {
	model := s.cfg.Model
	if req.wire.Model != nil && *req.wire.Model != "" && !s.cfg.Force {
		model = *req.wire.Model
	}
	if size := transcriptSize(req); size > s.cfg.Limits.MaxTranscript {
		return &wireError{
			Status: http.StatusBadRequest, Code: "context_length_exceeded", Param: "input",
			Message: fmt.Sprintf("The conversation holds %d bytes of text, more than the %d that this proxy passes on. Send less of it.", size, s.cfg.Limits.MaxTranscript),
		}
	}
	res := newResponse(req, model, time.Now().Unix())
	em := &emitter{res: res, next: req.next, custom: req.custom}
	out := output(em)
	var send func([]byte) error
	if req.stream {
		send = s.eventWriter(ctx, w)
	}
	if req.chat != nil {
		out = &chatOutput{emitter: em, send: send, usage: req.chat.usage}
	} else {
		em.write = send
	}
	t := &turn{backend: s.backend, req: req, model: model, limits: s.cfg.Limits, em: out}
	failed := t.run(ctx)
	line.result(res, t)
	if out.broken() != nil || ctx.Err() != nil && res.Status == "failed" {
		switch {
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			line.Outcome = "timeout"
		case s.base.Err() != nil:
			line.Outcome = "shutdown"
		default:
			line.Outcome = "client_gone"
		}
	}
	if req.store && (res.Status == "completed" || res.Status == "incomplete") {
		s.store.put(req, res, em.items)
	}
	switch {
	case req.stream:
		return nil
	case failed != nil:
		return failed
	}
	body := any(res)
	if req.chat != nil {
		if res.Error != nil { // that API has no word for it
			return &wireError{Status: http.StatusBadGateway, Code: res.Error.Code, Message: res.Error.Message}
		}
		body = completion(em)
	}
	s.mayWrite(w, 0)
	w.Header().Set("Content-Type", "application/json")
	if _, err := w.Write(append(mustJSON(body), '\n')); err != nil {
		line.Outcome = "client_gone"
	}
	return nil
}

// mayWrite gives the client the time of one write from now on; it is called before each. spent is how long the writes
// before it have taken: a client that reads slowly holds its slot no longer for an answer in many pieces. A recorder in
// a test has no deadlines; that is no failure.
func (s *Server) mayWrite(w http.ResponseWriter, spent time.Duration) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.cfg.Limits.WriteTimeout - spent))
}

// transcriptSize is how much text the backend would get.
func transcriptSize(req *request) int {
	size := len(req.format)
	if req.wire.Instructions != nil {
		size += len(*req.wire.Instructions)
	}
	for _, t := range req.tools {
		size += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	for _, it := range req.items {
		size += len(it.Name) + len(it.Arguments) + len(it.Output)
		for _, p := range it.Parts {
			size += len(p.Text)
		}
	}
	return size
}

// eventWriter starts the event stream; what it returns sends one event in one write.
func (s *Server) eventWriter(ctx context.Context, w http.ResponseWriter) func([]byte) error {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	w.Header().Set("X-Accel-Buffering", "no")
	control := http.NewResponseController(w)
	cork := corkOf(ctx)
	var spent time.Duration
	return func(event []byte) error {
		began := time.Now()
		// What has been read already earns time: at minRate nobody is cut off.
		defer func() { spent = max(0, spent+time.Since(began)-time.Duration(len(event))*time.Second/minRate) }()
		s.mayWrite(w, spent)
		cork.hold()
		_, err := w.Write(event)
		if err == nil {
			err = control.Flush()
		}
		return errors.Join(err, cork.release())
	}
}

func clip(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}
