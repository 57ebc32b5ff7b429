package transaction

import (
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/overlay"
)

// PlannedWrites lists the writes that were made in an overlay as a journal takes them, in order. What was refused, and a
// consequence that the person has left out, is none.
func PlannedWrites(v *overlay.Vault) []journal.Planned {
	var out []journal.Planned
	for _, w := range v.Log() {
		if w.Refused == nil && w.Op.Kind != "" {
			out = append(out, planned(w))
		}
	}
	return out
}

// planned gives a write as a journal takes it.
func planned(w overlay.Write) journal.Planned {
	return journal.Planned{Call: w.Call, Op: w.Op, BeforeEtag: w.BeforeEtag, AfterEtag: w.AfterEtag}
}
