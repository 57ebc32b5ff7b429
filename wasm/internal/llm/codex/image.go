//go:build !js

package codex

import (
	"bytes"
	"encoding/base64"
	"image"
	_ "image/gif"  // what Codex can decode too
	_ "image/jpeg" // the same
	_ "image/png"  // the same
	"strings"

	_ "golang.org/x/image/webp" // the same

	"embedded-agent/wasm/internal/llm"
)

const (
	maxImageBytes  = 20 << 20
	maxImagePixels = 50 << 20
)

// CheckImage refuses an image that Codex would refuse or, worse, silently turn into text: it must be a data URL that holds
// a PNG, JPEG, GIF or WebP image which can be decoded.
func CheckImage(url string) error {
	bad := func(why string) error {
		return newError(llm.CodeValidation, "codex.error.image", false, "An image cannot be sent: "+why+" Send it as a data URL with a PNG, JPEG, GIF or WebP image.")
	}
	head, data, ok := strings.Cut(url, ",")
	if !ok || !strings.HasPrefix(head, "data:image/") || !strings.HasSuffix(head, ";base64") {
		return bad("Codex takes no remote addresses.")
	}
	if len(data) > base64.StdEncoding.EncodedLen(maxImageBytes) {
		return bad("it is larger than 20 MB.")
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return bad("it is not valid base64.")
	}
	cfg, _, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return bad("it cannot be decoded.")
	}
	if cfg.Width*cfg.Height > maxImagePixels {
		return bad("it has more than 50 million pixels.")
	}
	if _, _, err := image.Decode(bytes.NewReader(raw)); err != nil {
		return bad("it cannot be decoded.")
	}
	return nil
}
