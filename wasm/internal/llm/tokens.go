package llm

import (
	"math"
	"unicode"
	"unicode/utf8"
)

// Token weights of the estimate: how many tokens a character is worth, by its kind. They are averages over the byte
// pair vocabularies of current models (about 200,000 entries), which have most short English words whole, cut digits by
// threes, and have about one entry per ideograph.
const (
	perWordStart = 0.75 // a run of Latin letters costs this much, and
	perLetter    = 0.10 // this much for each letter
	perOther     = 0.38 // a letter of another alphabet
	perIdeograph = 0.85 // an ideograph, kana or Hangul syllable
	perDigit     = 0.37
	perMark      = 0.55 // punctuation
	perRepeat    = 0.12 // the same punctuation again
	perNewline   = 0.35
	perSymbol    = 2.2 // emoji and the like
)

// ImageTokens is the estimate for an image: one of about 1,000 by 1,000 pixels.
const ImageTokens = 1100

// Overheads of the estimate, in tokens.
const (
	perMessage = 4
	perTool    = 12
	perImage   = ImageTokens
)

// EstimateTokens guesses how many tokens a text is, from the kinds of its characters. It is meant for a figure shown
// before a request is sent and for limits with a margin: expect it within a third for prose in any script and code.
func EstimateTokens(text string) int {
	sum := 0.0
	last := rune(0)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		sum += weight(r, last)
		last = r
	}
	return int(math.Ceil(sum))
}

func weight(r, last rune) float64 {
	switch {
	case r == ' ' || r == '\t' || r == '\r':
		if last == ' ' || last == '\t' {
			return 0.03
		}
		return 0.02
	case r == '\n':
		return perNewline
	case r >= '0' && r <= '9':
		return perDigit
	case isLatin(r):
		if isLatin(last) {
			return perLetter
		}
		return perWordStart + perLetter
	case isIdeograph(r):
		return perIdeograph
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return perOther
	case r < utf8.RuneSelf || unicode.IsPunct(r):
		if r == last {
			return perRepeat
		}
		return perMark
	}
	return perSymbol
}

func isLatin(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0xC0 && r <= 0x24F && r != 0xD7 && r != 0xF7
}

func isIdeograph(r rune) bool {
	return r >= 0x3040 && r <= 0x30FF || r >= 0x3400 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7AF ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x20000 && r <= 0x3FFFF || r >= 0xFF66 && r <= 0xFF9D
}

// EstimateRequest guesses the input tokens of a request: its messages, tools, images and schema.
func EstimateRequest(r Request) int {
	sum := 3
	for _, m := range r.Messages {
		sum += perMessage
		for _, block := range m.Content {
			sum += estimateBlock(block)
		}
	}
	for _, t := range r.Tools {
		sum += perTool + EstimateTokens(t.Name) + EstimateTokens(t.Description) + EstimateTokens(string(t.Parameters))
	}
	if r.Format != nil {
		sum += EstimateTokens(string(r.Format.Schema))
	}
	return sum
}

func estimateBlock(b Block) int {
	switch b.Type {
	case BlockText:
		return EstimateTokens(b.Text)
	case BlockThinking:
		return EstimateTokens(b.Thinking)
	case BlockToolCall:
		return perTool + EstimateTokens(b.Name) + EstimateTokens(string(b.Arguments))
	case BlockImage:
		return perImage
	case BlockOpaque:
		return EstimateTokens(string(b.Raw))
	}
	return 0
}
