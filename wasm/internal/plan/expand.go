package plan

import "embedded-agent/wasm/internal/fault"

// MaxIterations is the most that one foreach gives where the caller sets no
// lower cap.
const MaxIterations = 100_000

// Loop is one foreach, expanded on real data.
type Loop struct {
	// ID names the expansion; it depends on the step alone, so that a replay
	// finds the same.
	ID        string
	ItemName  string
	IndexName string
	Items     []any // plain JSON values; the index is the place in the list
	// Of is how many elements there were before the loop's conditions were tested.
	Of      int
	Unclear []Unclear
}

// Expand gives the iterations of a foreach step: the list that foreach.from
// refers to, without those for which its conditions do not hold. It is
// VALIDATION_ERROR when there is no list, or when it is
// longer than most (MaxIterations where most is 0). A step without foreach
// gives nil.
func Expand(step *Step, scope *Scope, most int) (*Loop, error) {
	f := step.Foreach
	if f == nil {
		return nil, nil
	}
	if most <= 0 || most > MaxIterations {
		most = MaxIterations
	}
	c := &Compiled{step: step.ID}
	from := c.node(f.From, env{})
	v, err := c.bind(&from, scope)
	if err != nil {
		return nil, err
	}
	items, ok := v.([]any)
	if !ok {
		return nil, fault.New(fault.Validation, "error.plan.foreach.notList", fault.P{"step": step.ID, "ref": fromText(f)})
	}
	l := &Loop{ID: "loop:" + step.ID, ItemName: f.itemName(), IndexName: f.indexName(), Items: items, Of: len(items)}
	if len(f.When) > 0 {
		if err := l.keep(step, scope); err != nil {
			return nil, err
		}
	}
	if n := len(l.Items); n > most {
		return nil, fault.New(fault.Validation, "error.plan.foreach.tooMany",
			fault.P{"step": step.ID, "n": itoa(n), "max": itoa(most)})
	}
	return l, nil
}

// fromText is how foreach.from is called in a message.
func fromText(f *Foreach) string {
	if s, ok := f.From.(string); ok {
		return s
	}
	return "foreach.from"
}
