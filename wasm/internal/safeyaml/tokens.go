package safeyaml

import (
	"errors"

	"github.com/goccy/go-yaml/token"
)

// maxMarks is how many marks that bring no value (anchors, tags, aliases) may
// stand together: one of each is what YAML allows.
const maxMarks = 4

// maxDocuments is how many marks of documents ("---", "...") there may be; front
// matter is one document.
const maxDocuments = 8

var errJoined = errors.New("a value is missing between brackets or commas")

// checkTokens bounds what the parser will be given.
func checkTokens(tokens token.Tokens) error {
	if len(tokens) > MaxTokens {
		return beyond("it has more values than may be", MaxTokens)
	}
	c := counter{line: -1}
	for _, t := range tokens {
		if err := c.take(t); err != nil {
			return err
		}
	}
	return nil
}

// counter follows how deep the tokens nest. A block's depth is in the columns
// that its marks stand in: each that is further right than the last is one
// deeper, also on one line ("- - - x", "? ? x", "a: b: x").
type counter struct {
	flow             int   // brackets that are open
	columns          []int // of the marks that open blocks around this place
	line, key        int   // of the last token, and the column that a key began in
	marks            int
	anchors, aliases int
	keys, documents  int
	comma            bool // the last token was a comma
	shut             bool // the last token was a closing bracket
}

func (c *counter) take(t *token.Token) error {
	if t.Position == nil {
		return nil
	}
	fresh := t.Position.Line != c.line
	if fresh {
		c.line, c.key, c.marks = t.Position.Line, t.Position.Column, 0
	}
	if c.shut && (c.flow > 0 || !fresh) && !followsBracket(t.Type) {
		return errJoined // "[][]", "[]a:": broken, and the parser takes long to see it
	}
	comma, shut := false, false
	switch t.Type {
	case token.SequenceStartType, token.MappingStartType:
		c.flow++
		c.marks = 0
	case token.SequenceEndType, token.MappingEndType:
		c.flow = max(0, c.flow-1)
		c.marks = 0
		shut = true
	case token.CollectEntryType:
		if c.comma {
			return errJoined
		}
		comma = true
		c.marks = 0
	case token.SequenceEntryType:
		c.open(t.Position.Column)
		c.marks = 0
	case token.MappingKeyType:
		c.open(t.Position.Column)
		c.marks++
	case token.MappingValueType:
		c.open(c.key)
		c.key = t.Position.Column // what follows on this line is inside
		c.marks = 0
		if c.flow == 0 {
			c.keys++
		}
	case token.DocumentHeaderType, token.DocumentEndType:
		c.documents++
	case token.AnchorType:
		c.anchors++
		c.marks++
	case token.AliasType:
		c.aliases++
		c.marks++
	case token.TagType:
		c.marks++
	}
	c.comma, c.shut = comma, shut
	return c.check()
}

// followsBracket says whether a closing bracket may stand before a token.
func followsBracket(t token.Type) bool {
	switch t {
	case token.CollectEntryType, token.SequenceEndType, token.MappingEndType, token.MappingValueType, token.CommentType:
		return true
	}
	return false
}

// open notes a mark in a column; blocks that stood further right have ended.
func (c *counter) open(column int) {
	if c.flow > 0 {
		return
	}
	for n := len(c.columns); n > 0 && c.columns[n-1] >= column; n-- {
		c.columns = c.columns[:n-1]
	}
	c.columns = append(c.columns, column)
}

func (c *counter) check() error {
	switch {
	case c.flow+len(c.columns) > MaxDepth:
		return beyond("it is nested deeper than may be", MaxDepth)
	case c.anchors > MaxAnchors:
		return beyond("it has more anchors than may be", MaxAnchors)
	case c.aliases > MaxAliases:
		return beyond("it has more aliases than may be", MaxAliases)
	case c.keys > MaxKeys:
		return beyond("it has more keys outside of braces than may be", MaxKeys)
	case c.documents > maxDocuments:
		return beyond("it is of more documents than may be", maxDocuments)
	case c.marks > maxMarks:
		return beyond("marks stand together without a value", maxMarks)
	}
	return nil
}
