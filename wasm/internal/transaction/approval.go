package transaction

import (
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"github.com/google/uuid"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/digest"
	"embedded-agent/wasm/internal/tool"
)

// approvalOf hashes what a yes is a yes to: the plan, the amendments, every
// write in order with its bytes before and after, and what model steps gave.
func approvalOf(rv *Review) string {
	h := digest.New()
	h.Write(rv.raw)
	amend, err := json.Marshal(rv.amend)
	if err == nil {
		h.Write(amend)
	}
	if once, err := json.Marshal(rv.once); err == nil && len(rv.once) > 0 {
		h.Write(once)
	}
	var b []byte
	for _, w := range rv.Vault.Log() {
		b = append(b[:0], '\n')
		for _, f := range []string{w.Call, string(w.Op.Kind), w.Op.Path, w.Op.To, w.BeforeEtag, w.AfterEtag} {
			b = canon.AppendString(b, f)
		}
		h.Write(b)
	}
	for i, n := range rv.graph.Nodes {
		if n.Tool.Simulable {
			continue
		}
		h.Write([]byte("\ncannot be simulated: " + n.Step.ID))
		for _, c := range rv.callsAt(i) {
			h.Write([]byte("\n" + c.ArgsHash))
		}
	}
	frozen := rv.frozenUsed()
	for _, id := range slices.Sorted(maps.Keys(frozen)) {
		if doc, err := canon.Append([]byte("\nmodel step: "+id+" "), map[string]any(frozen[id])); err == nil {
			h.Write(doc)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// confirmationOf names an approval: it is on every call that follows.
func confirmationOf(rv *Review) string {
	ns, err := uuid.Parse(rv.ID)
	if err != nil {
		ns = uuid.NameSpaceOID
	}
	return uuid.NewSHA1(ns, []byte(rv.View.Approval)).String()
}

// frozenUsed gives the frozen results of the model steps that the plan has now;
// others are left from before an amendment.
func (rv *Review) frozenUsed() map[string]tool.Data {
	out := map[string]tool.Data{}
	for id, d := range rv.Frozen.Results() {
		if rv.Called[id] != nil {
			out[id] = d
		}
	}
	return out
}
