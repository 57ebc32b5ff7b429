// Package inwords says the changes of a review, and those of a run, in words: each
// line is a message with its parameters, and the paths that it is about.
package inwords

import (
	"slices"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/fileview"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/vaultpath"
)

// Running says how many files would get what may run or load by itself. Each
// file is the row of the change at its place.
func Running(files []protocol.FileChange, changes []overlay.Change) []protocol.SummaryLine {
	var runs, loads, hosts []string
	for i, f := range files {
		if f.Runs > 0 {
			runs = append(runs, f.Path)
		}
		if f.Loads > 0 {
			loads = append(loads, f.Path)
			if len(hosts) <= maxHosts {
				hosts = append(hosts, fileview.Hosts(changes[i])...)
			}
		}
	}
	var out []protocol.SummaryLine
	if len(runs) > 0 {
		out = append(out, protocol.SummaryLine{Tone: "runs", Paths: runs, Text: protocol.Message{
			Key: "review.runs", Params: map[string]string{"n": strconv.Itoa(len(runs)), "path": runs[0]},
		}})
	}
	if len(loads) > 0 {
		slices.Sort(hosts)
		if hosts = slices.Compact(hosts); len(hosts) > maxHosts {
			hosts = append(hosts[:maxHosts], "…")
		}
		out = append(out, protocol.SummaryLine{Tone: "runs", Paths: loads, Text: protocol.Message{
			Key: "review.loads", Params: map[string]string{"n": strconv.Itoa(len(loads)), "path": loads[0], "hosts": strings.Join(hosts, ", ")},
		}})
	}
	return out
}

// maxHosts is how many hosts a line of the summary names; the files name all.
const maxHosts = 5

// Changes says changes in words.
func Changes(files []protocol.FileChange) []protocol.SummaryLine {
	lines := []protocol.SummaryLine{}
	for _, g := range []struct {
		status string
		tone   protocol.Tone
	}{
		{"mkdir", "folder"},
		{"create", "create"},
		{"modify", "modify"},
		{"links", "modify"},
		{"rename", "rename"},
		{"trash", "delete"},
		{"rmdir", "delete"},
	} {
		var paths []string
		for _, f := range files {
			status := string(f.Status)
			if f.LinksOnly {
				status = "links"
			}
			switch {
			case status != g.status || f.Dropped:
			case f.From != "":
				paths = append(paths, f.From+" → "+f.Path)
			default:
				paths = append(paths, f.Path)
			}
		}
		if len(paths) > 0 {
			lines = append(lines, summaryLine(g.status, g.tone, paths))
		}
	}
	return append(lines, movedLines(files)...)
}

// movedLines says how much moves along with folders.
func movedLines(files []protocol.FileChange) []protocol.SummaryLine {
	moved := 0
	for _, f := range files {
		if f.Moves != nil && !f.Dropped {
			moved += *f.Moves
		}
	}
	if moved == 0 {
		return nil
	}
	return []protocol.SummaryLine{{Tone: "rename", Text: protocol.Message{Key: "review.moves", Params: map[string]string{"n": strconv.Itoa(moved)}}}}
}

func summaryLine(status string, tone protocol.Tone, paths []string) protocol.SummaryLine {
	p := map[string]string{"n": strconv.Itoa(len(paths)), "path": paths[0]}
	key := "review." + status
	if folder, one := commonFolder(paths); one && status == "create" {
		p["folder"] = folder
		key = "review.createUnder"
		if folder == "" {
			key = "review.create"
		}
	}
	return protocol.SummaryLine{Tone: tone, Paths: paths, Text: protocol.Message{Key: key, Params: p}}
}

func commonFolder(paths []string) (string, bool) {
	folder := vaultpath.Parent(paths[0])
	for _, p := range paths[1:] {
		if vaultpath.Parent(p) != folder {
			return "", false
		}
	}
	return folder, true
}

// Done says changes in the past tense.
func Done(files []protocol.FileChange) []protocol.SummaryLine {
	lines := Changes(files)
	for i := range lines {
		lines[i].Text.Key = "done." + lines[i].Text.Key
	}
	return lines
}
