//go:build !js

package proxy

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"

	"embedded-agent/wasm/internal/llm/codex"
	"embedded-agent/wasm/internal/terminal"
)

// Names of environment variables that hold secrets, so that none stands in a command line.
const (
	TokenEnv = "EMBEDDED_AGENT_PROXY_TOKEN" // what clients must send
	KeyEnv   = "EMBEDDED_AGENT_BACKEND_KEY" // the API key of a chat backend
)

// options are the command's flags.
type options struct {
	listen  string
	backend string
	codex   codex.Config
	cfg     Config
	origins texts
}

// texts is a flag that may be repeated.
type texts []string

func (l *texts) String() string     { return strings.Join(*l, " ") }
func (l *texts) Set(s string) error { *l = append(*l, s); return nil }

// Main runs the command "proxy" until ctx ends and returns its exit status: 0, 1 where something failed, 2 for wrong flags.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parseFlags(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		terminal.To(stderr).Printf("proxy: %s\n", err)
		return 2
	}
	o.cfg.Log = stderr
	if err := o.run(ctx, stdout); err != nil {
		terminal.To(stderr).Printf("proxy: %s\n", err)
		return 1
	}
	return 0
}

func parseFlags(args []string, stderr io.Writer) (*options, error) {
	o := &options{cfg: Config{Limits: DefaultLimits(), Origins: DefaultOrigins(), Token: os.Getenv(TokenEnv)}}
	l := &o.cfg.Limits
	f := flag.NewFlagSet("proxy", flag.ContinueOnError)
	f.SetOutput(terminal.To(stderr))
	f.StringVar(&o.listen, "listen", "127.0.0.1:8788", "`address` to listen on; anything but loopback needs a token in "+TokenEnv)
	f.StringVar(&o.backend, "backend", "codex", "codex, or the `URL` of a Chat Completions endpoint up to /v1 (its key in "+KeyEnv+")")
	f.StringVar(&o.cfg.Model, "model", "", "`model` to use when a request names none")
	f.BoolVar(&o.cfg.Force, "force-model", false, "use --model, whatever a request names")
	f.StringVar(&o.codex.Bin, "codex-bin", "codex", "the codex `program`")
	f.StringVar(&o.codex.Home, "codex-home", "", "private `folder` for Codex's configuration and sign-in (default: in the user's configuration folder)")
	f.StringVar(&o.codex.ConfigFile, "codex-config", "", "a config.toml `file` to use instead of the one that switches every tool of Codex off")
	f.Var((*texts)(&o.codex.Env), "codex-env", "`name` of a further environment variable to pass to Codex; can be repeated")
	f.BoolVar(&o.codex.WebSearch, "web-search", false, "let Codex search the web by itself")
	f.BoolVar(&o.codex.ViewImage, "view-image", false, "let Codex look at image files by itself")
	f.Var((*texts)(&o.codex.Set), "codex-set", "a further setting for Codex, `key=value` with the value in TOML; can be repeated")
	f.Var(&o.origins, "origin", "a further web `origin` that may call; can be repeated")
	f.Int64Var(&l.MaxBody, "max-body", l.MaxBody, "largest request in bytes")
	f.IntVar(&l.MaxTranscript, "max-transcript", l.MaxTranscript, "longest conversation sent to the backend, in bytes of text")
	f.IntVar(&l.MaxConcurrent, "max-concurrent", l.MaxConcurrent, "requests at once")
	f.DurationVar(&l.TurnTimeout, "turn-timeout", l.TurnTimeout, "longest time for one answer")
	f.DurationVar(&l.ShutdownGrace, "shutdown-grace", l.ShutdownGrace, "time that open requests get to finish")
	f.IntVar(&l.StoreEntries, "store-entries", l.StoreEntries, "number of responses kept for previous_response_id")
	f.IntVar(&l.StoreBytes, "store-bytes", l.StoreBytes, "total size of the responses kept, in bytes")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("%q is not a flag", f.Arg(0))
	}
	o.cfg.Origins = append(o.cfg.Origins, o.origins...)
	return o, o.check()
}

// check refuses to be reachable from elsewhere without a token, and limits that would let nothing through.
func (o *options) check() error {
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return fmt.Errorf("--listen %q: %w", o.listen, err)
	}
	if !loopbackName(host) && o.cfg.Token == "" {
		return fmt.Errorf("--listen %s can be reached from elsewhere: set a token in %s, or listen on 127.0.0.1", o.listen, TokenEnv)
	}
	if l := o.cfg.Limits; l.MaxBody < 1 || l.MaxTranscript < 1 || l.MaxConcurrent < 1 || l.TurnTimeout <= 0 || l.StoreEntries < 0 || l.StoreBytes < 0 {
		return errors.New("limits must be positive")
	}
	if o.backend != "codex" && !strings.HasPrefix(o.backend, "http://") && !strings.HasPrefix(o.backend, "https://") {
		return fmt.Errorf("--backend %q is neither codex nor an http address", o.backend)
	}
	if o.cfg.Force && o.cfg.Model == "" {
		return errors.New("--force-model needs --model")
	}
	return nil
}

// run listens before it starts the backend, so that a port in use costs nothing, and serves until ctx ends.
func (o *options) run(ctx context.Context, stdout io.Writer) error {
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	backend, err := o.start(ctx)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer backend.Close()
	name, _ := backend.Status()
	terminal.To(stdout).Printf("Listening on http://%s/v1 in front of %s\n", l.Addr(), name)
	return New(o.cfg, backend).Serve(ctx, l)
}

func (o *options) start(ctx context.Context) (Backend, error) {
	if o.backend != "codex" {
		return NewChat(o.backend, os.Getenv(KeyEnv)), nil
	}
	if o.codex.Home == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return nil, fmt.Errorf("no configuration folder, set --codex-home: %w", err)
		}
		o.codex.Home = filepath.Join(dir, "embedded-agent", "codex")
	}
	s, err := codex.Start(ctx, o.codex)
	if err != nil {
		return nil, err
	}
	return NewCodex(s), nil
}
