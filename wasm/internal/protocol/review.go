package protocol

// Review is shown before a run: the effects of executing the plan on
// the overlay. The panel shows it as it is; every number is computed here.
type Review struct {
	Run         string   `json:"run"`
	Goal        string   `json:"goal"`
	Assumptions []string `json:"assumptions"`
	// Summary is the plan in words: "Will create 10 notes under Projects/XYZ".
	Summary []SummaryLine `json:"summary"`
	Files   []FileChange  `json:"files"`
	Steps   []StepPreview `json:"steps"`
	Risk    Risk          `json:"risk"`
	Calls   int           `json:"calls"`
	// DryRun reviews cannot be approved. Approvable is false also when the
	// simulation failed or nothing would change.
	DryRun     bool      `json:"dryRun"`
	Approvable bool      `json:"approvable"`
	Warnings   []Message `json:"warnings"`
	Problem    *Problem  `json:"problem,omitempty"`
	Halted     `tstype:",extends"`
	// Approval names exactly this state of the review; approving anything else
	// is refused.
	Approval string `json:"approval"`
	Plan     string `json:"plan"` // the plan's JSON, for "Edit plan"
	Touched  `tstype:",extends"`
	// Findings tell what the plan found.
	Findings *Findings `json:"findings,omitempty"`
	// Undo is KindRevert or KindFinish where the changes come from a past run's
	// journal, KindStaged where a command made them: there is no plan. Title stands for the goal then and for a replay,
	// and Origin is that of the run (RunSummary).
	Undo   RunKind  `json:"undo,omitempty"`
	Title  *Message `json:"title,omitempty"`
	Origin Origin   `json:"origin,omitempty"`
}

// Halted says whether the simulation came to its end.
type Halted struct {
	// Stopped: it did not; a problem without it is one that the plan says to skip.
	Stopped bool `json:"stopped,omitempty"`
	// Refused has the ids of the steps that the policy did not let run. The rest of
	// the plan can be done without them (AmendWithout).
	Refused []string `json:"refused,omitempty"`
	// MayAllow: a switch of the person's own settings refused the step at which the
	// simulation stopped, and the person may let this plan do it once (AmendOnce).
	MayAllow bool `json:"mayAllow,omitempty"`
}

// Touched says how far the person has changed a review.
type Touched struct {
	Amended bool `json:"amended"`
	// Drafts has the texts that were being written when the review was last open.
	Drafts *DraftTexts `json:"drafts,omitempty"`
}

// Linked says of a note that links in it follow a rename.
type Linked struct {
	// LinksOnly marks notes that change for no other reason.
	LinksOnly bool `json:"linksOnly,omitempty"`
	// Follows is the new path of what is renamed.
	Follows string `json:"follows,omitempty"`
}

// SummaryLine is one line of the plan in words.
type SummaryLine struct {
	Tone  Tone     `json:"tone"`
	Text  Message  `json:"text"`
	Paths []string `json:"paths,omitempty"`
}

// FileChange is one path of the changeset. From is the path before a rename.
type FileChange struct {
	Path    string     `json:"path"`
	Status  FileStatus `json:"status"`
	From    string     `json:"from,omitempty"`
	Added   int        `json:"added"`   // lines
	Removed int        `json:"removed"` // lines
	Binary  bool       `json:"binary,omitempty"`
	Bytes   int64      `json:"bytes"`
	// Runs counts the places that the change adds which may run by themselves or
	// when they are pressed, Loads those that load something from elsewhere.
	Runs  int `json:"runs,omitempty"`
	Loads int `json:"loads,omitempty"`
	// Alike is another path whose name looks like the new name of this one, and is
	// not: the letters are others.
	Alike  string `json:"alike,omitempty"`
	Linked `tstype:",extends"`
	// Dropped files are not written; Edited ones are written as the person
	// changed them. Undoable is false for what cannot be taken back.
	Dropped  bool `json:"dropped,omitempty"`
	Edited   bool `json:"edited,omitempty"`
	Undoable bool `json:"undoable"`
	// Moves counts the files that move along with a folder that is renamed; it is
	// nil for anything else.
	Moves *int `json:"moves,omitempty"`
}

// StepPreview is one step of the plan as it was simulated.
type StepPreview struct {
	ID       string   `json:"id"`
	Tool     string   `json:"tool"`
	Text     string   `json:"text"` // the plan's own words
	Calls    int      `json:"calls"`
	Args     string   `json:"args"` // JSON, as the plan has them
	Simulate bool     `json:"simulable"`
	Undo     bool     `json:"undoable"`
	Problem  *Problem `json:"problem,omitempty"`
	// Cut says how much the step left out, since the plan names a limit; LeftOut
	// lists what it was to work on and left alone.
	Cut     *Cut     `json:"cut,omitempty"`
	LeftOut *LeftOut `json:"leftOut,omitempty"`
	// Notes say how the step was read where the plan has it in other words, and
	// what its condition came to.
	Notes []Message `json:"notes,omitempty"`
}

