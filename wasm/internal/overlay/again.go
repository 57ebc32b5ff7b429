package overlay

import (
	"maps"
	"slices"
)

// On gives what is staged here, over another look at the same vault. Writes to one of
// the two are not seen by the other. What was staged on has to be as it was. It has no
// editor.
func (v *Vault) On(b *Base, opts ...Option) *Vault {
	v.mu.Lock()
	defer v.mu.Unlock()
	out := &Vault{
		base: b, guard: v.guard, see: v.see, amend: v.amend, count: v.count,
		staged: maps.Clone(v.staged), folded: maps.Clone(v.folded), names: maps.Clone(v.names), befores: maps.Clone(v.befores),
		log: slices.Clip(v.log),
	}
	for _, o := range opts {
		o(out)
	}
	return out
}
