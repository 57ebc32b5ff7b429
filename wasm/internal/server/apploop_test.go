package server

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// The kills of the app: two windows over one vault on a slow disk. A core dies at
// a write that a seed draws, while it runs, recovers, takes back or finishes; what
// it has under way lands later; the same window starts another core, or the other
// window takes over. In the end all is taken back. SEED repeats a loop; KILLS says
// how many.
func TestKillsInTwoWindowsOnASlowDiskAreAllTakenBackWhole(t *testing.T) {
	kills := 25
	if slow {
		kills = 8
	}
	if exhaustive() {
		kills = 1000
	}
	if n, err := strconv.Atoi(os.Getenv("KILLS")); err == nil {
		kills = n
	}
	seed := uint64(time.Now().UnixNano())
	if n, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("SEED=%d", seed)
	for n, round := 0, uint64(0); n < kills && !t.Failed(); round++ {
		synctest.Test(t, func(t *testing.T) {
			a := newAppRound(t, seed, round)
			n += a.play(fmt.Sprintf("SEED=%d, round %d", seed, round))
		})
	}
}

// appRound is one run and what becomes of it.
type appRound struct {
	t       *testing.T
	r       *rand.Rand
	mem     *hosttest.Memory
	before  hosttest.Snapshot
	windows [2]*hosttest.Window
	panels  [2]*panel // the core in each
	kills   int
	story   []string
}

func newAppRound(t *testing.T, seed, round uint64) *appRound {
	a := &appRound{t: t, r: rand.New(rand.NewPCG(seed, round)), mem: hosttest.New(hosttest.Options{Files: boxes})}
	a.before = a.mem.Snapshot()
	for i := range a.windows {
		a.open(i)
	}
	return a
}

// open opens a window with a core in it; one of that place is closed before.
func (a *appRound) open(i int) {
	name := fmt.Sprint("window ", i, " of ", a.r.Uint64())
	a.windows[i] = a.mem.Window(name, a.r.Uint64())
	a.start(i)
}

// start starts a core in a window.
func (a *appRound) start(i int) {
	ui := &panel{t: a.t, mem: a.mem}
	ui.cond.L = &ui.mu
	s, err := New(Deps{Host: a.windows[i].Host(), Emit: ui.hear})
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(s.Close)
	ui.s = s
	if _, err := try[protocol.Welcome](ui, "hello", protocol.Hello{Contract: protocol.Contract, Settings: free, Platform: protocol.Platform{Name: "linux", Language: "en"}}); err != nil {
		a.fatal("hello: %v", err)
	}
	a.panels[i] = ui
}

func (a *appRound) tell(format string, args ...any) {
	a.story = append(a.story, fmt.Sprintf(format, args...))
}

func (a *appRound) fatal(format string, args ...any) {
	a.t.Helper()
	for _, line := range a.story {
		a.t.Log(line)
	}
	a.t.Fatalf(format, args...)
}

// settleDown ends a core that died, and gives the place that goes on: a new core in
// the same window, or the other window, after the first was closed, or after its
// lease has run out.
func (a *appRound) settleDown(i int) int {
	a.kills++
	a.panels[i].s.Close()
	synctest.Wait()
	switch a.r.IntN(3) {
	case 0:
		a.tell("  it died; a new core in the same window")
		a.windows[i].Restart()
		a.start(i)
		return i
	case 1:
		a.tell("  it died; the window was closed, and the other goes on")
		a.windows[i].Restart()
		a.mem.CloseWindow(a.windows[i].Name())
		a.open(i)
	default:
		a.tell("  it died; the other window goes on when the lease has run out")
		a.windows[i].Restart()
		time.Sleep(2 * time.Minute)
		a.start(i)
	}
	return 1 - i
}

// play runs the plan, kills, recovers, and gives how many kills there were.
func (a *appRound) play(where string) int {
	defer func() {
		for _, ui := range a.panels {
			ui.s.Close()
		}
		time.Sleep(time.Minute) // what is under way lands
	}()
	at := a.run(where)
	for range a.r.IntN(3) {
		if a.mem.Snapshot().Equal(a.before) {
			break
		}
		at = a.step(where, at, 1+a.r.IntN(30))
	}
	for n := 0; ; n++ { // nobody is killed any more
		if a.mem.Snapshot().Equal(a.before) && len(a.cards(at)) == 0 {
			break
		}
		if n == 12 {
			a.fatal("%s: taken back, the vault is not what it was; cards %+v\n%s", where, a.cards(at), a.before.Diff(a.mem.Snapshot()))
		}
		at = a.step(where, at, 0)
	}
	time.Sleep(time.Minute)
	if d := a.before.Diff(a.mem.Snapshot()); d != "" {
		a.fatal("%s: a minute later the vault is not what it was:\n%s", where, d)
	}
	for i := range a.panels {
		if c := a.cards(i); len(c) > 0 {
			a.fatal("%s: still offered in window %d: %+v", where, i, c)
		}
	}
	return a.kills
}

