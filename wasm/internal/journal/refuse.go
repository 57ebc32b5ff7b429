package journal

// Refused is a write that is not taken back, or not finished, and why.
type Refused struct {
	Path string
	Err  error
}

// LeaveOut takes out the writes to paths that refuse refuses, before anything
// looks at what is there: a journal may name any path whatever. They count as
// not made.
func (l *Log) LeaveOut(refuse func(path string) error) []Refused {
	var out []Refused
	for i := range l.Entries {
		e := &l.Entries[i]
		err, path := refuse(e.Path), e.Path
		if err == nil && e.To != "" {
			err, path = refuse(e.To), e.To
		}
		if err != nil {
			e.Outcome = Failed
			out = append(out, Refused{path, err})
		}
	}
	return out
}
