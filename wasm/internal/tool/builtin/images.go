package builtin

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

// svgType is an image that is text, and read as such.
const svgType = "image/svg+xml"

// imageTypes are the media types of the images that a vault may hold.
var imageTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
	".bmp": "image/bmp", ".avif": "image/avif", ".heic": "image/heic", ".svg": svgType,
}

// imageType gives the media type of an image file, "" for other files.
func imageType(path string) string { return imageTypes[strings.ToLower(vaultpath.Ext(path))] }

// maxImage is the largest image file that is read, in bytes.
const maxImage = 30 << 20

// readImage gives an image as a block for a model that can look at it, made fit
// for the model. In a plan it gives what a plan can use: that it is an image, its
// type, and its size.
func readImage(ctx context.Context, env *tool.Env, info host.Info, mediaType string) (tool.Data, error) {
	if info.Size > maxImage {
		return nil, fault.New(fault.Precondition, "tools.note.tooLarge", fault.P{"path": info.Path, "max": "30 MB"})
	}
	data, err := env.Vault.Read(ctx, info.Path)
	if err != nil {
		return nil, err
	}
	image := map[string]any{"type": "image", "mimeType": mediaType}
	if w, h, ok := imageSize(data); ok {
		image["width"], image["height"] = w, h
	}
	if env.Model.Image != nil {
		kind, small, err := env.Model.Image(ctx, mediaType, data)
		if err != nil {
			return nil, err
		}
		image["mimeType"], image["data"] = kind, base64.StdEncoding.EncodeToString(small)
	}
	return tool.Data{"path": info.Path, "content": "", "etag": host.Etag(data), "size": len(data), "image": image}, nil
}

// imageSize reads width and height, in pixels, from the head of a PNG, GIF, JPEG,
// WebP or BMP file. (The decoders of image/… would cost 60 kB of main.js.)
func imageSize(b []byte) (w, h int, ok bool) {
	switch {
	case bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")) && len(b) >= 24:
		w, h = int(binary.BigEndian.Uint32(b[16:])), int(binary.BigEndian.Uint32(b[20:]))
	case bytes.HasPrefix(b, []byte("GIF8")) && len(b) >= 10:
		w, h = int(binary.LittleEndian.Uint16(b[6:])), int(binary.LittleEndian.Uint16(b[8:]))
	case bytes.HasPrefix(b, []byte("BM")) && len(b) >= 26:
		w, h = int(int32(binary.LittleEndian.Uint32(b[18:]))), int(int32(binary.LittleEndian.Uint32(b[22:])))
		h = max(h, -h) // negative: the lines come from the top
	case bytes.HasPrefix(b, []byte("\xff\xd8")):
		w, h = jpegSize(b)
	case len(b) >= 30 && bytes.HasPrefix(b, []byte("RIFF")) && string(b[8:12]) == "WEBP":
		w, h = webpSize(b)
	}
	return w, h, w > 0 && h > 0
}

// jpegSize goes from segment to segment to the frame header.
func jpegSize(b []byte) (w, h int) {
	for at := 2; at+9 < len(b); {
		if b[at] != 0xff {
			return 0, 0
		}
		marker := b[at+1]
		switch {
		case marker == 0xff: // filling
			at++
		case marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
			return int(binary.BigEndian.Uint16(b[at+7:])), int(binary.BigEndian.Uint16(b[at+5:]))
		case marker == 0x01 || marker >= 0xd0 && marker <= 0xd9: // without content
			at += 2
		default:
			at += 2 + int(binary.BigEndian.Uint16(b[at+2:]))
		}
	}
	return 0, 0
}

// webpSize knows the three forms: lossy, lossless, extended.
func webpSize(b []byte) (w, h int) {
	switch string(b[12:16]) {
	case "VP8 ":
		return int(binary.LittleEndian.Uint16(b[26:]) & 0x3fff), int(binary.LittleEndian.Uint16(b[28:]) & 0x3fff)
	case "VP8L":
		bits := binary.LittleEndian.Uint32(b[21:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	case "VP8X":
		u24 := func(p []byte) int { return int(p[0]) | int(p[1])<<8 | int(p[2])<<16 }
		return u24(b[24:]) + 1, u24(b[27:]) + 1
	}
	return 0, 0
}
