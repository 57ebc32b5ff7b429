package llm

import "embedded-agent/wasm/internal/jsontree"

// Pieces builds the blocks of an answer whose pieces say of what kind they are, and
// not which block they belong to: a piece goes into the open block of its kind, or
// opens a new one.
type Pieces struct {
	// Sign is the signature that thinking gets when it ends without one; "" for none.
	Sign string

	b    *Builder
	open int // -1 for none
	kind BlockType
}

// NewPieces gives a builder's pieces, with no block open.
func NewPieces(b *Builder) Pieces { return Pieces{b: b, open: -1} }

// Add adds a piece of text. What is no text, or empty, opens nothing.
func (p *Pieces) Add(kind BlockType, piece jsontree.Value) {
	if piece.Kind() != jsontree.String || piece.Is("") {
		return
	}
	if p.open < 0 || p.kind != kind {
		p.Close()
		p.open, p.kind = p.b.Open(Block{Type: kind}), kind
	}
	p.b.DeltaJSON(p.open, piece)
}

// Block is the open block of a kind, to be changed in place; nil where none is open.
func (p *Pieces) Block(kind BlockType) *Block {
	if p.kind != kind {
		return nil
	}
	return p.b.Block(p.open)
}

// Close ends the open block.
func (p *Pieces) Close() {
	if b := p.Block(BlockThinking); b != nil && b.Signature == "" {
		b.Signature = p.Sign
	}
	p.b.Close(p.open)
	p.open = -1
}

// Call adds a call that came whole, and ends what was open before it.
func (p *Pieces) Call(id, name string, arguments jsontree.Value, signature string) {
	p.Close()
	i := p.b.Open(Call(id, ToolName(name), nil))
	if arguments.Exists() {
		p.b.Delta(i, string(arguments.Raw()))
	}
	if b := p.b.Block(i); b != nil {
		b.Signature = signature
	}
	p.b.Close(i)
}
