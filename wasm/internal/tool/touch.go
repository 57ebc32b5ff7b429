package tool

// Touch says what a call may do to notes, as far as its arguments tell: the files
// that it may write, the folders below which it may, or that it may write
// anywhere; and whether it moves or removes.
type Touch struct {
	Files, Folders []string
	Anywhere       bool
	Deletes        bool
	Renames        bool
}

// TouchOf says what a call with these arguments may do to notes: as the tool says
// itself, or else by its claims.
func (t *Tool) TouchOf(args Args) Touch {
	switch {
	case t.Touches != nil:
		return t.Touches(args)
	case t.Claims == nil:
		// A tool that writes and does not say what may write anything.
		return Touch{Anywhere: t.SideEffects.Risk() == RiskWrites}
	}
	var out Touch
	for _, c := range t.Claims(args) {
		if c == "*" || c == "" {
			out.Anywhere = true
			continue
		}
		out.Files = append(out.Files, c)
	}
	return out
}
