package agent

import (
	"context"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
)

// ImageLimits bound an image before a model sees it (docs/design/invocation.md#results).
type ImageLimits struct {
	MaxWidth, MaxHeight int // pixels
	MaxBytes            int // of the file, before base64
}

// DefaultImageLimits are sizes that every provider takes without shrinking an image itself.
var DefaultImageLimits = ImageLimits{MaxWidth: 1568, MaxHeight: 1568, MaxBytes: 1 << 20}

func (l ImageLimits) complete() ImageLimits {
	d := DefaultImageLimits
	if l.MaxWidth > 0 {
		d.MaxWidth = l.MaxWidth
	}
	if l.MaxHeight > 0 {
		d.MaxHeight = l.MaxHeight
	}
	if l.MaxBytes > 0 {
		d.MaxBytes = l.MaxBytes
	}
	return d
}

// ImageFitter makes an image block fit limits; the block that fits already is
// given back as it is. Package imagefit does it in Go, the app's side may do it with
// what it has.
type ImageFitter interface {
	Fit(ctx context.Context, image llm.Block, limits ImageLimits) (llm.Block, error)
}

// fitImage gives an image that fits, or words in its place.
func (l *loop) fitImage(image llm.Block) llm.Block {
	if l.cfg.Images == nil {
		return llm.Text(i18n.English("agent.image.unreadable", fault.P{"problem": "images are switched off"}))
	}
	fit, err := l.cfg.Images.Fit(l.ctx, image, l.cfg.ImageLimits)
	if err != nil {
		return llm.Text(fault.From(err).Error())
	}
	return fit
}

// fitImages fits the images of a message.
func (l *loop) fitImages(m llm.Message) llm.Message {
	var out []llm.Block
	for i, block := range m.Content {
		if block.Type != llm.BlockImage {
			continue
		}
		if out == nil {
			out = append([]llm.Block(nil), m.Content...)
		}
		out[i] = l.fitImage(block)
	}
	if out != nil {
		m.Content = out
	}
	return m
}
