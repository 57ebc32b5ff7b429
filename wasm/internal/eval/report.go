//go:build !js

package eval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/terminal"
)

// formOfReport is the version of the file of a Report.
const formOfReport = 1

// Report is an evaluation as it is kept in a file.
type Report struct {
	Form int    `json:"form"`
	At   string `json:"at"` // RFC 3339
	// Model and URL name what was asked; "script" is the script.
	Model string `json:"model"`
	URL   string `json:"url,omitempty"`
	Tries []Try  `json:"tries"`
}

// Sum adds up all tries of one way.
type Sum struct {
	Way                                             Way
	Tries, Right, Steps, Requests, Repairs, In, Out int
	Seconds                                         float64
	Estimated                                       bool
}

// Sums adds the tries up, a row for each way that there is.
func (r *Report) Sums() []Sum {
	var out []Sum
	for _, way := range Ways {
		s := Sum{Way: way}
		for i := range r.Tries {
			if t := &r.Tries[i]; t.Way == way {
				s.add(t)
			}
		}
		if s.Tries > 0 {
			out = append(out, s)
		}
	}
	return out
}

func (s *Sum) add(t *Try) {
	s.Tries++
	if t.Right {
		s.Right++
	}
	s.Steps += t.Steps
	s.Requests += t.Requests
	s.Repairs += t.Repairs
	s.In += t.In
	s.Out += t.Out
	s.Seconds += t.Seconds
	s.Estimated = s.Estimated || t.Estimated
}

// row is the form of a line of the table.
const row = "%-34s %-6s %7s %6s %8s %8s %9s %7s %8s\n"

// Print prints the table: a line for each task and way, and one for each way.
func (r *Report) Print(out *terminal.Printer) {
	out.Printf(row, "task", "way", "right", "steps", "requests", "repairs", "in", "out", "seconds")
	for _, l := range r.lines() {
		out.Printf(row, l.task, string(l.sum.Way), fmt.Sprintf("%d/%d", l.sum.Right, l.sum.Tries), mean(l.sum.Steps, l.sum.Tries),
			mean(l.sum.Requests, l.sum.Tries), mean(l.sum.Repairs, l.sum.Tries), mean(l.sum.In, l.sum.Tries), mean(l.sum.Out, l.sum.Tries),
			fmt.Sprintf("%.1f", l.sum.Seconds/float64(l.sum.Tries)))
	}
	out.Printf("\n")
	estimated := false
	for _, s := range r.Sums() {
		estimated = estimated || s.Estimated
		out.Printf("%s: %d of %d right; %d steps, %d requests, %d repairs, %d tokens in, %d tokens out, %.1f seconds\n",
			string(s.Way), s.Right, s.Tries, s.Steps, s.Requests, s.Repairs, s.In, s.Out, s.Seconds)
	}
	if estimated {
		out.Printf("Tokens are a quarter of the bytes where the endpoint does not count them.\n")
	}
}

// line is the tries of one task in one way.
type line struct {
	task string
	sum  Sum
}

// lines gives a line for each task and way, in the order in which they came.
func (r *Report) lines() []line {
	var out []line
	for i := range r.Tries {
		t := &r.Tries[i]
		n := slices.IndexFunc(out, func(l line) bool { return l.task == t.Task && l.sum.Way == t.Way })
		if n < 0 {
			out, n = append(out, line{t.Task, Sum{Way: t.Way}}), len(out)
		}
		out[n].sum.add(t)
	}
	sorting.StableFunc(out, func(a, b line) int { return cmp.Compare(slices.Index(Ways, a.sum.Way), slices.Index(Ways, b.sum.Way)) })
	return out
}

// mean writes how many of something there were in a try.
func mean(n, of int) string {
	if n%of == 0 {
		return fmt.Sprint(n / of)
	}
	return fmt.Sprintf("%.1f", float64(n)/float64(of))
}

// PrintWrong prints why tries were not right.
func (r *Report) PrintWrong(out *terminal.Printer) {
	for i := range r.Tries {
		t := &r.Tries[i]
		if t.Right {
			continue
		}
		out.Printf("\n%s (%s): %s\n", t.Task, string(t.Way), t.Outcome)
		for _, w := range t.Wrong[:min(len(t.Wrong), 5)] {
			for line := range strings.Lines(w) {
				out.Printf("  %s\n", strings.TrimSuffix(line, "\n"))
			}
		}
		if n := len(t.Wrong) - 5; n > 0 {
			out.Printf("  and %d more\n", n)
		}
		if t.Problem != "" {
			out.Printf("  the person reads: %s\n", t.Problem)
		}
	}
}

// Compare prints how a report differs from an earlier one, and says whether it is worse:
// a task that was right in every try is not any more.
func (r *Report) Compare(before *Report, out *terminal.Printer) (worse bool) {
	out.Printf("\nCompared with %s of %s:\n", before.Model, before.At)
	was := map[string]Sum{}
	for _, l := range before.lines() {
		was[l.task+" "+string(l.sum.Way)] = l.sum
	}
	for _, l := range r.lines() {
		name := l.task + " " + string(l.sum.Way)
		b, there := was[name]
		switch {
		case !there:
			out.Printf("  new: %s\n", name)
		case b.Right*l.sum.Tries != l.sum.Right*b.Tries:
			out.Printf("  %s: %d of %d right, before %d of %d\n", name, l.sum.Right, l.sum.Tries, b.Right, b.Tries)
			worse = worse || b.Right == b.Tries
		}
	}
	sums := map[Way]Sum{}
	for _, s := range before.Sums() {
		sums[s.Way] = s
	}
	for _, s := range r.Sums() {
		if b, there := sums[s.Way]; there {
			out.Printf("  %s: tokens in %s, out %s, requests %s, steps %s\n", string(s.Way),
				ratio(s.In, s.Tries, b.In, b.Tries), ratio(s.Out, s.Tries, b.Out, b.Tries),
				ratio(s.Requests, s.Tries, b.Requests, b.Tries), ratio(s.Steps, s.Tries, b.Steps, b.Tries))
		}
	}
	return worse
}

// ratio writes a mean of now as a multiple of the one before.
func ratio(now, tries, before, triesBefore int) string {
	if before == 0 || tries == 0 {
		return fmt.Sprint(now)
	}
	return fmt.Sprintf("× %.2f", float64(now)*float64(triesBefore)/float64(tries)/float64(before))
}

// Write writes a report to a file.
func (r *Report) Write(path string) error {
	b, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o600)
}

// ReadReport reads a report from a file.
func ReadReport(path string) (*Report, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var r Report
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if r.Form != formOfReport {
		return nil, fmt.Errorf("%s: a report of form %d cannot be read", path, r.Form)
	}
	return &r, nil
}
