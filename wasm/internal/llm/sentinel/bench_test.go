package sentinel

import (
	"encoding/json"
	"strings"
	"testing"
)

// benchStream is a stream as a model writes it: mostly text, with a call of a few kilobytes now and then.
func benchStream(size, callSize int) string {
	inner, _ := json.Marshal(map[string]string{"path": "a.md", "content": strings.Repeat("A line of a \"note\", as notes go.\n", 1+callSize/33)})
	block, _ := json.Marshal(map[string]string{"name": "write", "arguments": string(inner)})
	prose := strings.Repeat("Some words < of an answer, as answers go. ", 1+3*callSize/42)
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(prose)
		b.WriteString(OpenTag + string(block) + CloseTag)
	}
	return b.String()
}

func benchRegistry(b *testing.B) *Registry {
	reg, err := NewRegistry([]Tool{{Name: "write", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}`)}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	return reg
}

func BenchmarkMachine(b *testing.B) {
	chunks := cutEvery(benchStream(4<<20, 2000), 64)
	reg := benchRegistry(b)
	b.SetBytes(4 << 20)
	for b.Loop() {
		n := 0
		m := New(reg, Options{}, func(e Event) { n += len(e.Text) })
		for _, c := range chunks {
			m.Feed(c)
		}
		m.Close()
	}
}

func BenchmarkCopy(b *testing.B) {
	chunks := cutEvery(benchStream(4<<20, 2000), 64)
	b.SetBytes(4 << 20)
	for b.Loop() {
		var dst []byte
		for _, c := range chunks {
			dst = append(dst, c...)
		}
		if len(dst) < 4<<20 {
			b.Fatal("not everything was copied")
		}
	}
}

func BenchmarkOneCallOfTenMegabytes(b *testing.B) {
	chunks := cutEvery(benchStream(10<<20, 10<<20), 64)
	reg := benchRegistry(b)
	b.SetBytes(40 << 20)
	for b.Loop() {
		m := New(reg, Options{}, func(Event) {})
		for _, c := range chunks {
			m.Feed(c)
		}
		m.Close()
	}
}

func BenchmarkText(b *testing.B) {
	chunks := cutEvery(strings.Repeat("Some words < of an answer, as answers go. ", 100_000), 64)
	reg := benchRegistry(b)
	b.SetBytes(42 * 100_000)
	for b.Loop() {
		m := New(reg, Options{}, func(Event) {})
		for _, c := range chunks {
			m.Feed(c)
		}
		m.Close()
	}
}
