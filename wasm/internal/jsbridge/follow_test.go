package jsbridge

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
)

func TestAnAnswerOfChangesIsReadFastAsItIsReadSlowly(t *testing.T) {
	text := rapid.SampledFrom([]string{"a.md", `x","changed":[`, `q"uote\`, "ü/é.md", "\u2028", ""})
	rapid.Check(t, func(r *rapid.T) {
		c := protocol.Changed{Generation: 7, All: rapid.Bool().Draw(r, "all"), Page: 3, Open: []string{}, Removed: []string{}, Changed: []protocol.Info{}}
		for range rapid.IntRange(0, 3).Draw(r, "n") {
			c.Open = append(c.Open, text.Draw(r, "open"))
			c.Removed = append(c.Removed, text.Draw(r, "removed"))
			c.Changed = append(c.Changed, protocol.Info{Path: text.Draw(r, "path"), Kind: "file", Size: 1, CTime: 2, MTime: 3})
		}
		data, err := json.Marshal(c)
		if err != nil {
			r.Fatal(err)
		}
		var got protocol.Changed
		head, infos, fast := cutInfos(data)
		if err := json.Unmarshal(head, &got); err != nil {
			r.Fatal(err)
		}
		if fast {
			got.Changed = []protocol.Info{}
			for _, i := range infos {
				got.Changed = append(got.Changed, protocol.Info{Path: i.Path, Kind: protocol.EntryKind(i.Kind), Size: i.Size, CTime: i.CTime, MTime: i.MTime})
			}
		}
		if d := cmp.Diff(c, got); d != "" {
			r.Fatal(d)
		}
	})
	plain := []byte(`{"generation":1,"all":false,"page":0,"open":[],"removed":["a"],"changed":[{"path":"b","kind":"file","size":1,"ctime":2,"mtime":3}]}`)
	if _, infos, fast := cutInfos(plain); !fast || len(infos) != 1 || infos[0] != (host.Info{Path: "b", Kind: host.File, Size: 1, CTime: 2, MTime: 3}) {
		t.Errorf("want fast and 1 infos, got %v %v", infos, fast)
	}
}
