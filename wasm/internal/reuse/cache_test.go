package reuse_test

import (
	"fmt"
	"testing"

	"embedded-agent/wasm/internal/reuse"
	"embedded-agent/wasm/internal/tool"
)

// spec is that of a tool of this name.
func spec(name string, effects tool.SideEffects) tool.Spec {
	return tool.Spec{Name: name, Version: "1.0.0", Category: "utility", SideEffects: effects}
}

func TestAVaultThatChangesWhileItIsReadLeavesNothingStaleInTheCache(t *testing.T) {
	generation := uint64(1)
	c := reuse.NewCache(0, nil).For(func() uint64 { return generation })
	s := spec("test.reads", tool.Reads)
	s.Cache = tool.CacheForever
	e := &tool.Entry{Tool: tool.Tool{Spec: s}}
	one := &tool.Call{CallID: "1", ArgsHash: "h"}
	if _, hit := c.Get(one, e); hit {
		t.Fatal("a hit in an empty cache")
	}
	generation++ // somebody writes meanwhile
	c.Put(one, e, tool.Data{"old": true})
	if d, hit := c.Get(&tool.Call{CallID: "2", ArgsHash: "h"}, e); hit {
		t.Errorf("the old result is reused: %v", d)
	}
}

func TestACacheKeepsScopesApartAndItsOwnCopies(t *testing.T) {
	scope := "device"
	c := reuse.NewCache(2, func(*tool.Entry, tool.Args) string { return scope }).For(nil)
	s := spec("test.paid", tool.None)
	s.Cache, s.Secrets = tool.CacheForever, []string{"key"}
	e := &tool.Entry{Tool: tool.Tool{Spec: s}}
	get := func(id, hash string) (tool.Data, bool) { return c.Get(&tool.Call{CallID: id, ArgsHash: hash}, e) }
	put := func(id string, d tool.Data) { c.Put(&tool.Call{CallID: id}, e, d) }
	get("1", "h")
	data := tool.Data{"list": []any{"a"}}
	put("1", data)
	data["list"].([]any)[0] = "spoilt"
	got, hit := get("2", "h")
	if !hit || got["list"].([]any)[0] != "a" {
		t.Fatalf("want hit and [0] \"a\", got %v %v", got, hit)
	}
	got["list"].([]any)[0] = "spoilt"
	if got, _ := get("3", "h"); got["list"].([]any)[0] != "a" {
		t.Error("a reader changed what is kept")
	}
	scope = "organisation"
	if _, hit := get("4", "h"); hit {
		t.Error("a result of another scope was reused")
	}
	scope = "device"
	for i := range 3 {
		get(fmt.Sprint("n", i), fmt.Sprint("h", i))
		put(fmt.Sprint("n", i), tool.Data{})
	}
	if _, hit := get("5", "h"); hit {
		t.Error("the cache grows without bound")
	}
	put("never looked for", tool.Data{})
}
