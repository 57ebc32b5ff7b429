package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/record"
	"embedded-agent/wasm/internal/seal"
)

// Entry is one op record as it was read back.
type Entry struct {
	I       int         `json:"i"`
	Call    string      `json:"call"`
	Kind    host.OpKind `json:"kind"`
	Path    string      `json:"path"`
	To      string      `json:"to"`
	Before  string      `json:"before"`
	After   string      `json:"after"`
	Pre     Ref         `json:"pre"`
	Post    Ref         `json:"post"`
	Follows bool        `json:"follows"`
	Outcome Outcome     `json:"-"`
	MTime   int64       `json:"-"` // of the file once it was written, in ms; 0 where it is not known
}

// Log is a run's journal read back.
type Log struct {
	Header
	Entries []Entry
	Acts    []Act
	End     *End // nil: the journal is hot
	Origin  Origin
	Head    string
	Records int
	blobs   *Blobs
	settled int // how often what was found after a crash was written down
}

func corrupt(dir string) error {
	return fault.New(fault.Conflict, "error.journal.corrupt", fault.P{"run": dir})
}

// Load reads a run's journal. A torn tail is not an error: what it would have
// said has not happened, since nothing is written before its record is whole.
// A missing journal is NOT_FOUND; one whose begin record is torn had not begun
// and gives a Log without a run. Whoever wrote it, it is read: Origin says what
// may be done with it.
func Load(ctx context.Context, store host.Store, dir string) (*Log, error) {
	data, err := store.Read(ctx, dir+"/"+File)
	if fault.Is(err, fault.NotFound) {
		return nil, fault.New(fault.NotFound, "error.journal.missing", nil)
	} else if err != nil {
		return nil, err
	}
	l := &Log{blobs: NewBlobs(store, dir)}
	key := seal.OfRun(store, dir)
	recs, chain, _, origin := whose(key, File, data)
	l.Origin = origin
	for _, r := range recs {
		if err := l.add(r); err != nil {
			return nil, corrupt(dir)
		}
	}
	l.Head, l.Records = chain.Head(), chain.Len()
	if l.End, err = ReadEnd(ctx, store, dir); err != nil {
		return nil, err
	}
	chains, err := l.addSettled(ctx, store, dir, key)
	if err != nil {
		return nil, err
	}
	chains[File] = chain
	l.hold(key, chains)
	return l, nil
}

// addSettled reads what was found after a crash, as it was last written down whole,
// and gives the chain of each file that is there.
func (l *Log) addSettled(ctx context.Context, store host.Store, dir string, key *seal.Key) (map[string]*record.Chain, error) {
	chains := map[string]*record.Chain{}
	var last [][]byte
	for _, name := range []string{SettledFile, SettledToo} {
		data, err := store.Read(ctx, dir+"/"+name)
		if fault.Is(err, fault.NotFound) {
			continue
		} else if err != nil {
			return nil, err
		}
		recs, chain, _, origin := whose(key, name, data)
		chains[name] = chain
		if origin != l.Origin {
			l.Origin = max(l.Origin, Changed)
		}
		// Of a run that has ended all counts that is there: earlier versions did not
		// write which findings are whole.
		if n := turnOf(recs); n > l.settled || last == nil && l.End != nil {
			l.settled, last = n, recs
		}
	}
	for _, r := range last {
		if err := l.add(r); err != nil {
			return nil, corrupt(dir)
		}
	}
	return chains, nil
}

func (l *Log) add(rec []byte) error {
	kind, ok := kindOf(rec)
	if !ok {
		return errors.New("a record that does not say what it is")
	}
	switch kind {
	case "begin":
		return json.Unmarshal(rec, &l.Header)
	case "act":
		var a Act
		if err := json.Unmarshal(rec, &a); err != nil {
			return err
		}
		l.Acts = append(l.Acts, a)
	case "op":
		var e Entry
		if err := json.Unmarshal(rec, &e); err != nil {
			return err
		}
		if e.I != len(l.Entries) {
			return errors.New("op records out of order")
		}
		l.Entries = append(l.Entries, e)
	case "done":
		var d struct {
			I []int   `json:"i"`
			M []int64 `json:"m"`
		}
		if err := json.Unmarshal(rec, &d); err != nil {
			return err
		}
		if d.I == nil {
			return errNoWrites
		}
		if err := l.mark(d.I, Done); err != nil {
			return err
		}
		for n, i := range d.I[:min(len(d.I), len(d.M))] {
			l.Entries[i].MTime = d.M[n]
		}
	case "failed", "unknown":
		var f struct {
			I *int `json:"i"`
		}
		if err := json.Unmarshal(rec, &f); err != nil {
			return err
		}
		if f.I == nil {
			return errNoWrites
		}
		o := Failed
		if kind == "unknown" {
			o = Unknown
		}
		return l.mark([]int{*f.I}, o)
	default: // of a later version
		if !json.Valid(rec) {
			return errors.New("a record that is no JSON")
		}
	}
	return nil
}

var errNoWrites = errors.New("a record of an outcome that names no write")

// kindOf reads what a record is. It stands first in each, so that one reading
// of the whole is enough.
func kindOf(rec []byte) (kind string, ok bool) {
	rest, ok := bytes.CutPrefix(rec, []byte(`{"t":"`))
	name, _, closed := bytes.Cut(rest, []byte(`"`))
	return string(name), ok && closed
}

func (l *Log) mark(is []int, o Outcome) error {
	for _, i := range is {
		if i < 0 || i >= len(l.Entries) {
			return errors.New("a record of a write that is not there")
		}
		l.Entries[i].Outcome = o
	}
	return nil
}

// Hot says whether the run did not end.
func (l *Log) Hot() bool { return l.End == nil }

// Write gives entry i with its bytes.
func (l *Log) Write(ctx context.Context, i int) (Planned, error) {
	e := &l.Entries[i]
	p := Planned{Call: e.Call, BeforeEtag: e.Before, AfterEtag: e.After, MTime: e.MTime}
	p.Op = host.Op{Kind: e.Kind, Path: e.Path, To: e.To, Follows: e.Follows}
	var err error
	if e.Before != "" {
		if p.Op.Before, err = l.blobs.Get(ctx, e.Pre, e.Before); err != nil {
			return p, err
		}
	}
	if e.After != "" {
		if p.Op.Data, err = l.blobs.Get(ctx, e.Post, e.After); err != nil {
			return p, err
		}
	}
	return p, nil
}
