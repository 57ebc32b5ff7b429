//go:build !js

package eval

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sandbox/child"
	"embedded-agent/wasm/internal/terminal"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/web"
)

// Help says which variables Main reads.
const Help = `make eval lets a model work on graded tasks, and prints what came of them.

  EVAL_URL          the endpoint's address, such as http://localhost:11434/v1; its end may
                    name the dialect (…/responses, …/messages, …/chat/completions).
                    Without it a script answers with what the tasks have recorded as right
  EVAL_MODEL        the model's name
  EVAL_KEY          its key, where it needs one; it is sent to EVAL_URL and kept nowhere
  EVAL_DIALECT      openai, anthropic, custom (the default) or text
  EVAL_TIMES        how often each task is worked on (1)
  EVAL_WAYS         plan, agent, notes: with a comma between (all)
  EVAL_ONLY         tasks whose names contain this text
  EVAL_TASKS        more folders of tasks, with a colon between
  EVAL_SECONDS      the most that one try may take (600)
  EVAL_OUT          the folder for report.json and the transcripts (build/eval)
  EVAL_AGAINST      an earlier report.json to compare with; the command fails where a
                    task that was right is not any more
  EVAL_TRANSCRIPTS  plays the transcripts in this folder in place of a model
`

// folders have the tasks, from the repository's root.
var folders = []string{
	"wasm/internal/eval/testdata/tasks", "wasm/internal/server/testdata/requests", "wasm/internal/tool/builtin/testdata/requests",
}

// choices hold the variables as they were read.
type choices struct {
	endpoint Endpoint
	script   Script
	tasks    []*Task
	ways     []Way
	times    int
	most     time.Duration
	out      string
	against  *Report
	played   string
}

// Main carries an evaluation out. env gives a variable. The status is 0 where all could
// be carried out and no task became worse, however many are wrong; else 1, or 2 where a
// variable says what cannot be.
func Main(ctx context.Context, env func(string) string, stdout, stderr io.Writer) int {
	out, told := terminal.To(stdout), terminal.To(stderr)
	c, err := read(env)
	if err != nil {
		told.Printf("eval: %s\n\n", err)
		told.Printf("%s", Help)
		return 2
	}
	r, err := c.carryOut(ctx, told)
	if err != nil {
		told.Printf("eval: %s\n", err)
		return 1
	}
	r.Print(out)
	r.PrintWrong(out)
	path := filepath.Join(c.out, "report.json")
	if err := r.Write(path); err != nil {
		told.Printf("eval: %s\n", err)
		return 1
	}
	out.Printf("\nWritten: %s and the transcripts beside it.\n", path)
	if c.against != nil && r.Compare(c.against, out) {
		return 1
	}
	return 0
}

// read reads the variables.
func read(env func(string) string) (*choices, error) {
	or := func(name, text string) string {
		if v := env(name); v != "" {
			return v
		}
		return text
	}
	c := &choices{out: or("EVAL_OUT", filepath.Join("build", "eval")), played: env("EVAL_TRANSCRIPTS")}
	c.endpoint = Endpoint{Provider: protocol.Provider(or("EVAL_DIALECT", "custom")), URL: env("EVAL_URL"), Model: env("EVAL_MODEL"), Key: env("EVAL_KEY")}
	switch c.endpoint.Provider {
	case protocol.ProviderCustom, protocol.ProviderOpenAI, protocol.ProviderAnthropic, protocol.ProviderText:
	default:
		return nil, fmt.Errorf("there is no dialect %q", c.endpoint.Provider)
	}
	if c.endpoint.URL == "" {
		c.script = Right
	} else if c.endpoint.Model == "" {
		return nil, errors.New("EVAL_MODEL is missing")
	}
	var err error
	if c.times, err = strconv.Atoi(or("EVAL_TIMES", "1")); err != nil || c.times < 1 {
		return nil, errors.New("EVAL_TIMES is no number from 1")
	}
	seconds, err := strconv.Atoi(or("EVAL_SECONDS", "600"))
	if err != nil || seconds < 1 {
		return nil, errors.New("EVAL_SECONDS is no number from 1")
	}
	c.most = time.Duration(seconds) * time.Second
	for w := range strings.SplitSeq(or("EVAL_WAYS", "plan,agent,notes"), ",") {
		if !slices.Contains(Ways, Way(w)) {
			return nil, fmt.Errorf("there is no way %q", w)
		}
		c.ways = append(c.ways, Way(w))
	}
	if path := env("EVAL_AGAINST"); path != "" {
		if c.against, err = ReadReport(path); err != nil {
			return nil, err
		}
	}
	all := folders
	if more := env("EVAL_TASKS"); more != "" {
		all = slices.Concat(all, filepath.SplitList(more))
	}
	if c.tasks, err = Load(all...); err != nil {
		return nil, err
	}
	if only := env("EVAL_ONLY"); only != "" {
		c.tasks = slices.DeleteFunc(c.tasks, func(t *Task) bool { return !strings.Contains(t.Name, only) })
	}
	if len(c.tasks) == 0 {
		return nil, errors.New("there are no tasks")
	}
	return c, nil
}

