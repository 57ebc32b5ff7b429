package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
)

// over lays an index over a host that keeps every signature, however few.
func over(m *hosttest.Memory) *Vault {
	v := Over(m.Host())
	v.store.worth = 0
	return v
}

// words are the parts of random notes: letters with case beyond ASCII,
// letters that fold together, composed and decomposed ones, texts without
// spaces.
var words = []string{
	"barrel", "Barrel", "BARREL", "rain", "straße", "STRASSE", "Σίσυφος", "σίσυφοσ", "ſet", "set", "\u212Aelvin", "kelvin",
	"é", "e\u0301", "笔记搜索", "搜索", "Ⅷ", "ⅷ", "ａｂｃ", "ＡＢＣ", "ab", "a", "\r\n", "\n", "# ", "👩‍👩‍👧", "x\x00y", "\xff\xfe", "İstanbul", "Ꭰꭰ",
}

var paths = []string{"a.md", "b.MD", "F/c.md", "F/d.md", "F/G/e.md", "F2/f.md", "pic.png", "x.canvas"}

func drawText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 12).Draw(t, "words"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
}

// search finds as the tools do: the files that the index gives are read and
// looked at.
func search(t testing.TB, v *Vault, need Need, match func([]byte) bool) []string {
	t.Helper()
	ctx := t.Context()
	infos, err := v.Select(ctx, Filter{Need: need, Pass: func(i *host.Info) bool { return isNote(i.Path) }})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for batch := range slices.Chunk(infos, 3) {
		asked := make([]string, len(batch))
		for i, b := range batch {
			asked[i] = b.Path
		}
		read, err := v.ReadMany(ctx, asked)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range read {
			if !r.Missing && readable(r.Data) && match(r.Data) {
				found = append(found, asked[i])
			}
		}
	}
	v.Settle(ctx)
	return found
}

// scan finds by reading everything.
func scan(t testing.TB, h host.Host, match func([]byte) bool) []string {
	t.Helper()
	all, err := h.Vault.Walk(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, i := range all {
		if i.Kind != host.File || !isNote(i.Path) {
			continue
		}
		if data, err := h.Vault.Read(t.Context(), i.Path); err == nil && readable(data) && match(data) {
			found = append(found, i.Path)
		}
	}
	return found
}

// query draws a search: a literal in any case, an exact one, or a pattern.
func query(t *rapid.T) (string, Need, func([]byte) bool) {
	word := rapid.SampledFrom(words).Draw(t, "word")
	if word == "\xff\xfe" {
		word = "set"
	}
	if len(word) > 4 && rapid.Bool().Draw(t, "part") {
		word = strings.ToValidUTF8(word[1:len(word)-1], "")
	}
	if word == "" {
		word = "a"
	}
	patterns := []string{
		regexp.QuoteMeta(word), "(?i)" + regexp.QuoteMeta(word), "(?i)(" + regexp.QuoteMeta(word) + "|kelvin)+x?",
		"(?im)^.*" + regexp.QuoteMeta(word) + "{1,2}.", "(?:" + regexp.QuoteMeta(word) + ")*a", "[Kk]elvin|" + regexp.QuoteMeta(word),
	}
	if rapid.Bool().Draw(t, "literal") {
		re := regexp.MustCompile("(?i)" + regexp.QuoteMeta(word))
		return word, Literal(word), re.Match
	}
	p := rapid.SampledFrom(patterns).Draw(t, "pattern")
	return p, Pattern(p), regexp.MustCompile(p).Match
}

// edit changes the vault from outside, or as its editor.
func edit(t *rapid.T, m *hosttest.Memory) {
	path := rapid.SampledFrom(paths).Draw(t, "path")
	switch rapid.IntRange(0, 6).Draw(t, "edit") {
	case 0:
		m.Delete(rapid.SampledFrom(append([]string{"F", "F/G"}, paths...)).Draw(t, "gone"))
	case 1:
		m.Move(path, rapid.SampledFrom(paths).Draw(t, "to"))
	case 2:
		if _, there := m.File(path); there {
			m.Type(path, drawText(t)) // an editor holds it
		}
	default:
		m.Put(path, drawText(t))
	}
}

func TestASearchByTheIndexFindsWhatAScanFinds(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := hosttest.New(hosttest.Options{})
		v := over(m)
		for range rapid.IntRange(1, 6).Draw(r, "steps") {
			for range rapid.IntRange(0, 6).Draw(r, "edits") {
				edit(r, m)
			}
			switch rapid.IntRange(0, 5).Draw(r, "start") {
			case 0: // a new start, with the index that is on the disk
				m = m.CrashClone()
				v = over(m)
			case 1: // the disk refuses writes from now on
				m.FailAt(m.Counts().Ops()+rapid.IntRange(1, 2).Draw(r, "fail"), errors.New("full"))
			}
			for range rapid.IntRange(2, 6).Draw(r, "searches") {
				name, need, match := query(r)
				if got, want := search(t, v, need, match), scan(t, m.Host(), match); !slices.Equal(got, want) {
					r.Fatalf("%q: the index finds %q, a scan %q", name, got, want)
				}
			}
		}
	})
}

