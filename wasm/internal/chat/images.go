package chat

import (
	"context"
	"encoding/base64"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
)

// fit makes an image fit for a model, for the tools that read images
// (tool.Env). Where nothing can make images smaller, one that does not fit is
// refused.
func (at *attachments) fit(ctx context.Context, mediaType string, data []byte) (string, []byte, error) {
	b := llm.Image(mediaType, base64.StdEncoding.EncodeToString(data))
	if at.deps.Model.Images == nil {
		if !sent[mediaType] || len(data) > agent.DefaultImageLimits.MaxBytes {
			return "", nil, fault.New(fault.Validation, "agent.image.unreadable", fault.P{"problem": mediaType})
		}
		return mediaType, data, nil
	}
	fit, err := at.deps.Model.Images.Fit(ctx, b, at.limits())
	if err != nil {
		return "", nil, err
	}
	small, err := base64.StdEncoding.DecodeString(fit.Data)
	if err != nil {
		return "", nil, fault.New(fault.Validation, "agent.image.unreadable", fault.P{"problem": err.Error()})
	}
	return fit.MIMEType, small, nil
}
