package devicestore_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/devicestore"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
)

// kind is a kind of store in memory, which can refuse.
type kind struct {
	host.Store
	name    host.StoreKind
	refuses error // to be looked at
	full    error // to be written to
	flushed []string
}

func (k *kind) Kind() host.StoreKind { return k.name }

func (k *kind) Holds(ctx context.Context) (bool, error) {
	if k.refuses != nil {
		return false, k.refuses
	}
	list, err := k.List(ctx, "")
	return len(list) > 0, err
}

func (k *kind) Try(context.Context) error { return k.full }

func (k *kind) Clear(ctx context.Context) error { return k.Remove(ctx, "runs") }

func (k *kind) Flush(_ context.Context, paths ...string) error {
	k.flushed = append(k.flushed, paths...)
	return nil
}

// device is a device with two kinds of stores and a shared folder.
type device struct {
	shared, opfs, idb host.Store
	first, second     *kind
	place             devicestore.Place
}

func newDevice() *device {
	store := func() host.Store { return hosttest.New(hosttest.Options{}).Host().Store }
	d := &device{
		shared: store(), opfs: store(), idb: store(),
		place: devicestore.Place{ID: "vault", Kept: true, Owns: true, Persisted: true},
	}
	d.first = &kind{Store: d.opfs, name: host.StoreOPFS}
	d.second = &kind{Store: d.idb, name: host.StoreIDB}
	return d
}

// start gives the store as a core finds it at its start.
func (d *device) start() *devicestore.Store {
	place := func(context.Context) (devicestore.Place, error) { return d.place, nil }
	return devicestore.New(d.shared, place, func(string) []devicestore.Kind { return []devicestore.Kind{d.first, d.second} })
}

