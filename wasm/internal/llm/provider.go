package llm

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"time"

	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/web"
)

// Provider asks a model.
type Provider interface {
	// Stream asks. It does not fail: every failure is in the stream. Cancelling ctx ends the stream with an error event.
	Stream(ctx context.Context, r Request) Stream
}

// Stream is a message on its way, pulled by one goroutine.
type Stream interface {
	// Next gives the next event; false after the terminal event.
	Next() (Event, bool)
	// Close stops early. It need not be called after the terminal event, and may be called twice.
	Close()
}

// Collect reads a stream to its end and gives the message; see receives every event when it is not nil. The error is
// the one of the message.
func Collect(s Stream, see func(Event)) (Message, *Error) {
	defer s.Close()
	var a Accumulator
	for e, ok := s.Next(); ok; e, ok = s.Next() {
		a.Add(e)
		if see != nil {
			see(e)
		}
	}
	return a.Message(), a.Err()
}

// Options change how a provider deals with a difficult endpoint. The zero value is good.
type Options struct {
	// Retry is DefaultRetry when its Attempts is 0.
	Retry RetryPolicy
	// Idle is how long to wait for the next bytes; 0 waits for ever, until the context ends.
	Idle time.Duration
	// OnRetry is told that a request failed in a way that passes, and is asked again. It gives what is called when the
	// wait is over, or nil.
	OnRetry func(Retry) (over func())
}

// Retry is the wait before a request is sent once more.
type Retry struct {
	Attempt int // that failed; 1 is the first
	Wait    time.Duration
	Why     *Error
	// Now ends the wait at once. It may be called at any time.
	Now func()
}

// NewProvider joins a dialect, an endpoint and a transport. A request that fails before anything of the answer was
// handed out is sent again as the retry policy says; afterwards a failure is the end.
func NewProvider(d Dialect, e Endpoint, t web.Transport, o Options) Provider {
	if o.Retry.Attempts == 0 {
		o.Retry = DefaultRetry
	}
	return &provider{d, e, t, o}
}

type provider struct {
	dialect   Dialect
	endpoint  Endpoint
	transport web.Transport
	options   Options
}

func (p *provider) Stream(ctx context.Context, r Request) Stream {
	ctx, cancel := context.WithCancel(ctx)
	s := &stream{ctx: ctx, cancel: cancel, p: p, r: r}
	s.reset()
	s.http, s.buildErr = p.dialect.Build(p.endpoint, r)
	return s
}

// stream is one question and its attempts.
type stream struct {
	ctx      context.Context
	cancel   context.CancelFunc
	p        *provider
	r        Request
	http     web.Request
	buildErr error

	attempt int
	answer  web.Response
	status  int
	decoder *Decoder
	builder *Builder
	queue   []Event
	handed  bool // an event has left
	over    bool // the terminal event has left
	// spent sums up the counts of attempts that failed and were followed by another: endpoints charge for them.
	spent price.Usage
}

// reset prepares for the answer to an attempt.
func (s *stream) reset() {
	s.queue = nil
	s.builder = NewBuilder(Message{Dialect: s.p.dialect.Name(), Model: s.r.Model}, func(e Event) {
		s.queue = append(s.queue, e)
	})
	parser := s.p.dialect.Parser(s.p.endpoint, s.r, s.builder)
	s.decoder = NewDecoder(s.builder, parser, s.p.endpoint.Host())
}

func (s *stream) Next() (Event, bool) {
	for !s.over {
		if e, ok := s.pop(); ok {
			s.handed = true
			s.charge(&e)
			if s.over = e.Terminal(); s.over {
				s.Close()
			}
			return e, true
		}
		s.work()
	}
	return Event{}, false
}

// charge adds to a count what earlier attempts have spent.
func (s *stream) charge(e *Event) {
	if s.spent == (price.Usage{}) {
		return
	}
	if e.Usage != nil {
		u := e.Usage.Add(s.spent)
		e.Usage = &u
	}
	if e.Message != nil && e.Terminal() {
		m, u := *e.Message, s.spent
		if m.Usage != nil {
			u = m.Usage.Add(s.spent)
		}
		m.Usage = &u
		e.Message = &m
	}
}

