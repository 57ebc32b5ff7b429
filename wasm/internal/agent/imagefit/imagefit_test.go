package imagefit_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/agent/imagefit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
)

// noise is an image that compresses badly; alpha below 255 makes it
// see-through.
func noise(w, h int, alpha uint8) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = uint8(r.Uint32())
		if i%4 == 3 {
			img.Pix[i] = alpha
		}
	}
	return img
}

func pngOf(t testing.TB, img image.Image) string {
	t.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(buf.Bytes())
}

func decode(t testing.TB, b llm.Block) (image.Image, string, int) {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(b.Data)
	if err != nil {
		t.Fatal(err)
	}
	img, format, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return img, format, len(raw)
}

var limits = agent.ImageLimits{MaxWidth: 100, MaxHeight: 80, MaxBytes: 20_000}

func TestAnImageThatFitsIsGivenBackAsItIs(t *testing.T) {
	in := llm.Image("image/png", pngOf(t, noise(50, 40, 255)))
	out, err := imagefit.Fitter{}.Fit(t.Context(), in, limits)
	if err != nil || out.Data != in.Data {
		t.Errorf("%v, changed %v", err, out.Data != in.Data)
	}
}

func TestTheTypeIsWhatTheBytesAreNotWhatWasSaid(t *testing.T) {
	out, err := imagefit.Fitter{}.Fit(t.Context(), llm.Image("text/html", pngOf(t, noise(5, 4, 255))), limits)
	if err != nil || out.MIMEType != "image/png" {
		t.Errorf("want no error and MIMEType \"image/png\", got %v %s", err, out.MIMEType)
	}
}

func TestAnyImageComesOutWithinEveryLimitAndInItsForm(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, h := rapid.IntRange(1, 180).Draw(rt, "w"), rapid.IntRange(1, 180).Draw(rt, "h")
		alpha := rapid.SampledFrom([]uint8{255, 100}).Draw(rt, "alpha")
		l := agent.ImageLimits{
			MaxWidth: rapid.IntRange(1, 160).Draw(rt, "max w"), MaxHeight: rapid.IntRange(1, 160).Draw(rt, "max h"),
			MaxBytes: rapid.IntRange(1000, 20_000).Draw(rt, "max bytes"),
		}
		out, err := imagefit.Fitter{}.Fit(t.Context(), llm.Image("image/png", pngOf(t, noise(w, h, alpha))), l)
		if err != nil {
			rt.Fatal(err)
		}
		img, format, size := decode(t, out)
		b := img.Bounds()
		if b.Dx() > l.MaxWidth || b.Dy() > l.MaxHeight || size > l.MaxBytes || out.MIMEType != "image/"+format {
			rt.Fatalf("%d × %d in %d bytes as %s (%s), limits %+v", b.Dx(), b.Dy(), size, out.MIMEType, format, l)
		}
		if alpha != 255 && format != "png" {
			rt.Fatalf("a see-through image became %s", format)
		}
		if b.Dx() > 20 && b.Dy() > 20 {
			if was, is := float64(w)/float64(h), float64(b.Dx())/float64(b.Dy()); was/is > 1.12 || is/was > 1.12 {
				rt.Fatalf("%d × %d became %d × %d", w, h, b.Dx(), b.Dy())
			}
		}
	})
}

func TestJPEGAndGIFAreReadToo(t *testing.T) {
	var j, g bytes.Buffer
	if err := jpeg.Encode(&j, noise(300, 10, 255), nil); err != nil {
		t.Fatal(err)
	}
	if err := gif.Encode(&g, image.NewPaletted(image.Rect(0, 0, 300, 10), color.Palette{color.Black, color.White}), nil); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"jpeg": j.Bytes(), "gif": g.Bytes()} {
		out, err := imagefit.Fitter{}.Fit(t.Context(), llm.Image("", base64.StdEncoding.EncodeToString(data)), limits)
		if err != nil {
			t.Errorf("%s: want no error, got %v", name, err)
			continue
		}
		if img, _, _ := decode(t, out); img.Bounds().Dx() != 100 {
			t.Errorf("%s: want Dx 100, got %v", name, img.Bounds())
		}
	}
}

// bomb is the head of a PNG that says it is enormous.
func bomb(w, h uint32) string {
	var buf bytes.Buffer
	buf.WriteString("\x89PNG\r\n\x1a\n")
	ihdr := make([]byte, 0, 17)
	ihdr = append(ihdr, "IHDR"...)
	ihdr = binary.BigEndian.AppendUint32(ihdr, w)
	ihdr = binary.BigEndian.AppendUint32(ihdr, h)
	ihdr = append(ihdr, 8, 2, 0, 0, 0)
	_ = binary.Write(&buf, binary.BigEndian, uint32(13)) // a buffer takes everything
	buf.Write(ihdr)
	_ = binary.Write(&buf, binary.BigEndian, crc32.ChecksumIEEE(ihdr))
	return base64.StdEncoding.EncodeToString(buf.Bytes())
}

func TestWhatIsNoImageOrTooLargeIsRefusedBeforeItIsDecoded(t *testing.T) {
	for name, data := range map[string]string{
		"no base64": "%%%", "no image": base64.StdEncoding.EncodeToString([]byte("hello")), "empty": "",
		"bomb": bomb(1<<30, 1<<30), "wide": bomb(1<<30, 1),
	} {
		_, err := imagefit.Fitter{}.Fit(t.Context(), llm.Image("image/png", data), limits)
		if !fault.Is(err, fault.Validation) {
			t.Errorf("%s: want the error fault.Validation, got %v", name, err)
		}
	}
}

func TestAStoppedRunDoesNotScale(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (imagefit.Fitter{}).Fit(ctx, llm.Image("", pngOf(t, noise(300, 300, 255))), limits); !fault.Is(err, fault.Cancelled) {
		t.Errorf("want the error fault.Cancelled, got %v", err)
	}
}

func FuzzFit(f *testing.F) {
	f.Add([]byte("\x89PNG\r\n\x1a\n"))
	f.Add([]byte("GIF89a"))
	raw, err := base64.StdEncoding.DecodeString(pngOf(f, noise(120, 3, 255)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := imagefit.Fitter{}.Fit(t.Context(), llm.Image("", base64.StdEncoding.EncodeToString(data)), limits)
		if err == nil {
			if img, _, size := decode(t, out); img.Bounds().Dx() > limits.MaxWidth || size > limits.MaxBytes {
				t.Errorf("%v in %d bytes", img.Bounds(), size)
			}
		}
	})
}

func BenchmarkFit(b *testing.B) {
	in := llm.Image("image/png", pngOf(b, noise(3000, 2000, 255)))
	for b.Loop() {
		if _, err := (imagefit.Fitter{}).Fit(b.Context(), in, agent.DefaultImageLimits); err != nil {
			b.Fatal(err)
		}
	}
}
