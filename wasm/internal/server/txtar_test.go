package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/protocol"
)

// A story is a txtar file. Its parts:
//
//	vault/PATH     the vault before
//	settings.json  the person's settings (all is allowed without it)
//	plan.json      the plan
//	commands       the palette, one line each: ID put PATH TEXT, or ID nothing
//	script         what happens, one line each:
//	                 open | approve | revert | rest | recover CHOICE | restart
//	                 put PATH TEXT | later put PATH TEXT | fail N | kill N | heal
//	               "later" is right before the next write; questions are
//	               answered with yes
//	told           what came of each line: golden
//	after/PATH     the vault at the end: golden
//	events         the types of the run's events with their steps: golden
//	journal        the writes and what became of them: golden
//
// UPDATE_GOLDEN=1 writes the golden parts anew.
func TestStories(t *testing.T) {
	found, err := filepath.Glob("testdata/stories/*.txtar")
	if err != nil || len(found) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, name := range found {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { tell(t, name) })
	}
}

// story is one being played.
type story struct {
	t    *testing.T
	mem  *hosttest.Memory
	ui   *panel
	set  protocol.Settings
	plan string
	r    *protocol.Review
	told []string
}

func tell(t *testing.T, name string) {
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	s := &story{t: t, set: free}
	files, script := map[string]string{}, ""
	var palette []hosttest.Command
	for _, f := range a.Files {
		switch path, inVault := strings.CutPrefix(f.Name, "vault/"); {
		case inVault:
			files[path] = string(f.Data)
		case f.Name == "settings.json":
			s.set = protocol.Settings{Provider: "openai"}
			if err := json.Unmarshal(f.Data, &s.set); err != nil {
				t.Fatal(err)
			}
		case f.Name == "plan.json":
			s.plan = string(f.Data)
		case f.Name == "commands":
			for line := range strings.Lines(string(f.Data)) {
				palette = append(palette, commandOf(strings.TrimSpace(line)))
			}
		case f.Name == "script":
			script = string(f.Data)
		}
	}
	s.mem = hosttest.New(hosttest.Options{Files: files, Commands: palette})
	s.ui = begin(t, s.mem, s.set)
	for line := range strings.Lines(script) {
		s.play(strings.TrimSpace(line))
	}
	s.compare(name, a)
}

func (s *story) say(format string, args ...any) {
	s.told = append(s.told, fmt.Sprintf(format, args...))
}

func (s *story) play(line string) {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "":
	case "open":
		r, err := s.ui.s.tx.OpenPlan(s.t.Context(), []byte(s.plan), nil, false)
		if err != nil {
			s.say("open: refused: %v", err)
			return
		}
		s.shown("open", r)
	case "approve":
		s.approve()
	case "rest":
		ref, err := try[protocol.RunRef](s.ui, "run.rest", protocol.RunRef{Run: s.r.Run})
		if err != nil {
			s.say("rest: refused: %v", err)
			return
		}
		r := call[protocol.Review](s.ui, "review.get", ref)
		s.shown("rest", &r)
	case "revert":
		s.reverted("revert", "run.revert", protocol.Revert{Run: s.r.Run})
	case "recover":
		s.reverted("recover "+rest, "recovery.resolve", protocol.Recovery{Run: s.r.Run, Choice: protocol.RecoveryChoice(rest)})
	case "restart":
		s.ui.s.Close()
		s.mem = s.mem.CrashClone()
		ui, w, err := start(s.t, s.mem, s.set)
		if err != nil {
			s.t.Fatal(err)
		}
		s.ui = ui
		s.say("restart: %d to recover", len(w.State.Recoveries))
	case "put":
		put(s.mem, rest)
	case "later":
		justBefore(s.mem, func() { put(s.mem, strings.TrimPrefix(rest, "put ")) })
	case "fail", "kill":
		n, err := strconv.Atoi(rest)
		if err != nil {
			s.t.Fatal(err)
		}
		if n += s.mem.Counts().Ops(); verb == "fail" {
			s.mem.FailAt(n, nil)
		} else {
			s.mem.KillAt(n, 1, false)
		}
	case "heal":
		s.mem.FailAt(0, nil)
	default:
		s.t.Fatalf("no such line: %s", line)
	}
}

// commandOf reads one line of the palette.
func commandOf(line string) hosttest.Command {
	id, does, _ := strings.Cut(line, " ")
	return hosttest.Command{ID: id, Name: id, Run: func(m *hosttest.Memory) (bool, error) {
		if args, writes := strings.CutPrefix(does, "put "); writes {
			put(m, args)
		}
		return true, nil
	}}
}

// put writes a note from outside: PATH TEXT.
func put(m *hosttest.Memory, args string) {
	path, text, _ := strings.Cut(args, " ")
	m.Put(path, strings.ReplaceAll(text, `\n`, "\n"))
}

