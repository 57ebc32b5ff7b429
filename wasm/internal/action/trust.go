package action

import (
	"encoding/json"

	"embedded-agent/wasm/internal/seal"
)

// sealOf gives the seal of an action that was seen in a run: over all that it
// is, its name too, since that is what a person goes by. "" without a key.
func (l *Library) sealOf(a *Action) string {
	key := seal.Of(l.shelf.store).For("action", a.ID)
	plain := *a
	plain.Seal = ""
	b, err := json.Marshal(&plain)
	if err != nil {
		return ""
	}
	return key.Tag(b)
}

// seal seals the actions that are new or changed, and trusted. Those that were
// read are so by their seal, which distrust has checked.
func (l *Library) seal(list, old []*Action) {
	was := byID(old)
	for i, a := range list {
		if was[a.ID] == a {
			continue
		}
		kept := *a
		if kept.Seal = ""; a.Trusted {
			kept.Seal = l.sealOf(a)
		}
		list[i] = &kept
	}
}

// distrust takes back the trust in what this device has not sealed.
func (l *Library) distrust(list []*Action) {
	for _, a := range list {
		if a != nil && a.Trusted && (a.Seal == "" || a.Seal != l.sealOf(a)) {
			a.Trusted = false
		}
	}
}
