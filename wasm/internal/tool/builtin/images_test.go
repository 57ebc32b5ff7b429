package builtin_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/tool"
)

// pictures are images of 40 × 30 pixels, as the usual programs write them.
func pictures(t *testing.T) map[string]string {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, 40, 30), color.Palette{color.Black, color.White})
	out := map[string]string{}
	for name, encode := range map[string]func(*bytes.Buffer) error{
		"a.png": func(b *bytes.Buffer) error { return png.Encode(b, img) },
		"b.JPG": func(b *bytes.Buffer) error { return jpeg.Encode(b, img, nil) },
		"c.gif": func(b *bytes.Buffer) error { return gif.Encode(b, img, nil) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		out[name] = b.String()
	}
	lossless, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA4AAAAvJ0AHAAcQEf0PRET/Aw==")
	if err != nil {
		t.Fatal(err)
	}
	out["d.webp"] = string(lossless)
	out["e.bmp"] = "BM" + string(make([]byte, 16)) + "\x28\x00\x00\x00\xe2\xff\xff\xff" + string(make([]byte, 20))
	return out
}

func TestAnImageIsABlockForAModelThatLooksAndAValueInAPlan(t *testing.T) {
	files := pictures(t)
	mem := hosttest.New(hosttest.Options{Files: files})
	for path, bytes := range files {
		env := envOf(mem.Host())
		data, err := call(t, env, "vault.readFile", map[string]any{"path": path})
		if err != nil {
			t.Errorf("%s: want no error, got %v", path, err)
			continue
		}
		img, _ := data["image"].(map[string]any)
		if img["type"] != "image" || img["data"] != nil || img["width"] != 40.0 || img["height"] != 30.0 || data["content"] != "" {
			t.Errorf("%s in a plan: %v", path, data)
		}
		env.Model.Image = func(_ context.Context, kind string, raw []byte) (string, []byte, error) {
			if string(raw) != bytes || kind == "" {
				t.Errorf("%s: %s, %d bytes", path, kind, len(raw))
			}
			return "image/jpeg", []byte("small"), nil
		}
		data, err = call(t, env, "vault.readFile", map[string]any{"path": path})
		if err != nil {
			t.Fatal(err)
		}
		img, _ = data["image"].(map[string]any)
		if img["mimeType"] != "image/jpeg" || img["data"] != base64.StdEncoding.EncodeToString([]byte("small")) {
			t.Errorf("%s for a model: %v", path, img)
		}
	}
}

func TestAnImageThatCannotBeMadeFitIsAnError(t *testing.T) {
	env := envOf(hosttest.New(hosttest.Options{Files: map[string]string{"broken.png": "no image"}}).Host())
	data, err := call(t, env, "vault.readFile", map[string]any{"path": "broken.png"})
	if img, _ := data["image"].(map[string]any); err != nil || img["width"] != nil {
		t.Errorf("want no error and no img[\"width\"], got %v, %v", data, err)
	}
	env.Model.Image = func(context.Context, string, []byte) (string, []byte, error) {
		return "", nil, fault.New(fault.Validation, "agent.image.unreadable", fault.P{"problem": "x"})
	}
	if _, err := call(t, env, "vault.readFile", map[string]any{"path": "broken.png"}); !fault.Is(err, fault.Validation) {
		t.Error(err)
	}
}

func TestASizeIsReadFromAnyBytesWithoutHarm(t *testing.T) {
	for name, whole := range pictures(t) {
		for n := range len(whole) {
			mem := hosttest.New(hosttest.Options{Files: map[string]string{name: whole[:n]}})
			if _, err := registryRead(t, mem, name); err != nil {
				t.Fatalf("%s cut at %d: %v", name, n, err)
			}
		}
	}
}

func registryRead(t *testing.T, mem *hosttest.Memory, path string) (tool.Data, error) {
	t.Helper()
	return call(t, envOf(mem.Host()), "vault.readFile", map[string]any{"path": path})
}
