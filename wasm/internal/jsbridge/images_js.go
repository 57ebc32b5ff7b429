//go:build js && wasm

package jsbridge

import (
	"context"
	"encoding/base64"
	"errors"
	"strconv"

	"github.com/hack-pad/safejs"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/jsbridge/promise"
	"embedded-agent/wasm/internal/llm"
)

// images is agent.ImageFitter with what the browser has: it decodes whatever
// the engine knows, and costs nothing of main.js. The worker has a canvas
// without a page (OffscreenCanvas).
type images struct{}

var _ agent.ImageFitter = images{}

// taken are the types that providers take as they are.
var taken = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// layered are the types that can be see-through; they stay so if they fit as PNG.
var layered = map[string]bool{"image/png": true, "image/gif": true, "image/webp": true, "image/avif": true}

// Fit gives the image within the limits, as it is where it fits already.
// VALIDATION_ERROR for what the engine cannot decode.
func (images) Fit(ctx context.Context, b llm.Block, l agent.ImageLimits) (llm.Block, error) {
	raw, err := base64.StdEncoding.DecodeString(b.Data)
	if err != nil {
		return b, unreadable(err)
	}
	bitmap, err := decodeImage(raw, b.MIMEType)
	if err != nil {
		return b, unreadable(err)
	}
	defer func() { _, _ = bitmap.Call("close") }()
	w, h, err := sizeOf(bitmap)
	if err != nil || w < 1 || h < 1 {
		return b, unreadable(errors.Join(err, errors.New("no size")))
	}
	if taken[b.MIMEType] && len(raw) <= l.MaxBytes && w <= l.MaxWidth && h <= l.MaxHeight {
		return b, nil
	}
	if w > l.MaxWidth {
		w, h = l.MaxWidth, max(h*l.MaxWidth/w, 1)
	}
	if h > l.MaxHeight {
		w, h = max(w*l.MaxHeight/h, 1), l.MaxHeight
	}
	for {
		out, err := drawn(ctx, bitmap, w, h, layered[b.MIMEType], l.MaxBytes)
		switch {
		case err != nil:
			return b, err
		case out != nil:
			return *out, nil
		case w == 1 && h == 1:
			return b, fault.New(fault.Validation, "agent.image.tooLarge", fault.P{"size": strconv.Itoa(l.MaxBytes) + " B"})
		}
		w, h = max(w*3/4, 1), max(h*3/4, 1)
	}
}

func unreadable(err error) error {
	return fault.New(fault.Validation, "agent.image.unreadable", fault.P{"problem": err.Error()})
}

func decodeImage(raw []byte, mime string) (safejs.Value, error) {
	global := safejs.Global()
	array, err := construct("Uint8Array", len(raw))
	if err != nil {
		return array, err
	}
	if _, err := safejs.CopyBytesToJS(array, raw); err != nil {
		return array, err
	}
	blob, err := construct("Blob", []any{array}, map[string]any{"type": mime})
	if err != nil {
		return blob, err
	}
	return promise.Call(global, "createImageBitmap", blob)
}

func construct(class string, args ...any) (safejs.Value, error) {
	constructor, err := safejs.Global().Get(class)
	if err != nil {
		return constructor, err
	}
	return constructor.New(args...)
}

func sizeOf(bitmap safejs.Value) (w, h int, err error) {
	for name, to := range map[string]*int{"width": &w, "height": &h} {
		v, err := bitmap.Get(name)
		if err != nil {
			return 0, 0, err
		}
		if *to, err = v.Int(); err != nil {
			return 0, 0, err
		}
	}
	return w, h, nil
}

// drawn gives the image in a size, or nil when no encoding fits.
func drawn(ctx context.Context, bitmap safejs.Value, w, h int, seeThrough bool, limit int) (*llm.Block, error) {
	type try struct {
		mime    string
		quality float64
	}
	tries := []try{{"image/jpeg", 0.85}, {"image/jpeg", 0.7}, {"image/jpeg", 0.5}}
	if seeThrough {
		tries = append([]try{{"image/png", 1}}, tries...)
	}
	for _, t := range tries {
		if err := ctx.Err(); err != nil {
			return nil, fault.From(err)
		}
		data, err := encoded(bitmap, w, h, t.mime, t.quality)
		if err != nil {
			return nil, unreadable(err)
		}
		if len(data) <= limit {
			b := llm.Image(t.mime, base64.StdEncoding.EncodeToString(data))
			return &b, nil
		}
	}
	return nil, nil
}

func encoded(bitmap safejs.Value, w, h int, mime string, quality float64) ([]byte, error) {
	canvas, err := construct("OffscreenCanvas", w, h)
	if err != nil {
		return nil, err
	}
	pen, err := canvas.Call("getContext", "2d")
	if err != nil {
		return nil, err
	}
	if mime == "image/jpeg" { // see-through would become black
		if err := pen.Set("fillStyle", "#fff"); err != nil {
			return nil, err
		}
		if _, err := pen.Call("fillRect", 0, 0, w, h); err != nil {
			return nil, err
		}
	}
	if _, err := pen.Call("drawImage", bitmap, 0, 0, w, h); err != nil {
		return nil, err
	}
	blob, err := promise.Call(canvas, "convertToBlob", map[string]any{"type": mime, "quality": quality})
	if err != nil {
		return nil, err
	}
	buffer, err := promise.Call(blob, "arrayBuffer")
	if err != nil {
		return nil, err
	}
	array, err := construct("Uint8Array", buffer)
	if err != nil {
		return nil, err
	}
	return bytesOf(array)
}
