//go:build !js

package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// served starts the server as a program of its own, and gives a client of it.
func served(t *testing.T, dir string) (*sdk.ClientSession, *exec.Cmd) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asCommand+"="+strings.Join([]string{"mcp", "-vault", dir}, "\n"))
	cmd.Stderr = io.Discard
	s, err := sdk.NewClient(&sdk.Implementation{Name: "some-agent", Version: "1.2"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, cmd
}

// seeded gives the seed of a loop, and what it draws; SEED repeats one.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if n, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// A call that the client has an answer to is staged, whenever the server is killed; one
// that it has no answer to is staged as a whole or not at all.
func TestAServerThatIsKilledAtAnyMomentLosesNoCallThatItAnswered(t *testing.T) {
	dir, _ := vault(t, 1)
	before := folder(t, dir)
	r := seeded(t)
	rounds := 6
	if os.Getenv("EXHAUSTIVE") != "" {
		rounds = 60
	}
	answered := map[string]bool{}
	n := 0
	slowest := time.Duration(0)
	for range rounds {
		s, cmd := served(t, dir)
		for whole := 1 + r.IntN(4); ; whole-- {
			n++
			name := "N" + strconv.Itoa(n) + ".md"
			if whole == 0 { // within this call, or soon after it
				after := time.Duration(r.Int64N(int64(2 * slowest)))
				time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) // it may have ended
			}
			began := time.Now()
			out, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "vault_createFile", Arguments: is{"path": name, "content": strings.Repeat("text ", 2000) + name}})
			if err != nil && whole > 0 {
				t.Fatalf("%s: want an answer of a server that nobody has killed, got %v", name, err)
			}
			if err != nil {
				break
			}
			if out.IsError {
				t.Fatalf("%s: want it staged, got %+v", name, out.Content[0])
			}
			slowest = max(slowest, time.Since(began))
			answered[name] = true
		}
		_ = s.Close() // the server is dead: the error says so
	}
	if now := folder(t, dir); now != before {
		t.Errorf("want the notes unchanged, got\n%s", diffLines(before, now))
	}
	if code, out := reviewed(t, dir, "y\n", "-diff=false"); code != exitOK {
		t.Fatalf("want the staged work approved, got status %d\n%s", code, out)
	}
	for i := 1; i <= n; i++ {
		name := "N" + strconv.Itoa(i) + ".md"
		text := disk(t, dir, name)
		if answered[name] && text == "" {
			t.Errorf("%s: want it made, since the call was answered", name)
		}
		if text != "" && text != strings.Repeat("text ", 2000)+name {
			t.Errorf("%s: want all of its text or none, got %d bytes", name, len(text))
		}
	}
}

// Whenever the run of an approval is killed, nothing of the staged work is lost: it is
// staged as a whole, or made as a whole, or an interrupted run has begun. Such a run can
// be taken back, and then the work is staged as before.
func TestAnApprovalThatIsKilledAtAnyMomentLosesNothing(t *testing.T) {
	r := seeded(t)
	rounds := 5
	if os.Getenv("EXHAUSTIVE") != "" {
		rounds = 50
	}
	whole := time.Duration(0)
	for i := range rounds + 1 {
		dir, _ := vault(t, 1)
		before := folder(t, dir)
		c := connected(t, dir, nil)
		for n := range 30 {
			c.does("vault_createFile", is{"path": "N" + strconv.Itoa(n) + ".md", "content": strings.Repeat("text ", 500)})
		}
		c.does("vault_appendFile", is{"path": "List.md", "content": "\n- more\n"})
		after := time.Hour // the first is not killed, and says how long it takes
		if i > 0 {
			after = time.Duration(r.Int64N(int64(whole)))
		}
		began := time.Now()
		killed := approvedUntil(t, dir, after)
		if i == 0 {
			whole = time.Since(began)
		}
		settleApproval(t, c, dir, before, killed)
	}
}

// approvedUntil approves what is staged in a program of its own that is killed after a
// while, and says whether it was.
func approvedUntil(t *testing.T, dir string, after time.Duration) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asCommand+"="+strings.Join([]string{"review-yes", "-vault", dir, "-diff=false"}, "\n"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) // it may have ended
	defer timer.Stop()
	err := cmd.Wait()
	var status *exec.ExitError
	if err != nil && (!errors.As(err, &status) || status.Exited()) {
		t.Fatalf("want the approval made or killed, got %v: %s", err, out.String())
	}
	return err != nil
}

// settleApproval takes back what an approval has made, and looks whether all is as it
// was before the yes, or before the calls where the run came to its end.
func settleApproval(t *testing.T, c *client, dir, before string, killed bool) {
	t.Helper()
	staged, nothing := c.call("review_show", nil)
	whole := func(text string) bool { return strings.Contains(text, "N29.md") && strings.Contains(text, "+ - more") }
	if folder(t, dir) == before {
		if !killed || !whole(staged) {
			t.Fatalf("want all of it staged where nothing is made (killed: %v), got\n%s", killed, staged)
		}
		return
	}
	if !killed && !nothing {
		t.Fatalf("want nothing staged after a run that came to its end, got\n%s", staged)
	}
	var out bytes.Buffer
	if code := Revert(context.Background(), []string{"-vault", dir, "-yes", "-diff=false"}, &out, &out); code != exitOK {
		t.Fatalf("want it taken back, got status %d\n%s", code, out.String())
	}
	if err := os.RemoveAll(dir + "/.trash"); err != nil {
		t.Fatal(err)
	}
	if now := folder(t, dir); now != before {
		t.Errorf("want the notes as they were, got\n%s", diffLines(before, now))
	}
	if now, _ := c.call("review_show", nil); nothing != strings.Contains(now, "Nothing is staged") || !nothing && !whole(now) {
		t.Errorf("want it staged again where the run was interrupted (it was: %v), got %s", !nothing, now)
	}
}
