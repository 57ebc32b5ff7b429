//go:build !js

// Command embedded-agent is the native side of Embedded Agent: the same packages as in the plugin, without Obsidian.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"embedded-agent/wasm/internal/cli"
	"embedded-agent/wasm/internal/proxy"
	"embedded-agent/wasm/internal/sandbox/child"
	"embedded-agent/wasm/internal/terminal"
	"embedded-agent/wasm/internal/workcopy"
)

// command is a subcommand: what it does in one line, and its entry, which returns the exit status.
type command struct {
	about string
	run   func(ctx context.Context, args []string, stdout, stderr io.Writer) int
}

var commands = map[string]command{
	"run":    {"run a plan on a folder of notes: show the changes, ask, and make them", cli.Run},
	"revert": {"undo a run", cli.Revert},
	"verify": {"check that the records of a run are complete and unchanged", cli.Verify},
	"events": {"print the events of a run's calls, one JSON object per line", cli.Events},
	"mcp":    {"offer a folder of notes to agents by the Model Context Protocol: what they write waits for a yes", cli.MCP},
	"review": {"show what agents have staged, ask, and make the changes", cli.Review},
	"stage":  {"run a command, such as an agent, in a copy of the notes: show what it changed, ask, and make the changes", cli.Stage},
	"replay": {"repeat a past run in memory and compare the results, or show what an exported run would do", cli.Replay},
	"proxy":  {"serve /v1/responses with function calling for a model that only writes text", proxy.Main},
}

func main() {
	child.Main()    // does not return where this process is a sandbox
	workcopy.Main() // nor where a staged command runs below it
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	stderr := terminal.To(os.Stderr)
	go heed(signals, cancel, stderr, os.Exit)
	os.Exit(run(ctx, os.Args[1:], terminal.To(os.Stdout), stderr))
}

// lastCall is how long what is under way may take to end after SIGTERM.
const lastCall = 10 * time.Second

// heed cancels what is under way with the first signal, and ends the program with
// the second, or when it has not ended in time after SIGTERM. Nothing is lost by
// that: a run that is cut off is found by its journal.
func heed(signals <-chan os.Signal, cancel func(), stderr *terminal.Printer, exit func(int)) {
	first := <-signals
	cancel()
	var late <-chan time.Time
	if first == syscall.SIGTERM {
		late = time.After(lastCall)
	} else {
		stderr.Printf("embedded-agent: stopping; interrupt again to end at once\n")
	}
	select {
	case second := <-signals:
		first = second
	case <-late:
	}
	code := 128 + int(syscall.SIGTERM)
	if first == os.Interrupt {
		code = 128 + int(syscall.SIGINT)
	}
	exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr *terminal.Printer) int {
	if len(args) == 0 {
		usage(stderr)
		return 2
	}
	c, ok := commands[args[0]]
	switch {
	case ok:
		return c.run(ctx, args[1:], stdout, stderr)
	case args[0] == "help" || args[0] == "-h" || args[0] == "--help":
		usage(stdout)
		return 0
	default:
		stderr.Printf("embedded-agent: there is no command %q\n", args[0])
		usage(stderr)
		return 2
	}
}

func usage(out *terminal.Printer) {
	out.Printf("Usage: embedded-agent COMMAND [flags]\n")
	var names []string
	for name := range commands {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		out.Printf("  %-10s %s\n", name, commands[name].about)
	}
	out.Printf("embedded-agent COMMAND -h lists a command's flags.\n")
}