// carryOut works on every task. A line for each is printed meanwhile.
func (c *choices) carryOut(ctx context.Context, told *terminal.Printer) (*Report, error) {
	sandbox := child.New()
	defer sandbox.Close()
	r := &Report{Form: formOfReport, At: timestamp.Second(time.Now()), Model: c.endpoint.Model, URL: c.endpoint.URL}
	if c.script != nil {
		r.Model = "script"
	}
	for _, way := range c.ways {
		for _, t := range c.tasks {
			for n := range c.times {
				got, err := c.once(ctx, t, way, n+1, sandbox)
				if err != nil {
					return nil, fmt.Errorf("%s (%s): %w", t.Name, way, err)
				}
				mark := "right"
				if !got.Right {
					mark = "wrong"
				}
				told.Printf("%s %s %s\n", mark, string(way), t.Name)
				r.Tries = append(r.Tries, got)
			}
		}
	}
	return r, nil
}

// once works on a task once, and keeps the transcript.
func (c *choices) once(ctx context.Context, t *Task, way Way, n int, sandbox *child.Runner) (Try, error) {
	ctx, cancel := context.WithTimeout(ctx, c.most)
	defer cancel()
	e := c.endpoint
	name := transcript(t.Name, way, n)
	switch {
	case c.played != "":
		list, err := readTranscript(filepath.Join(c.played, name))
		if err != nil {
			return Try{}, err
		}
		e = over(&played{left: list})
		e.URL, e.Whole = playedFrom(list, e.URL)
	case c.script != nil:
		e = over(&scripted{left: c.script(t, way)})
	}
	got, err := e.Run(ctx, t, way, sandbox)
	if errors.Is(err, context.DeadlineExceeded) {
		return Try{Task: t.Name, Way: way, Outcome: "timeout", Wrong: []string{"it was not done in time"}, Cost: Cost{Seconds: c.most.Seconds()}}, nil
	}
	if err != nil {
		return Try{}, err
	}
	return got, writeTranscript(filepath.Join(c.out, name), got.Exchanges)
}

// over gives an endpoint that a transport plays.
func over(t web.Transport) Endpoint {
	return Endpoint{Provider: protocol.ProviderCustom, URL: "http://script.invalid/v1", Model: "script", Transport: t, Whole: true}
}

// playedFrom gives the address whose end names the dialect of a transcript, and whether
// its answers came in one piece.
func playedFrom(list []*Exchange, otherwise string) (address string, one bool) {
	for _, e := range list {
		if e.asks() {
			return "http://script.invalid" + e.Path, !strings.Contains(e.Type, "event-stream")
		}
	}
	return otherwise, true
}

// transcript gives the name of the file with a try's exchanges.
func transcript(task string, way Way, n int) string {
	return fmt.Sprintf("%s.%s.%d.jsonl", task, way, n)
}

// writeTranscript writes exchanges, one JSON object per line.
func writeTranscript(path string, list []*Exchange) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range list {
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return os.WriteFile(path, []byte(b.String()), 0o600)
}

// maxLine bounds one exchange of a transcript, in bytes.
const maxLine = 64 << 20

// readTranscript reads exchanges back.
func readTranscript(path string) ([]*Exchange, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []*Exchange
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		e := &Exchange{}
		if err := json.Unmarshal(lines.Bytes(), e); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, e)
	}
	return list, lines.Err()
}
