// Package imagefit makes images small enough for a model, in Go: it decodes
// PNG, JPEG, GIF and WebP, scales down, and writes JPEG, or PNG where the image
// is see-through. It implements agent.ImageFitter; an app's side that can do the same
// with what its platform has may be used in its place, and then nothing of this
// is linked (measured: it adds 0.36 MB to main.js).
package imagefit

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	_ "image/gif" // registers its decoder
	"image/jpeg"
	"image/png"
	"strconv"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // registers its decoder

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
)

// maxPixels refuses images that would take too much memory to decode: 40
// million pixels are 160 MB.
const maxPixels = 40 << 20

// Fitter is the ImageFitter in Go.
type Fitter struct{}

var _ agent.ImageFitter = Fitter{}

// Fit gives the image within the limits. An image that fits already, in a
// format that models take, is given back as it is. VALIDATION_ERROR for what is
// no image, or too large to decode.
func (Fitter) Fit(ctx context.Context, b llm.Block, l agent.ImageLimits) (llm.Block, error) {
	raw, err := base64.StdEncoding.DecodeString(b.Data)
	if err != nil {
		return b, unreadable(err)
	}
	head, format, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return b, unreadable(err)
	}
	// Each side is looked at by itself: their product may not fit into an int.
	if head.Width <= 0 || head.Height <= 0 || head.Width > maxPixels || head.Height > maxPixels/head.Width {
		size := strconv.Itoa(head.Width) + " × " + strconv.Itoa(head.Height)
		return b, fault.New(fault.Validation, "agent.image.tooLarge", fault.P{"size": size})
	}
	if err := ctx.Err(); err != nil {
		return b, fault.From(err)
	}
	// One that fits is decoded too: a provider refuses the whole conversation
	// for one broken image.
	img, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		return b, unreadable(err)
	}
	if len(raw) <= l.MaxBytes && head.Width <= l.MaxWidth && head.Height <= l.MaxHeight {
		b.MIMEType = "image/" + format // what it is, whatever was said
		return b, nil
	}
	return shrink(ctx, img, l)
}

func unreadable(err error) error {
	return fault.New(fault.Validation, "agent.image.unreadable", fault.P{"problem": err.Error()})
}

// qualities are tried in turn; then the image is made smaller.
var qualities = []int{85, 70, 50}

// shrink scales to the limits, and further by quarters until the bytes fit.
func shrink(ctx context.Context, img image.Image, l agent.ImageLimits) (llm.Block, error) {
	w, h := fit(img.Bounds().Dx(), img.Bounds().Dy(), l.MaxWidth, l.MaxHeight)
	for {
		if err := ctx.Err(); err != nil {
			return llm.Block{}, fault.From(err)
		}
		scaled := scale(img, w, h)
		data, mime, err := encode(scaled, l.MaxBytes)
		if err != nil {
			return llm.Block{}, unreadable(err)
		}
		if data != nil {
			return llm.Image(mime, base64.StdEncoding.EncodeToString(data)), nil
		}
		if w == 1 && h == 1 {
			return llm.Block{}, fault.New(fault.Validation, "agent.image.tooLarge", fault.P{"size": strconv.Itoa(l.MaxBytes) + " B"})
		}
		w, h = max(w*3/4, 1), max(h*3/4, 1)
		img = scaled
	}
}

// fit keeps the form of w × h within the limits.
func fit(w, h, maxW, maxH int) (int, int) {
	if w > maxW {
		w, h = maxW, max(h*maxW/w, 1)
	}
	if h > maxH {
		w, h = max(w*maxH/h, 1), maxH
	}
	return w, h
}

func scale(img image.Image, w, h int) image.Image {
	if b := img.Bounds(); b.Dx() == w && b.Dy() == h {
		return img
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	// Bilinear over the whole source area: text in screenshots stays legible,
	// at half the cost of the sharper kernel.
	draw.BiLinear.Scale(out, out.Bounds(), img, img.Bounds(), draw.Src, nil)
	return out
}

// encode gives the bytes that fit, or nil.
func encode(img image.Image, limit int) ([]byte, string, error) {
	var buf bytes.Buffer
	if o, ok := img.(interface{ Opaque() bool }); ok && !o.Opaque() {
		if err := png.Encode(&buf, img); err != nil {
			return nil, "", err
		}
		if buf.Len() <= limit {
			return buf.Bytes(), "image/png", nil
		}
		return nil, "", nil
	}
	for _, q := range qualities {
		buf.Reset()
		if err := jpeg.Encode(&buf, img, &jpeg.Options{Quality: q}); err != nil {
			return nil, "", err
		}
		if buf.Len() <= limit {
			return buf.Bytes(), "image/jpeg", nil
		}
	}
	return nil, "", nil
}
