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
	// Stopped: the simulation did not come to its end; a problem without it is
	// one that the plan says to skip.
	Stopped bool `json:"stopped,omitempty"`
	// Approval names exactly this state of the review; approving anything else
	// is refused.
	Approval string `json:"approval"`
	Plan     string `json:"plan"` // the plan's JSON, for "Edit plan"
	Amended  bool   `json:"amended"`
	// Findings are the answer of a plan that only reads.
	Findings *Findings `json:"findings,omitempty"`
	// Undo is KindRevert or KindFinish where the changes come from a past run's
	// journal: there is no plan. Title stands for the goal then and for a replay,
	// and Origin is that of the run (RunSummary).
	Undo   RunKind  `json:"undo,omitempty"`
	Title  *Message `json:"title,omitempty"`
	Origin Origin   `json:"origin,omitempty"`
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
	Alike string `json:"alike,omitempty"`
	// LinksOnly marks notes that change only because a link in them follows a
	// rename.
	LinksOnly bool `json:"linksOnly,omitempty"`
	// Dropped files are not written; Edited ones are written as the person
	// changed them. Undoable is false for what cannot be taken back.
	Dropped  bool `json:"dropped,omitempty"`
	Edited   bool `json:"edited,omitempty"`
	Undoable bool `json:"undoable"`
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

// Amendment is one change that a person makes in review.
type Amendment struct {
	Run      string        `json:"run"`
	Kind     AmendmentKind `json:"kind"`
	Path     string        `json:"path,omitempty"`
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

// PlanAgain is a plan whose review is no more, since the core that held it is not.
type PlanAgain struct {
	Plan   string `json:"plan"` // Review.Plan
	DryRun bool   `json:"dryRun,omitempty"`
}
