package tool

import (
	"encoding/json"
	"fmt"
)

// Facts say what a tool does, as far as something is decided or shown by it.
// Nobody outside of the tool concludes anything from its name.
type Facts struct {
	// Deletes and Renames: the tool is there to remove, or to move, what is in the
	// vault, and is of no use where the settings forbid that. What one call does,
	// TouchOf says.
	Deletes, Renames bool
	// WritesWith names the argument without which a tool that writes only looks: where
	// a call leaves it out, or says false, it reads. "" for a tool whose calls all write.
	WritesWith string
	// Requests is the method by which the tool asks the address in its argument
	// "url", where the argument "method" names none; "" for a tool that reaches
	// no address. One whose side effects are Commands sends.
	Requests string
	// RunsCommand: it runs the command of the app that its argument "id" names.
	RunsCommand bool
	// RunsScript: it computes in the sandbox, and nowhere without one.
	RunsScript bool
	// AsksModel: it asks a model, while a plan is simulated.
	AsksModel bool
	// OnWindow: it looks at the window or changes it, so that a run executes it
	// again, whatever the simulation found.
	OnWindow bool
	// MovesWindow: it changes what the window shows.
	MovesWindow bool
	// OpensNote: it shows the person the note in its argument "path".
	OpensNote bool
	// ReadsSelection: it gives what is selected in the open note.
	ReadsSelection bool
	// ReadsElsewhere: what it gives comes from outside of the vault, and holds no
	// text of notes beside what it was called with.
	ReadsElsewhere bool
	// ReadsOn: it gives more of what a model was told in short, an output or a tool,
	// so that it is of use in a conversation alone.
	ReadsOn bool
	// Finds: its output is a list for the person to choose from. The log shows more
	// of it than of other outputs.
	Finds bool
	// Random: it chooses at random. Its output has the "seed" that chooses the same
	// again, and the review shows it.
	Random bool
}

// EffectsOf gives the side effects of a call with these arguments. An argument that
// is not known yet, as a reference in a plan, counts as if it were given.
func (s *Spec) EffectsOf(args Args) SideEffects {
	if with := s.Facts.WritesWith; with != "" && (args[with] == nil || args[with] == false) {
		return Reads
	}
	return s.SideEffects
}

// Sends says whether a call sends what cannot be taken back.
func (s *Spec) Sends() bool { return s.Facts.Requests != "" && s.SideEffects == Commands }

// MethodOf gives the method of a request that a call makes; "" for a tool that
// makes none.
func (s *Spec) MethodOf(args Args) string {
	if m := args.String("method"); m != "" && s.Facts.Requests != "" {
		return m
	}
	return s.Facts.Requests
}

// check says how facts contradict each other, the side effects or the arguments.
func (f *Facts) check(s *Spec) error {
	if *f == (Facts{}) {
		return nil // most tools, so that their schemas are not read at every start
	}
	// The schema is read for facts that need it alone: this is done at every start.
	takes := func(says bool, arg, kind string) bool { return !says || hasProperty(s.Input, arg, kind) }
	reads := s.SideEffects == Reads
	writes := s.SideEffects == Writes
	for _, rule := range []struct {
		says, holds bool
		problem     string
	}{
		{f.Deletes, writes, "deletes and does not write"},
		{f.Renames, writes, "renames and does not write"},
		{f.WritesWith != "", writes, "writes with an argument, and does not write"},
		{f.WritesWith != "", takes(f.WritesWith != "", f.WritesWith, "boolean"), "has no boolean argument with which it writes"},
		{f.Requests != "", reads || s.SideEffects == Commands, "requests, and neither reads nor does what commands do"},
		{f.Requests != "", takes(f.Requests != "", "url", "string"), `requests and has no argument "url"`},
		{f.Requests != "", !f.RunsCommand, "requests and runs commands"},
		{f.RunsCommand, s.SideEffects == Commands, "runs commands, and its side effects are less"},
		{f.RunsCommand, takes(f.RunsCommand, "id", "string"), `runs commands and has no argument "id"`},
		{f.RunsScript, s.SideEffects == None, "computes in the sandbox and has side effects"},
		{f.AsksModel, reads, "asks a model and does not read"},
		{f.OnWindow, reads, "acts on the window and does not read"},
		{f.MovesWindow, f.OnWindow, "moves the window, and does not act on it"},
		{f.OpensNote, f.MovesWindow, "opens a note, and does not move the window"},
		{f.OpensNote, f.OnWindow && takes(f.OpensNote, "path", "string"), `opens a note, and does not act on the window or has no argument "path"`},
		{f.ReadsSelection, reads, "gives the selection and does not read"},
		{f.ReadsElsewhere, reads, "reads elsewhere and does not read"},
		{f.ReadsOn, reads, "reads on and does not read"},
		{f.Random, takes(f.Random, "seed", "string"), `chooses at random and has no argument "seed"`},
	} {
		if rule.says && !rule.holds {
			return fmt.Errorf("tool %s %s", s.Name, rule.problem)
		}
	}
	return nil
}

// hasProperty says whether an input schema knows an argument of a type.
func hasProperty(input json.RawMessage, arg, kind string) bool {
	var root struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	return json.Unmarshal(input, &root) == nil && root.Properties[arg].Type == kind
}