// Cut says how much of what there is a step took. All is whether it can be
// simulated again without its limit (AmendAll).
type Cut struct {
	Shown int `json:"shown"`
	// Total is -1 where nobody knows how much there is.
	Total int  `json:"total"`
	All   bool `json:"all"`
}

// LeftOut lists what one step was to work on and left alone: Count of Total
// things. Name says the step in words.
type LeftOut struct {
	Step   string         `json:"step"`
	Name   string         `json:"name"`
	Count  int            `json:"count"`
	Total  int            `json:"total"`
	Groups []LeftOutGroup `json:"groups"`
}

// LeftOutGroup lists what was left alone for one reason; the largest group is first.
type LeftOutGroup struct {
	Reason Message       `json:"reason"`
	Items  []LeftOutItem `json:"items"`
}

// LeftOutItem is one of them: a path, or the name of an element. Why says more
// than the reason of its group.
type LeftOutItem struct {
	Name string   `json:"name"`
	Why  *Message `json:"why,omitempty"`
}

// FileRef names one path of a review or a run.
type FileRef struct {
	Run  string `json:"run"`
	Path string `json:"path"`
}

// FileView is one file before and after, with the hunks between.
type FileView struct {
	Path   string     `json:"path"`
	From   string     `json:"from,omitempty"`
	Status FileStatus `json:"status"`
	Before string     `json:"before"`
	After  string     `json:"after"` // with the person's edits
	Hunks  []Hunk     `json:"hunks"`
	// Binary says that one side is no text (UTF-8). That side is told by its
	// facts, and its text is empty; the other is shown as ever.
	Binary      bool       `json:"binary,omitempty"`
	BeforeFacts *FileFacts `json:"beforeFacts,omitempty"`
	AfterFacts  *FileFacts `json:"afterFacts,omitempty"`
	// Alerts say what the change adds that may run or load by itself.
	Alerts []Alert `json:"alerts"`
	// Moved are the files that move along with a folder, by their paths before.
	Moved []string `json:"moved,omitempty"`
}

// FileFacts describe bytes that are no text: their number, their kind in words,
// and their SHA-256 in hexadecimal.
type FileFacts struct {
	Bytes int64   `json:"bytes"`
	Type  Message `json:"type"`
	Hash  string  `json:"hash"`
}

// Alert is a place that needs a second look. Line is one of the text after, from
// 1; 0 for the file as a whole.
type Alert struct {
	Line int     `json:"line"`
	Text Message `json:"text"`
}

// Hunk is one run of changed lines; line numbers from 0. Rejected hunks are
// not written.
type Hunk struct {
	BeforeFrom int      `json:"beforeFrom"`
	BeforeTo   int      `json:"beforeTo"`
	AfterFrom  int      `json:"afterFrom"`
	AfterTo    int      `json:"afterTo"`
	Removed    []string `json:"removed"`
	Added      []string `json:"added"`
	Rejected   bool     `json:"rejected,omitempty"`
}

// Amendment is one change that a person makes in review. Paths, for AmendDrop and
// AmendKeep, are many at once; then Path is not looked at.
type Amendment struct {
	Run      string        `json:"run"`
	Kind     AmendmentKind `json:"kind"`
	Path     string        `json:"path,omitempty"`
	Paths    []string      `json:"paths,omitempty"`
	Rejected []int         `json:"rejected,omitempty"`
	Text     string        `json:"text,omitempty"`
	Plan     string        `json:"plan,omitempty"`
	Step     string        `json:"step,omitempty"`
}

// Approve is a yes to exactly one state of a review.
type Approve struct {
	Run      string `json:"run"`
	Approval string `json:"approval"`
	// Automatic: the yes was given beforehand; nobody has looked at the changes.
	Automatic bool `json:"automatic,omitempty"`
}

// PlanAgain is a plan whose review is no more. Run names one that was kept
// (NotRun), with what the person left out and edited; where it was not, Plan is
// simulated as it is.
type PlanAgain struct {
	Run    string `json:"run,omitempty"`
	Plan   string `json:"plan,omitempty"` // Review.Plan
	DryRun bool   `json:"dryRun,omitempty"`
}

// NotRun is a plan that was shown and has not run: it can be reviewed again.
type NotRun struct {
	Run   string `json:"run"`
	Goal  string `json:"goal"`
	Files int    `json:"files"` // that it would change
	// Amended: it would run with changes that the person made.
	Amended bool `json:"amended,omitempty"`
}

// DraftTexts has the texts that a person is writing and has not put into the
// review: the plan, where it is not nil, and texts of files by path.
type DraftTexts struct {
	Plan  *string           `json:"plan,omitempty"`
	Texts map[string]string `json:"texts,omitempty"`
}

// ReviewDrafts are the drafts in the review of a run.
type ReviewDrafts struct {
	Run    string     `json:"run"`
	Drafts DraftTexts `json:"drafts"`
}