// shown says what a review shows, and goes on with it.
func (s *story) shown(what string, r *protocol.Review) {
	s.r = r
	for _, m := range r.Warnings {
		s.say("%s: %s %s", what, m.Key, m.Params["paths"]+m.Params["name"])
	}
	for _, f := range r.Files {
		s.say("%s: %s %s%s +%d -%d", what, f.Status, from(f.From), f.Path, f.Added, f.Removed)
	}
	if r.Problem != nil {
		s.say("%s: problem %s %s in %s, approvable: %v", what, r.Problem.Code, r.Problem.Key, r.Problem.Step, r.Approvable)
	}
}

// approve says yes to what is shown, and to every question.
func (s *story) approve() {
	if _, err := try[protocol.RunRef](s.ui, "review.approve", protocol.Approve{Run: s.r.Run, Approval: s.r.Approval}); err != nil {
		s.say("approve: refused: %s", fault.From(err).Key)
		r := call[protocol.Review](s.ui, "review.get", protocol.RunRef{Run: s.r.Run})
		s.shown("again", &r)
		return
	}
	end, asked := s.ui.ended(true)
	if asked > 0 {
		s.say("approve: asked %d times", asked)
	}
	s.say("approve: %s, %d done, %d failed, %d skipped", end.Outcome, end.Done, end.Failed, end.Skipped)
	if end.Problem != nil {
		s.say("approve: problem %s %s %v", end.Problem.Code, end.Problem.Key, end.Problem.Params["path"])
	}
	if end.Text.Key == "run.asksAgain" {
		s.shown("again", s.ui.review())
	}
}

func from(path string) string {
	if path == "" {
		return ""
	}
	return path + " → "
}

func (s *story) reverted(what, method string, p any) {
	back, err := try[protocol.Reverted](s.ui, method, p)
	if err != nil {
		s.say("%s: refused: %v", what, err)
		return
	}
	for kind, paths := range map[string][]string{"restored": back.Restored} {
		s.say("%s: %s %s", what, kind, strings.Join(paths, ", "))
	}
	for _, p := range back.Merged {
		s.say("%s: merged %s", what, p)
	}
	for _, p := range back.Kept {
		s.say("%s: kept %s", what, p)
	}
	for _, c := range back.Conflicts {
		s.say("%s: conflict in %s", what, c.Path)
	}
	if back.Problem != nil {
		s.say("%s: problem %s", what, back.Problem.Key)
	}
}

// compare holds the golden parts against what came out, or writes them anew.
func (s *story) compare(name string, a *txtar.Archive) {
	golden := []txtar.File{{Name: "told", Data: lines(s.told)}}
	snap := s.mem.Snapshot()
	for _, p := range slices.Sorted(maps.Keys(snap)) {
		if !strings.HasSuffix(p, "/") {
			golden = append(golden, txtar.File{Name: "after/" + p, Data: snap[p]})
		}
	}
	if s.r != nil {
		golden = append(golden, txtar.File{Name: "events", Data: lines(s.events())}, txtar.File{Name: "journal", Data: lines(s.journal())})
	}
	var out txtar.Archive
	out.Comment = a.Comment
	for _, f := range a.Files {
		if f.Name != "told" && f.Name != "events" && f.Name != "journal" && !strings.HasPrefix(f.Name, "after/") {
			out.Files = append(out.Files, f)
		}
	}
	out.Files = append(out.Files, golden...)
	got, want := string(txtar.Format(&out)), string(txtar.Format(a))
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			s.t.Fatal(err)
		}
		return
	}
	if got != want {
		s.t.Errorf("the story went otherwise; got:\n%s", got)
	}
}

func lines(list []string) []byte {
	if len(list) == 0 {
		return nil
	}
	return []byte(strings.Join(list, "\n") + "\n")
}

// events gives what the run told, without ids and times.
func (s *story) events() []string {
	if s.mem.StoreFiles()[history.Dir(s.r.Run)+"/events.jsonl"] == nil {
		return nil
	}
	var out []string
	for _, e := range recorded(s.t, s.mem, s.r.Run, "events.jsonl") {
		line := e["type"].(string)
		if id, ok := e["stepId"].(string); ok {
			line += " " + id
		}
		out = append(out, line)
	}
	return out
}

var outcomes = map[journal.Outcome]string{journal.NotReached: "not reached", journal.Done: "done", journal.Failed: "failed", journal.Unknown: "unknown"}

func (s *story) journal() []string {
	l, err := journal.Load(s.t.Context(), s.mem.Host().Store, history.Dir(s.r.Run))
	if err != nil {
		return []string{"none"}
	}
	var out []string
	for _, e := range l.Entries {
		out = append(out, fmt.Sprintf("%s %s%s: %s", e.Kind, e.Path, to(e.To), outcomes[e.Outcome]))
	}
	end := "hot"
	if l.End != nil {
		end = "ended " + string(l.End.Outcome)
	}
	for _, a := range l.Acts {
		out = append(out, "began "+a.Step)
	}
	return append(out, end)
}

func to(path string) string {
	if path == "" {
		return ""
	}
	return " → " + path
}
