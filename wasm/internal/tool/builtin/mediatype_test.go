package builtin

import (
	"mime"
	"strings"
	"testing"
)

func TestTheKindOfAnAnswerIsReadAsPackageMimeReadsIt(t *testing.T) {
	for _, header := range []string{
		"", "text/html", "Text/HTML; Charset=UTF-8", `text/plain; charset="iso-8859-1"`, "text/plain;charset=Latin1", "text/plain ; charset = x",
		"application/json; profile=a; charset=utf-8", "application/ld+json", "text/plain;", "text/html; boundary=x", "nonsense;", "; charset=utf-8",
	} {
		kind, params, err := mime.ParseMediaType(header)
		if err != nil || !strings.Contains(kind, "/") {
			kind, params = "text/plain", nil
		}
		gotKind, gotCharset := mediaType(header)
		if gotKind != kind || gotCharset != strings.ToLower(params["charset"]) {
			t.Errorf("%q is %q in %q, want %q in %q", header, gotKind, gotCharset, kind, params["charset"])
		}
	}
}
