package undo

import (
	"context"
	"slices"
)

// settleAround settles what did not end of a run and of the runs about it, before
// anything is planned for it: what began last comes first, since the bytes that it
// has cut short are no sign of those before it. A run that goes on elsewhere is
// refused.
func (b *Undo) settleAround(ctx context.Context, id string) error {
	if err := b.deps.Runs.Own(ctx, id); err != nil {
		return err
	}
	c, err := b.cardOf(ctx, id)
	if err != nil || c == nil {
		return err
	}
	for _, hot := range slices.Backward(c.hot) {
		if err := b.deps.Runs.Own(ctx, hot); err != nil {
			return err
		}
		_, l, err := b.deps.History.Past(ctx, hot)
		if err != nil {
			return err
		}
		if err := b.settleJournal(ctx, hot, l); err != nil {
			return err
		}
	}
	return nil
}

// leaveAround ends the runs about a run, once that is dealt with.
func (b *Undo) leaveAround(ctx context.Context, id string) error {
	c, err := b.cardOf(ctx, id)
	if err != nil || c == nil {
		return err
	}
	for _, hot := range slices.Backward(c.hot) {
		if hot == id {
			continue
		}
		if err := b.leave(ctx, hot); err != nil {
			return err
		}
	}
	return nil
}

// cardOf gives the card of a run that did not end; nil where there is none.
func (b *Undo) cardOf(ctx context.Context, id string) (*card, error) {
	cards, err := b.cards(ctx)
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
