package hosttest

import (
	"bytes"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

func (c *conformer) store() {
	ok := func(err error) {
		c.Helper()
		if err != nil {
			c.Fatal(err)
		}
	}
	has := func(path string, want []byte) {
		c.Helper()
		got, err := c.s.Read(c.ctx, path)
		if err != nil || !bytes.Equal(got, want) {
			c.Errorf("store %s holds %q (%v), want %q", path, got, err, want)
		}
	}
	_, err := c.s.Read(c.ctx, "runs/1/journal.jsonl")
	c.code("store read", err, fault.NotFound)
	if list, err := c.s.List(c.ctx, "runs"); err != nil || len(list) != 0 {
		c.Errorf("a missing folder lists %v, %v", list, err)
	}
	ok(c.s.Append(c.ctx, "runs/1/journal.jsonl", []byte("a\n")))
	ok(c.s.Append(c.ctx, "runs/1/journal.jsonl", []byte("\xff\x00")))
	has("runs/1/journal.jsonl", []byte("a\n\xff\x00"))
	ok(c.s.Write(c.ctx, "runs/1/run.json", []byte("{}")))
	ok(c.s.Write(c.ctx, "runs/1/run.json", []byte("[]")))
	has("runs/1/run.json", []byte("[]"))
	ok(c.s.Write(c.ctx, "runs/1/blobs/x", nil))
	has("runs/1/blobs/x", nil)
	list, err := c.s.List(c.ctx, "runs/1")
	ok(err)
	var names []string
	for _, i := range list {
		names = append(names, i.Path+":"+string(i.Kind))
	}
	if got := strings.Join(names, " "); got != "runs/1/blobs:folder runs/1/journal.jsonl:file runs/1/run.json:file" {
		c.Errorf("store lists %s", got)
	}
	ok(host.Flush(c.ctx, c.s, "runs/1/journal.jsonl", "runs/1/run.json", "runs/none"))
	has("runs/1/journal.jsonl", []byte("a\n\xff\x00"))
	ok(c.s.Append(c.ctx, "runs/1/run.json", []byte("after")))
	has("runs/1/run.json", []byte("[]after"))
	ok(c.s.Remove(c.ctx, "runs/1/run.json"))
	ok(c.s.Remove(c.ctx, "runs/1/run.json"))
	_, err = c.s.Read(c.ctx, "runs/1/run.json")
	c.code("store read", err, fault.NotFound)
	has("runs/1/journal.jsonl", []byte("a\n\xff\x00"))
	ok(c.s.Remove(c.ctx, "runs"))
	_, err = c.s.Read(c.ctx, "runs/1/journal.jsonl")
	c.code("store read", err, fault.NotFound)
}

func (c *conformer) storeApart() {
	if err := c.s.Write(c.ctx, "settings.json", []byte("{}")); err != nil {
		c.Fatal(err)
	}
	c.create("a.md", "a")
	list, err := c.v.Walk(c.ctx, "")
	if err != nil || len(list) != 1 || list[0].Path != "a.md" {
		c.Errorf("the vault lists %v, %v", list, err)
	}
}