func TestTheListOfFilesIsTheVaults(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := hosttest.New(hosttest.Options{})
		v := over(m)
		for range rapid.IntRange(1, 10).Draw(r, "steps") {
			edit(r, m)
			folder := rapid.SampledFrom([]string{"", "F", "F/G", "none", "a.md"}).Draw(r, "folder")
			got, gotErr := v.Walk(t.Context(), folder)
			want, wantErr := m.Host().Vault.Walk(t.Context(), folder)
			if fmt.Sprint(got, gotErr) != fmt.Sprint(want, wantErr) {
				r.Fatalf("%s: %v %v, want %v %v", folder, got, gotErr, want, wantErr)
			}
		}
	})
}

// notes makes a vault of so many notes; a few hold the rare word.
func notes(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		body := fmt.Sprintf("---\nn: %d\ntags: [t%d]\n---\n# Note %d\n", i, i%7, i) + strings.Repeat("some words of a note about nothing in particular\n", 5)
		if i%100 == 42 {
			body += "a zanzibar here"
		}
		files[fmt.Sprintf("F%d/note %d.md", i%10, i)] = body
	}
	return files
}

func holds(word string) func([]byte) bool {
	return func(data []byte) bool { return bytes.Contains(data, []byte(word)) }
}

func TestAWarmSearchReadsLittleAlsoAfterARestart(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: notes(500)})
	v := over(m)
	need := Literal("zanzibar")
	count := func() int {
		m.ResetCounts()
		if got := search(t, v, need, holds("zanzibar")); len(got) != 5 {
			t.Fatalf("found %q", got)
		}
		return m.Counts().Reads
	}
	if n := count(); n != 500 {
		t.Errorf("the first search reads %d", n)
	}
	if n := count(); n > 10 {
		t.Errorf("the second search reads %d", n)
	}
	m = m.CrashClone()
	v = over(m)
	if n := count(); n > 10 {
		t.Errorf("after a restart it reads %d", n)
	}
	m.Put("F2/note 42.md", "no more")
	m.Put("new.md", "zanzibar")
	if n := count(); n > 12 {
		t.Errorf("after two edits it reads %d", n)
	}
	text, disk := 0, 0
	for _, b := range m.Snapshot() {
		text += len(b)
	}
	for _, b := range m.StoreFiles() {
		disk += len(b)
	}
	if share := float64(disk) / float64(text); share > 0.3 {
		t.Errorf("the index has %.2f of the text's size", share)
	}
}

func TestAnyDamageOfTheIndexCostsTimeOnly(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: notes(60)})
	search(t, over(m), Literal("zanzibar"), holds("zanzibar"))
	whole := m.StoreFiles()
	if len(whole) != 1 {
		t.Fatalf("store: %d files", len(whole))
	}
	rapid.Check(t, func(r *rapid.T) {
		c := m.CrashClone()
		s := c.Host().Store
		for name, data := range whole {
			data = slices.Clone(data)
			switch rapid.IntRange(0, 2).Draw(r, "damage") {
			case 0:
				data = data[:rapid.IntRange(0, len(data)).Draw(r, "torn")]
			case 1:
				data[rapid.IntRange(0, len(data)-1).Draw(r, "at")] ^= byte(rapid.IntRange(1, 255).Draw(r, "by"))
			case 2:
				data = append(data, data[:rapid.IntRange(1, 40).Draw(r, "more")]...)
			}
			if err := s.Write(t.Context(), name, data); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if got := search(t, over(c), Literal("zanzibar"), holds("zanzibar")); len(got) != 1 {
				r.Fatalf("found %q", got)
			}
		}
		// After that the index is whole again.
		for name, data := range c.StoreFiles() {
			if !readSegment(data, func(record) {}) {
				r.Fatalf("%s is still damaged", name)
			}
		}
	})
}

func TestAKillAtAnyWriteOfTheIndexLeavesSearchesRight(t *testing.T) {
	files := notes(40)
	for kill := 1; ; kill++ {
		m := hosttest.New(hosttest.Options{Files: files})
		m.KillAt(kill, uint64(kill), false)
		died := work(t.Context(), m)
		after := m.CrashClone()
		for range 2 {
			got := search(t, over(after), Literal("zanzibar"), holds("zanzibar"))
			if want := scan(t, after.Host(), holds("zanzibar")); !slices.Equal(got, want) {
				t.Fatalf("killed at %d: %q, want %q", kill, got, want)
			}
		}
		if !died {
			if kill < 5 {
				t.Errorf("only %d writes were tried", kill)
			}
			return
		}
	}
}