func (a *appRound) cards(i int) []protocol.RunSummary {
	a.t.Helper()
	if err := a.panels[i].s.undo.FindHot(a.t.Context()); err != nil { // as another look does
		a.fatal("window %d looks again: %v", i, err)
	}
	return cardsOf(a.panels[i])
}

// run carries out the plan in the first window, with a kill at any write.
func (a *appRound) run(where string) int {
	ui := a.panels[0]
	plans := []string{boxPlan, manyNotes, madeAndMoved}
	plan := a.r.IntN(len(plans))
	r := ui.open(plans[plan])
	kill := 1 + a.r.IntN(45)
	a.tell("plan %d, killed at write %d", plan, kill)
	a.windows[0].KillAt(kill)
	call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	watched := false
	for {
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		if a.windows[0].Dead() {
			return a.settleDown(0)
		}
		if ui.s.tx.Idle() == nil {
			a.windows[0].KillAt(0)
			return 0
		}
		if !watched && a.r.IntN(4) == 0 {
			watched = true
			a.watch(where)
		}
	}
}

// watch holds that the other window shows the run as live, or not at all.
func (a *appRound) watch(where string) {
	for _, c := range a.cards(1) {
		if c.Stands != protocol.StandsLive && !a.windows[0].Dead() {
			a.fatal("%s: the other window offers a run that is under way: %+v", where, c)
		}
	}
}

// step does one thing in a window, which dies at write kill of it (0: not), and
// gives where it goes on.
func (a *appRound) step(where string, at, kill int) int {
	ui := a.panels[at]
	cards := a.cards(at)
	a.windows[at].KillAt(kill)
	var err error
	var back protocol.Reverted
	switch {
	case len(cards) > 0 && len(cards[0].Choices) == 0:
		time.Sleep(2 * time.Minute) // it is live still, to those who do not know better
	case len(cards) > 0:
		choice := cards[0].Choices[a.r.IntN(len(cards[0].Choices))]
		if kill == 0 && slices.Contains(cards[0].Choices, protocol.RecoverRevert) {
			choice = protocol.RecoverRevert
		}
		a.tell("window %d: %s of the run that stands %s, killed at %d", at, choice, cards[0].Stands, kill)
		back, err = try[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: cards[0].Run, Choice: choice})
	default:
		back, err = a.takeBackNewest(at, kill)
	}
	if a.windows[at].Dead() {
		return a.settleDown(at)
	}
	a.windows[at].KillAt(0)
	a.tell("  %v %+v", err, back)
	if fault.Is(err, fault.NotFound) { // what was to be brought back had ended
		return at
	}
	told := len(back.Conflicts) + len(back.Kept) + len(back.Gone)
	if err != nil || back.Problem != nil || told > 0 {
		a.fatal("%s: %v %+v %+v", where, err, back, back.Problem)
	}
	return at
}

// takeBackNewest reverts the newest run of the history that can be. The listing may
// write, and die of it: it keeps what it found out about a run.
func (a *appRound) takeBackNewest(at, kill int) (protocol.Reverted, error) {
	list, err := try[protocol.Runs](a.panels[at], "runs.list", protocol.RunsQuery{})
	if err != nil {
		a.tell("window %d: the history: %v", at, err)
		return protocol.Reverted{}, err
	}
	for _, sum := range list.Runs {
		if sum.Kind == protocol.KindRevert || sum.RevertedBy != "" || !sum.Can.Revert {
			continue
		}
		time.Sleep(2 * time.Second) // nobody is so quick
		a.tell("window %d: reverts the %s from the history, killed at %d", at, sum.Kind, kill)
		return try[protocol.Reverted](a.panels[at], "run.revert", protocol.Revert{Run: sum.Run})
	}
	a.tell("window %d: nothing to take back", at)
	return protocol.Reverted{}, nil
}
