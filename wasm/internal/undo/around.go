package undo

import (
	"context"
	"slices"
)

// settleAround settles what did not end of a run and of the runs about it, before
// anything is planned for it: what began last comes first, since the bytes that it
// has cut short are no sign of those before it. A run that goes on elsewhere is
// refused.
func (f *found) settleAround(ctx context.Context, id string) error {
	if err := f.deps.Runs.Own(ctx, id); err != nil {
		return err
	}
	c, err := f.cardOf(ctx, id)
	if err != nil || c == nil {
		return err
	}
	for _, hot := range slices.Backward(c.hot) {
		if err := f.deps.Runs.Own(ctx, hot); err != nil {
			return err
		}
		_, l, err := f.deps.History.Past(ctx, hot)
		if err != nil {
			return err
		}
		if err := f.settler.settleJournal(ctx, hot, l); err != nil {
			return err
		}
	}
	return nil
}

// leaveAround ends the runs about a run, once that is dealt with.
func (f *found) leaveAround(ctx context.Context, id string) error {
	c, err := f.cardOf(ctx, id)
	if err != nil || c == nil {
		return err
	}
	for _, hot := range slices.Backward(c.hot) {
		if hot == id {
			continue
		}
		if err := f.leave(ctx, hot); err != nil {
			return err
		}
	}
	return nil
}

// cardOf gives the card of a run that did not end; nil where there is none.
func (f *found) cardOf(ctx context.Context, id string) (*card, error) {
	cards, err := f.cards(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range cards {
		if c.run == id {
			return c, nil
		}
	}
	return nil, nil
}
