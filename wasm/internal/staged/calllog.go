package staged

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/maphash"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/seal"
)

// logFile keeps the staged calls, one JSON object a line, each behind its seal and
// sealed with the line before. A line that is not sealed so was cut off while it was
// written, or a program with another key wrote it: it is not read, and is kept.
const logFile = "staged/calls.jsonl"

// maxLog bounds the file: the writes of a run are held in memory.
const maxLog = 512 << 20

// noted is a line of the log: a call with what it wrote, the run that the calls became,
// or that they are done with.
type noted struct {
	By     string  `json:"by,omitempty"` // the program that asked, as it names itself
	Tool   string  `json:"tool,omitempty"`
	Writes []write `json:"writes,omitempty"`
	Run    string  `json:"run,omitempty"`
	Done   bool    `json:"done,omitempty"`
}

// write is a host.Op as it is kept. Bytes that are missing are null.
type write struct {
	Kind   host.OpKind `json:"kind"`
	Path   string      `json:"path"`
	To     string      `json:"to,omitempty"`
	Before []byte      `json:"before"`
	Data   []byte      `json:"data"`
}

func (w *write) op() host.Op {
	return host.Op{Kind: w.Kind, Path: w.Path, To: w.To, Before: w.Before, Data: w.Data}
}

// writesOf gives what was written in a part of an overlay's log.
func writesOf(log []overlay.Write) []write {
	var out []write
	for _, w := range log {
		if w.Refused == nil && w.Op.Kind != "" {
			out = append(out, write{w.Op.Kind, w.Op.Path, w.Op.To, w.Op.Before, w.Op.Data})
		}
	}
	return out
}

// callLog is the log as it was read. It is used under the lock of the notes.
type callLog struct {
	store  host.Store
	from   place   // where the reading began
	lines  []noted // from there on
	handed bool    // calls of the log were handed to a run
	head   string  // the seal of the last line
	bytes  int     // of the file
	sum    uint64  // of these bytes
	torn   bool    // the file does not end with a line's end
	others int     // lines of other keys, since they were done with the last time
}

// place is a place in the log, by what is before it.
type place struct {
	bytes int
	sum   uint64
	head  string
	calls int
	other int
}

// sums is the seed of the sums of this program.
var sums = maphash.MakeSeed()

// end gives the place after all that was read.
func (l *callLog) end() place {
	return place{l.bytes, l.sum, l.head, l.from.calls + len(l.lines), l.others}
}

// readLog reads the staged calls from a place on, or all of them where the log is not
// that of the place. Calls that a run has become are not among them.
func readLog(ctx context.Context, store host.Store, h *history.History, from place) (*callLog, error) {
	l := &callLog{store: store}
	data, err := store.Read(ctx, logFile)
	if fault.Is(err, fault.NotFound) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	if len(data) >= from.bytes && maphash.Bytes(sums, data[:from.bytes]) == from.sum {
		l.from, l.head, l.others = from, from.head, from.other
	}
	l.read(data)
	if l.handed && l.from.bytes > 0 { // all of it is the run's
		*l = callLog{store: store}
		l.read(data)
	}
	return l, l.settle(ctx, h)
}

// read takes the lines of the file from where the reading begins.
func (l *callLog) read(data []byte) {
	l.bytes, l.sum, l.torn = len(data), maphash.Bytes(sums, data), len(data) > 0 && data[len(data)-1] != '\n'
	for line := range bytes.Lines(data[l.from.bytes:]) {
		l.take(bytes.TrimSuffix(line, []byte{'\n'}))
	}
}

// take reads a line, if it is sealed. One of another key is counted: what it says of
// itself decides about nothing but that count.
func (l *callLog) take(line []byte) {
	tag, body, ok := bytes.Cut(line, []byte{' '})
	var n noted
	if !ok || json.Unmarshal(body, &n) != nil {
		return
	}
	switch own := string(tag) == l.seal(body); {
	case !own && n.Done:
		l.others = 0
	case !own:
		l.others++
	case n.Done:
		l.lines, l.head, l.handed = nil, string(tag), l.from.bytes > 0
	default:
		l.lines, l.head, l.handed = append(l.lines, n), string(tag), l.handed || n.Run != ""
	}
}

// seal seals a line with the one before it.
func (l *callLog) seal(body []byte) string {
	key := seal.Of(l.store).For("staged", "calls")
	if key == nil { // a device without a key: what was cut off is found all the same
		return host.Etag(append([]byte(l.head+" "), body...))
	}
	return key.Tag([]byte(l.head+" "), body)
}

// settle looks what became of the runs that the calls were handed to. One that came to
// its end has them. Of all others the calls stay, until the notes have what they wrote:
// a run that was interrupted may be taken back.
func (l *callLog) settle(ctx context.Context, h *history.History) error {
	if !l.handed {
		return nil
	}
	var waiting []noted
	made := false
	for _, n := range l.lines {
		if n.Run == "" {
			waiting = append(waiting, n)
			continue
		}
		sum, err := h.Summary(ctx, n.Run)
		if err != nil && !fault.Is(err, fault.NotFound) { // not found: it never began
			return err
		}
		if err == nil && sum.Outcome == protocol.OutcomeOK {
			waiting, made = nil, true
		}
	}
	l.lines = waiting
	if made && len(waiting) == 0 { // at once: the history may forget the run
		return l.clear(ctx)
	}
	return nil
}

// add writes a line at the end. When it returns, the line is on the disk.
func (l *callLog) add(ctx context.Context, n noted) error {
	body, err := json.Marshal(n)
	if err != nil {
		return fault.New(fault.Internal, "error.json.invalid", nil).With(err)
	}
	if l.bytes+len(body) > maxLog {
		return fault.New(fault.Precondition, "staged.full", nil)
	}
	tag := l.seal(body)
	line := append([]byte(tag+" "), body...)
	if l.torn {
		line = append([]byte{'\n'}, line...)
	}
	line = append(line, '\n')
	if err := l.store.Append(ctx, logFile, line); err != nil {
		return err
	}
	if err := host.Flush(ctx, l.store, logFile); err != nil {
		return err
	}
	l.lines, l.head, l.bytes, l.torn = append(l.lines, n), tag, l.bytes+len(line), false
	return nil
}

// clear forgets all calls of this key. The file goes with them, unless other programs
// have staged calls in it.
func (l *callLog) clear(ctx context.Context) error {
	if l.others > 0 {
		err := l.add(ctx, noted{Done: true})
		l.lines = nil
		return err
	}
	l.lines, l.head, l.bytes, l.torn = nil, "", 0, false
	return l.store.Remove(ctx, logFile)
}

// by names the programs that asked, as they name themselves.
func (l *callLog) by() []string {
	var out []string
	seen := map[string]bool{}
	for _, n := range l.lines {
		if n.By != "" && !seen[n.By] {
			seen[n.By] = true
			out = append(out, n.By)
		}
	}
	return out
}
