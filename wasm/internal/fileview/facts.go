package fileview

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
)

// Facts describes bytes that are no text: their number, their kind by the way
// they begin, and their SHA-256, which is their etag.
func Facts(data []byte) *protocol.FileFacts {
	return &protocol.FileFacts{Bytes: int64(len(data)), Type: typeOf(data), Hash: host.Etag(data)}
}

// signature has the bytes that files of a format begin with, at an offset.
type signature struct {
	at           int
	bytes        string
	kind, format string
}

// signatures are of the formats that vaults and mails carry; the first that fits
// counts.
var signatures = []signature{
	{0, "\x89PNG\r\n\x1a\n", "image", "PNG"},
	{0, "\xff\xd8\xff", "image", "JPEG"},
	{0, "GIF8", "image", "GIF"},
	{8, "WEBP", "image", "WebP"},
	{0, "BM", "image", "BMP"},
	{0, "II*\x00", "image", "TIFF"},
	{0, "MM\x00*", "image", "TIFF"},
	{0, "\x00\x00\x01\x00", "image", "ICO"},
	{4, "ftypavif", "image", "AVIF"},
	{4, "ftyphei", "image", "HEIC"},
	{8, "WAVE", "audio", "WAV"},
	{0, "ID3", "audio", "MP3"},
	{0, "\xff\xfb", "audio", "MP3"},
	{0, "fLaC", "audio", "FLAC"},
	{0, "OggS", "audio", "Ogg"},
	{4, "ftypM4A", "audio", "M4A"},
	{4, "ftypqt", "video", "QuickTime"},
	{4, "ftyp", "video", "MP4"},
	{0, "\x1a\x45\xdf\xa3", "video", "Matroska or WebM"},
	{8, "AVI ", "video", "AVI"},
	{0, "%PDF-", "document", "PDF"},
	{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "document", "Microsoft Office"},
	{0, "{\\rtf", "document", "RTF"},
	{0, "PK\x03\x04", "archive", "ZIP"},
	{0, "\x1f\x8b", "archive", "gzip"},
	{0, "7z\xbc\xaf\x27\x1c", "archive", "7-Zip"},
	{0, "Rar!\x1a\x07", "archive", "RAR"},
	{0, "\xfd7zXZ\x00", "archive", "XZ"},
	{0, "\x28\xb5\x2f\xfd", "archive", "Zstandard"},
	{257, "ustar", "archive", "tar"},
	{0, "MZ", "program", "Windows"},
	{0, "\x7fELF", "program", "Linux"},
	{0, "\xcf\xfa\xed\xfe", "program", "macOS"},
	{0, "\xce\xfa\xed\xfe", "program", "macOS"},
	{0, "\xca\xfe\xba\xbe", "program", "macOS or Java"},
	{0, "\x00asm", "program", "WebAssembly"},
	{0, "L\x00\x00\x00\x01\x14\x02\x00", "program", "Windows shortcut"},
	{0, "wOFF", "font", "WOFF"},
	{0, "wOF2", "font", "WOFF2"},
	{0, "OTTO", "font", "OpenType"},
	{0, "\x00\x01\x00\x00\x00", "font", "TrueType"},
	{0, "SQLite format 3\x00", "database", "SQLite"},
}

func typeOf(data []byte) protocol.Message {
	for _, s := range signatures {
		if len(data) >= s.at && strings.HasPrefix(string(data[s.at:min(len(data), s.at+len(s.bytes))]), s.bytes) {
			return protocol.Message{Key: "file.type." + s.kind, Params: map[string]string{"format": s.format}}
		}
	}
	if looksLikeText(data) {
		return protocol.Message{Key: "file.type.encoding"}
	}
	return protocol.Message{Key: "file.type.data"}
}

// looksLikeText says whether bytes that are no UTF-8 are letters all the same,
// in UTF-16 or an older encoding. A guess, for its name alone.
func looksLikeText(data []byte) bool {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return true
	}
	odd := 0
	for rest := data[:min(len(data), 4096)]; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == utf8.RuneError && n == 1 {
			odd++
			if r < ' ' && r != utf8.RuneError {
				return false
			}
		}
		rest = rest[n:]
	}
	return odd*10 < len(data)*3
}
