//go:build !js

// Package terminal is the one way to what a person reads in a terminal. What is
// printed there comes from notes, plans, models and file names, and a terminal
// obeys what it is sent: an escape erases a line, a carriage return writes over
// it, a direction override turns it round. So everything that the native command
// prints goes through a Printer, which writes such characters as marks (package
// text). Only line feeds and tabs of the program's own layout pass.
package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"embedded-agent/wasm/internal/text"
)

// Printer writes to a terminal, or to wherever its output was led. It may be
// used from several goroutines.
type Printer struct {
	mu   sync.Mutex // held while something is printed; guards what follows
	w    io.Writer
	left []byte // the beginning of a character whose rest is still to come
	err  error
}

// To makes the printer of an output. A printer is given back as it is, so that
// nothing is escaped twice.
func To(w io.Writer) *Printer {
	if p, ok := w.(*Printer); ok {
		return p
	}
	return &Printer{w: w}
}

// Printf prints as fmt.Printf does. The format is the program's own, and its
// line feeds and tabs are layout; what the arguments say stays on one line, with
// a mark for everything that would leave it.
func (p *Printer) Printf(format string, args ...any) {
	shown := make([]any, len(args))
	for i, a := range args {
		shown[i] = onOneLine(a)
	}
	p.put([]byte(fmt.Sprintf(format, shown...)))
}

// Plain prints text that this package made, a Command, with line feeds of the
// program's own layout.
func (p *Printer) Plain(s string) { p.put([]byte(text.Visible(s))) }

// Path is a name or path to be printed: what makes two of them look alike is
// marked too.
type Path string

// Code is a line of a file to be printed: its tabs stay.
type Code string

// onOneLine makes an argument safe. Numbers and truth values are.
func onOneLine(a any) any {
	switch a := a.(type) {
	case nil:
		return a
	case string:
		return text.Line(a)
	case Path:
		return text.Name(string(a))
	case Code:
		return strings.NewReplacer("\r", text.Open+"CR"+text.Close, "\n", text.Open+"LF"+text.Close).Replace(text.Visible(string(a)))
	case error, fmt.Stringer:
		return text.Line(fmt.Sprint(a))
	}
	switch k := reflect.TypeOf(a).Kind(); {
	case k == reflect.Bool, k >= reflect.Int && k <= reflect.Float64:
		return a
	}
	return text.Line(fmt.Sprint(a))
}

// Write is for packages that print by themselves, as flag does: line feeds and
// tabs pass, everything else is marked.
func (p *Printer) Write(b []byte) (int, error) {
	p.mu.Lock()
	whole := append(bytes.Clone(p.left), b...)
	end := len(whole)
	for back := 1; back < utf8.UTFMax && back <= end; back++ {
		if c := whole[end-back]; utf8.RuneStart(c) {
			if !utf8.FullRune(whole[end-back:]) {
				end -= back
			}
			break
		}
	}
	p.left = whole[end:]
	p.mu.Unlock()
	p.put([]byte(strings.ReplaceAll(text.Visible(string(whole[:end])), "\r", text.Open+"CR"+text.Close)))
	return len(b), p.Err()
}

// JSON prints a value as one line of JSON. Characters that a terminal would obey
// are written as \u escapes, so that the line stays the same JSON.
func (p *Printer) JSON(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	p.put(escapeJSON(b.Bytes()))
	return p.Err()
}

// escapeJSON escapes in JSON text what is marked elsewhere. Beyond ASCII such
// characters stand in strings only; within ASCII the encoder has escaped all but
// DEL, and long runs of blanks need no escape.
func escapeJSON(b []byte) []byte {
	var out bytes.Buffer
	for s := string(b); s != ""; {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == 0x7f || r > 0x7f && text.Hidden(r):
			if hi, lo := utf16.EncodeRune(r); hi != utf8.RuneError {
				fmt.Fprintf(&out, `\u%04x\u%04x`, hi, lo)
			} else {
				fmt.Fprintf(&out, `\u%04x`, r)
			}
		default:
			out.WriteString(s[:n])
		}
		s = s[n:]
	}
	return out.Bytes()
}

// Err is the first error of the output: a pipe that was closed, a disk that is
// full.
func (p *Printer) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

func (p *Printer) put(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.w.Write(b); err != nil && p.err == nil {
		p.err = err
	}
}