// work searches, edits and restarts, so that segments are written, appended to
// and written anew. It says whether the host died.
func work(ctx context.Context, m *hosttest.Memory) bool {
	for round := range 5 {
		v := over(m)
		for i := range 30 {
			m.Put(fmt.Sprintf("F%d/note %d.md", i, i), fmt.Sprintf("round %d %s", round, strings.Repeat("zanzibar ", i%2)))
		}
		v.store.slack = 0 // written anew as soon as more is dead than alive
		infos, err := v.Select(ctx, Filter{Need: Literal("nothing")})
		if err != nil {
			return true
		}
		for _, i := range infos {
			_, _ = v.ReadMany(ctx, []string{i.Path})
			v.Settle(ctx)
		}
	}
	return m.Dead() != nil && closed(m.Dead())
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestTheIndexOnDiskIsBounded(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: notes(50)})
	v := over(m)
	size := func() (n int) {
		for _, d := range m.StoreFiles() {
			n += len(d)
		}
		return n
	}
	big := strings.Repeat("ä ö ü ", 10)
	for i := 0; len(big) < 60_000; i++ {
		big += fmt.Sprintf("%x ", i*2654435761%1_000_003)
	}
	const times = 4500 // of 2 kB each: more than the bound, if nothing were dropped
	for i := range times {
		m.Put("changing.md", big[:60_000]+fmt.Sprint(i))
		search(t, v, Literal("zanzibar"), holds("zanzibar"))
		if i%100 == 0 {
			runtime.GC() // each change is 60 kB, and wasm gives no memory back
		}
	}
	if n := size(); n > segmentSize+4*defaultSlack {
		t.Errorf("%d bytes on disk", n)
	}
	if got := search(t, over(m), Literal("zanzibar"), holds("zanzibar")); len(got) != 1 {
		t.Errorf("found %q", got)
	}
}

func TestTheIndexOfASmallVaultIsNotKept(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: notes(60)})
	search(t, Over(m.Host()), Literal("zanzibar"), holds("zanzibar"))
	if n := m.Counts().StoreWrites; n != 0 {
		t.Errorf("%d writes", n)
	}
}

func TestTextThatIsTypedBetweenAskingAndReadingIsNotTakenForTheFiles(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{"a.md": "zanzibar"}})
	v := over(m)
	infos, err := v.Select(t.Context(), Filter{Need: Literal("zanzibar")})
	if err != nil || len(infos) != 1 {
		t.Fatal("want no error and 1 infos, got:", infos, err)
	}
	m.Type("a.md", "zanzibus")
	if read, err := v.ReadMany(t.Context(), []string{"a.md"}); err != nil || string(read[0].Data) != "zanzibus" {
		t.Fatal("want no error and read[0].Data \"zanzibus\", got:", read, err)
	}
	m.Type("a.md", "zanzibar") // taken back, so that the file never changes
	m.CloseNotes()
	m.SetTimes("a.md", infos[0].CTime, infos[0].MTime)
	if got := search(t, v, Literal("zanzibar"), holds("zanzibar")); len(got) != 1 {
		t.Errorf("found %q", got)
	}
}

func FuzzSegments(f *testing.F) {
	var s signer
	abc, _ := s.sign([]byte("abc"))
	good := appendBlock(nil, []*file{
		{Info: host.Info{Path: "a/b.md", Size: 3, MTime: 5}, sig: abc},
		{Info: host.Info{Path: "a/c.md", Size: 9, MTime: 5}, sig: everything},
	})
	f.Add(good)
	f.Add(append(slices.Clone(good), good...))
	f.Add(good[:len(good)-3])
	f.Add([]byte("eai1\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		need := Literal("zanzibar")
		n := 0
		readSegment(data, func(r record) {
			n++
			need.mayHold(r.sig)
			if len(r.path) > maxPathSize {
				t.Errorf("a path of %d bytes", len(r.path))
			}
		})
		if n > len(data) {
			t.Errorf("%d records of %d bytes", n, len(data))
		}
		readBody(data, func(r record) { need.mayHold(r.sig) })
	})
}

func TestWhatIsCountedOfSignaturesIsWhatThereIs(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := hosttest.New(hosttest.Options{})
		v := over(m)
		v.changes = forgetful{v.changes, func() bool { return rapid.IntRange(0, 3).Draw(r, "all") == 0 }}
		for range rapid.IntRange(1, 8).Draw(r, "steps") {
			for range rapid.IntRange(0, 4).Draw(r, "edits") {
				edit(r, m)
			}
			_, need, match := query(r)
			search(t, v, need, match)
			var held, saved int64
			for _, f := range v.mu.files {
				held += int64(len(f.sig))
				if f.saved {
					saved += recordSize(f)
				}
			}
			if v.mu.sigs.held != held || v.mu.sigs.savedBytes != saved {
				r.Fatalf("counted %d and %d, there are %d and %d", v.mu.sigs.held, v.mu.sigs.savedBytes, held, saved)
			}
		}
	})
}

// forgetful is a host's changes that now and then tells everything anew.
type forgetful struct {
	host.Changes
	all func() bool
}

func (f forgetful) Since(ctx context.Context, generation, page int64) (host.Changed, error) {
	if f.all() {
		generation = 0
	}
	return f.Changes.Since(ctx, generation, page)
}