// pop takes an event that is ready. The start event waits for company: as long as it is alone the request can still be
// sent again without anybody noticing. So can one that ended in an error right after it.
func (s *stream) pop() (Event, bool) {
	if len(s.queue) == 0 {
		return Event{}, false
	}
	if !s.handed {
		if len(s.queue) == 1 && !s.queue[0].Terminal() {
			return Event{}, false
		}
		if last := s.queue[len(s.queue)-1]; last.Type == EventError && s.builder.Blocks() == 0 && s.again(last.Error) {
			return Event{}, false
		}
	}
	e := s.queue[0]
	s.queue = s.queue[1:]
	return e, true
}

// work does one step: ask, or read the next bytes.
func (s *stream) work() {
	if err := s.ctx.Err(); err != nil {
		s.decoder.Fail(err)
		return
	}
	if s.answer == nil {
		s.ask()
		return
	}
	chunk, err := s.read()
	s.decoder.Push(chunk)
	switch {
	case s.decoder.Ended() || err == nil:
	case errors.Is(err, io.EOF):
		s.decoder.End()
	default:
		s.decoder.Fail(s.lost(err))
	}
}

// lost names the failure of a connection in the middle of an answer.
func (s *stream) lost(err error) error {
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	if e := AsError(err, s.p.endpoint.Host()); e.Code == CodeNetwork && s.builder.Started() {
		return NewError("llm.error.cut", "host", s.p.endpoint.Host(), "detail", e.Params["detail"])
	}
	return err
}

func (s *stream) read() ([]byte, error) {
	if s.p.options.Idle <= 0 {
		return s.answer.Read(s.ctx)
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.p.options.Idle)
	defer cancel()
	return s.answer.Read(ctx)
}

func (s *stream) ask() {
	s.attempt++
	s.status = 0
	if s.buildErr != nil {
		s.decoder.Fail(s.buildErr)
		return
	}
	answer, err := s.p.transport.Do(s.ctx, s.http)
	if err != nil {
		if s.ctx.Err() != nil {
			err = s.ctx.Err()
		}
		s.decoder.Fail(err)
		return
	}
	s.answer = answer
	s.status = answer.Status()
	if s.status < 200 || s.status > 299 {
		body := s.body()
		s.decoder.Fail(HTTPError(s.p.endpoint.Host(), s.status, web.RetryAfter(answer.Header, time.Time{}), body))
	}
}

// maxErrorBody limits what is read of the body of a refusal.
const maxErrorBody = 64 << 10

// body reads the beginning of a refusal. What stops it does not matter: the status says enough.
func (s *stream) body() []byte {
	var body []byte
	for len(body) < maxErrorBody {
		chunk, err := s.read()
		body = append(body, chunk...)
		if err != nil {
			break
		}
	}
	return body[:min(len(body), maxErrorBody)]
}

// again decides whether a failed attempt is followed by another, and waits for it.
func (s *stream) again(why *Error) bool {
	if !why.Retryable || s.ctx.Err() != nil {
		return false
	}
	asked := time.Duration(why.RetryAfterS * float64(time.Second))
	status := s.status
	if status >= 200 && status <= 299 {
		// The failure came in the stream; its own words decided that it passes.
		status = 0
	}
	wait, ok := s.p.options.Retry.Wait(s.attempt, status, asked, rand.Float64())
	if !ok {
		return false
	}
	hurried, now := context.WithCancel(s.ctx)
	defer now()
	if tell := s.p.options.OnRetry; tell != nil {
		if over := tell(Retry{s.attempt, wait, why, now}); over != nil {
			defer over()
		}
	}
	s.spent = s.spent.Add(s.builder.CurrentUsage())
	s.drop()
	s.reset()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-hurried.Done():
	}
	return true
}

func (s *stream) drop() {
	if s.answer != nil {
		s.answer.Close()
		s.answer = nil
	}
}

func (s *stream) Close() {
	s.cancel()
	s.drop()
}
