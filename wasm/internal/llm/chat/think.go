package chat

import "strings"

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// thinkTag tells reasoning from text where an endpoint leaves the model's own marks in the content: everything between
// <think> at the very beginning and the first </think>. Anywhere else the marks are text.
type thinkTag struct {
	state thinkState
	// held is text that may turn out to be a part of a mark.
	held string
}

type thinkState uint8

const (
	thinkUndecided thinkState = iota
	thinkOpened               // line ends before the reasoning are dropped
	thinkInside
	thinkAfter // inside is over; space before the text is dropped
	thinkPlain
)

// feed takes the next piece of content and gives what of it is reasoning and what is text after that.
func (t *thinkTag) feed(piece string) (reasoning, text string) {
	s := t.held + piece
	t.held = ""
	if t.state == thinkUndecided {
		trimmed := strings.TrimLeft(s, " \t\r\n")
		switch {
		case strings.HasPrefix(trimmed, thinkOpen):
			t.state = thinkOpened
			s = trimmed[len(thinkOpen):]
		case strings.HasPrefix(thinkOpen, trimmed):
			t.held = s
			return "", ""
		default:
			t.state = thinkPlain
		}
	}
	if t.state == thinkOpened {
		if s = strings.TrimLeft(s, "\r\n"); s != "" {
			t.state = thinkInside
		}
	}
	if t.state == thinkInside {
		inside, after, closed := strings.Cut(s, thinkClose)
		if !closed {
			keep := partial(s, thinkClose)
			t.held = s[len(s)-keep:]
			return s[:len(s)-keep], ""
		}
		t.state = thinkAfter
		reasoning, s = inside, after
	}
	if t.state == thinkAfter {
		if s = strings.TrimLeft(s, " \t\r\n"); s != "" {
			t.state = thinkPlain
		}
	}
	return reasoning, s
}

// end gives what was held back when no more follows.
func (t *thinkTag) end() (reasoning, text string) {
	held := t.held
	t.held = ""
	if t.state == thinkInside {
		return held, ""
	}
	return "", held
}

// partial is the length of the longest end of s that is a beginning of mark.
func partial(s, mark string) int {
	for n := min(len(s), len(mark)-1); n > 0; n-- {
		if strings.HasSuffix(s, mark[:n]) {
			return n
		}
	}
	return 0
}