func write(t *testing.T, s host.Store, paths ...string) {
	t.Helper()
	for _, p := range paths {
		if err := s.Append(t.Context(), p, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
}

func names(t *testing.T, s host.Store, folder string) string {
	t.Helper()
	list, err := s.List(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, i := range list {
		all = append(all, i.Path)
	}
	return strings.Join(all, " ")
}

func facts(t *testing.T, s *devicestore.Store) host.StoreFacts {
	t.Helper()
	f, err := s.Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var (
	ofDevice = []string{"runs/1/journal.jsonl", "hot/1", "index/000001.seg", "traces/1.json", "endpoints.json"}
	ofAll    = []string{"actions/1.json", "conversations/1.d.jsonl", "usage/d-1.jsonl", "pins/d.json", "policy.json"}
)

func TestEachKindKeepsTheContract(t *testing.T) {
	refuse := errors.New("SecurityError")
	for name, change := range map[host.StoreKind]func(*device){
		host.StoreOPFS:   func(*device) {},
		host.StoreIDB:    func(d *device) { d.first.refuses = refuse },
		host.StoreFolder: func(d *device) { d.first.refuses, d.second.full = refuse, refuse },
		"no name":        func(d *device) { d.place.Kept = false },
	} {
		t.Run(string(name), func(t *testing.T) {
			hosttest.Conform(t, func(*testing.T) host.Host {
				m := hosttest.New(hosttest.Options{}).Host()
				d := newDevice()
				change(d)
				d.shared = m.Store
				m.Store = d.start()
				return m
			})
		})
	}
}

func TestWhatTravelsWithTheVaultStaysInTheSharedFolderAndRecordsDoNot(t *testing.T) {
	d := newDevice()
	s := d.start()
	write(t, s, append(slices.Clone(ofDevice), ofAll...)...)
	if got := names(t, d.shared, ""); got != "actions conversations pins policy.json usage" {
		t.Errorf("the shared folder has %s", got)
	}
	if got := names(t, d.opfs, ""); got != "endpoints.json hot index runs traces" {
		t.Errorf("the device has %s", got)
	}
	if got := names(t, s, ""); got != "actions conversations endpoints.json hot index pins policy.json runs traces usage" {
		t.Errorf("together they list %s", got)
	}
	write(t, d.shared, "runs/old/run.json")
	if got := names(t, s, "runs"); got != "runs/1" {
		t.Errorf("of what an earlier version has left, it lists %s", got)
	}
}

func TestTheFirstKindThatTakesRecordsIsTakenAndToldWithWhyOthersWereNot(t *testing.T) {
	refuse, full := errors.New("SecurityError: not here"), errors.New("QuotaExceededError: full")
	for _, c := range []struct {
		name    string
		change  func(*device)
		want    host.StoreKind
		refused []host.StoreRefusal
	}{
		{"all take them", func(*device) {}, host.StoreOPFS, nil},
		{"the first cannot be looked at", func(d *device) { d.first.refuses = refuse }, host.StoreIDB, []host.StoreRefusal{{Kind: host.StoreOPFS, Why: refuse.Error()}}},
		{"the first is full", func(d *device) { d.first.full = full }, host.StoreIDB, []host.StoreRefusal{{Kind: host.StoreOPFS, Why: full.Error()}}},
		{
			"both refuse", func(d *device) { d.first.refuses, d.second.full = refuse, full }, host.StoreFolder,
			[]host.StoreRefusal{{Kind: host.StoreOPFS, Why: refuse.Error()}, {Kind: host.StoreIDB, Why: full.Error()}},
		},
		{"the device keeps no name", func(d *device) { d.place.Kept = false }, host.StoreFolder, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDevice()
			c.change(d)
			s := d.start()
			write(t, s, "runs/1/journal.jsonl")
			f := facts(t, s)
			if f.Kind != c.want || !slices.Equal(f.Refused, c.refused) || f.Bytes != 1 {
				t.Errorf("facts are %+v", f)
			}
			if f.Flushes != (c.want != host.StoreFolder) {
				t.Errorf("a %s says that it flushes: %v", f.Kind, f.Flushes)
			}
		})
	}
}

func TestAKindThatHoldsRecordsIsKeptAlsoWhenABetterOneComesOrItIsFull(t *testing.T) {
	d := newDevice()
	d.first.refuses = errors.New("SecurityError")
	write(t, d.start(), "runs/1/journal.jsonl")
	d.first.refuses = nil
	d.second.full = errors.New("QuotaExceededError")
	s := d.start()
	if got := names(t, s, "runs"); got != "runs/1" {
		t.Errorf("after the next start it lists %q", got)
	}
	if f := facts(t, s); f.Kind != host.StoreIDB || f.Refused != nil {
		t.Errorf("facts are %+v", f)
	}
}

func TestRecordsBesideTheNotesAreInAFolderOfThisDevice(t *testing.T) {
	d := newDevice()
	d.first.refuses, d.second.refuses = errors.New("none"), errors.New("none")
	s := d.start()
	write(t, s, "runs/1/journal.jsonl")
	where := facts(t, s).Where
	if !strings.HasPrefix(where, "devices/") || names(t, d.shared, where+"/runs") != where+"/runs/1" {
		t.Errorf("they are in %s, which has %q", where, names(t, d.shared, where))
	}
	if err := s.Clear(t.Context()); err != nil || names(t, s, "runs") != "" {
		t.Errorf("cleared (%v), it lists %q", err, names(t, s, "runs"))
	}
}

func TestAWindowThatDoesNotOwnTheRecordsLooksAndDoesNotWriteUntilItDoes(t *testing.T) {
	d := newDevice()
	write(t, d.start(), "runs/1/journal.jsonl")
	d.place.Owns = false
	s := d.start()
	if got := names(t, s, "runs/1"); got != "runs/1/journal.jsonl" {
		t.Errorf("the second window sees %q", got)
	}
	for name, err := range map[string]error{
		"append": s.Append(t.Context(), "runs/1/journal.jsonl", []byte("y")),
		"write":  s.Write(t.Context(), "hot/1", nil),
		"remove": s.Remove(t.Context(), "runs/1"),
		"clear":  s.Clear(t.Context()),
	} {
		if !fault.Is(err, fault.Precondition) {
			t.Errorf("%s: want the error fault.Precondition, got %v", name, err)
		}
	}
	if owns, err := s.Owns(t.Context()); owns || err != nil || !facts(t, s).ReadOnly {
		t.Errorf("it does not say that it only reads: %v, %v", owns, err)
	}
	write(t, s, "conversations/1.d.jsonl") // what is shared is written by both
	d.place.Owns = true                    // the first window is closed
	write(t, s, "runs/1/journal.jsonl")
	if data, err := s.Read(t.Context(), "runs/1/journal.jsonl"); string(data) != "xx" || facts(t, s).ReadOnly {
		t.Errorf("after it took over it reads %q, %v", data, err)
	}
	if owns, err := s.Owns(t.Context()); !owns || err != nil {
		t.Errorf("after it took over it does not say that it writes: %v, %v", owns, err)
	}
}

func TestASecondWindowTriesNothing(t *testing.T) {
	d := newDevice()
	d.place.Owns = false
	d.first.full = errors.New("it was tried")
	if f := facts(t, d.start()); f.Kind != host.StoreOPFS {
		t.Errorf("facts are %+v", f)
	}
}

func TestAFlushReachesWhatIsOnThisDevice(t *testing.T) {
	d := newDevice()
	s := d.start()
	if err := s.Flush(t.Context(), "runs/1/journal.jsonl", "policy.json", "hot/1"); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.first.flushed, []string{"runs/1/journal.jsonl", "hot/1"}) {
		t.Errorf("flushed were %v", d.first.flushed)
	}
}

func TestACancelledCallLeavesTheChoiceToTheNextOne(t *testing.T) {
	d := newDevice()
	s := d.start()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.List(ctx, "runs"); !fault.Is(err, fault.Cancelled) {
		t.Fatalf("got %v", err)
	}
	if f := facts(t, s); f.Kind != host.StoreOPFS || f.Refused != nil {
		t.Errorf("facts are %+v", f)
	}
}

func TestRunsOfOtherDevicesInTheSharedFolderAreReadAndNeverWritten(t *testing.T) {
	d := newDevice()
	s := d.start()
	write(t, d.shared, "runs/theirs/run.json", "runs/theirs/blobs/000.pack", "hot/theirs", "runs/ours/end.json", "hot/ours", "index/000001.seg", "traces/1.json")
	write(t, s, "runs/ours/run.json")
	if got := names(t, s, "runs") + names(t, s, "hot"); got != "runs/ours" {
		t.Errorf("before they are shown: %s", got)
	}
	s.ShowOthers()
	for folder, want := range map[string]string{
		"runs": "runs/ours runs/theirs", "hot": "hot/theirs", "runs/theirs": "runs/theirs/blobs runs/theirs/run.json",
		"runs/theirs/blobs": "runs/theirs/blobs/000.pack", "runs/ours": "runs/ours/run.json", "index": "", "traces": "",
	} {
		if got := names(t, s, folder); got != want {
			t.Errorf("%s: %q, want %q", folder, got, want)
		}
	}
	if b, err := s.Read(t.Context(), "runs/theirs/run.json"); err != nil || string(b) != "x" {
		t.Errorf("want no error and \"x\", got %q, %v", b, err)
	}
	// Whoever can write to the shared folder adds nothing to a run of this device.
	for _, path := range []string{"runs/ours/end.json", "hot/ours", "index/000001.seg", "runs/none/run.json"} {
		if _, err := s.Read(t.Context(), path); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: want the error fault.NotFound, got %v", path, err)
		}
	}
	for _, path := range []string{"runs/theirs", "hot/theirs"} {
		if err := s.Remove(t.Context(), path); err != nil {
			t.Error(err)
		}
	}
	write(t, s, "runs/theirs/summary.json")
	if got := names(t, d.shared, "runs/theirs") + " " + names(t, d.shared, "hot"); got != "runs/theirs/blobs runs/theirs/run.json hot/ours hot/theirs" {
		t.Errorf("the shared folder: %s", got)
	}
}
