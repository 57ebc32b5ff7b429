package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/jsontree"
	"embedded-agent/wasm/internal/price"
)

// MaxMessage limits the text of one message, in bytes; a stream beyond it ends in an error.
const MaxMessage = 64 << 20

// MaxBlocks limits the number of blocks of one message.
const MaxBlocks = 4096

// Builder makes the events of one message and the message itself. Decoders and scripted models use it, so that every
// stream obeys the same rules: one start, blocks that open before they grow and close once, exactly one terminal event,
// after which everything is ignored.
type Builder struct {
	emit    func(Event)
	message Message
	host    string
	parts   []*part
	size    int
	calls   map[string]bool
	rewrite func(name string, arguments json.RawMessage) json.RawMessage
	started bool
	ended   bool
}

// part is a block that grows.
type part struct {
	text   strings.Builder
	joiner jsontree.Joiner
	block  Block
	closed bool
}

// NewBuilder starts a message; head gives what is known of it (dialect, requested model). emit receives every event; it
// must not call the builder.
func NewBuilder(head Message, emit func(Event)) *Builder {
	head.Role = RoleAssistant
	head.Content = nil
	return &Builder{emit: emit, message: head, calls: make(map[string]bool)}
}

// Rewrite sets what is done with the arguments of a call once they are whole, before anybody sees them.
func (b *Builder) Rewrite(f func(name string, arguments json.RawMessage) json.RawMessage) {
	b.rewrite = f
}

// StripNulls takes the nulls out of the arguments of strict tools, whose schemas these are, by name: a model has to
// write them where it leaves something out.
func (b *Builder) StripNulls(schemas map[string][]byte) {
	if len(schemas) == 0 {
		return
	}
	b.Rewrite(func(name string, arguments json.RawMessage) json.RawMessage {
		if schema, ok := schemas[name]; ok {
			return StripNulls(schema, arguments)
		}
		return arguments
	})
}

// Ended reports whether the terminal event is out.
func (b *Builder) Ended() bool { return b.ended }

// Started reports whether the start event is out.
func (b *Builder) Started() bool { return b.started }

// Start emits the start event, once. Later calls only fill in what was not known.
func (b *Builder) Start(responseID, responseModel string) {
	if b.ended {
		return
	}
	if b.message.ResponseID == "" {
		b.message.ResponseID = responseID
	}
	if b.message.ResponseModel == "" {
		b.message.ResponseModel = responseModel
	}
	if b.started {
		return
	}
	b.started = true
	head := b.message
	b.emit(Event{Type: EventStart, Message: &head})
}

// Open starts a block of type text, thinking or toolCall and gives its content index. A call gets an id of its own when
// it has none or one that the message already has.
func (b *Builder) Open(block Block) int {
	if b.ended || !b.room(0) {
		return -1
	}
	b.Start("", "")
	if block.Type == BlockToolCall {
		call := ToolCall{}
		if block.ToolCall != nil {
			call = ToolCall{ID: block.ID, Name: block.Name}
		}
		call.ID = b.uniqueID(call.ID)
		block.ToolCall = &call
	}
	index := len(b.parts)
	b.parts = append(b.parts, &part{block: block})
	start, _, _ := blockEvents(block.Type)
	b.emit(Event{Type: start, ContentIndex: index, Block: cloneBlock(block)})
	return index
}

// uniqueID keeps the ids of a message apart: results are matched by them.
func (b *Builder) uniqueID(id string) string {
	base, n := id, 2
	if base == "" {
		base, n = "call", 1
	}
	for ; id == "" || b.calls[id]; n++ {
		id = base + "_" + strconv.Itoa(n)
	}
	b.calls[id] = true
	return id
}

// Delta adds text to a block.
func (b *Builder) Delta(index int, text string) {
	p := b.open(index)
	if p == nil || text == "" || !b.room(len(text)) {
		return
	}
	p.text.WriteString(text)
	_, delta, _ := blockEvents(p.block.Type)
	b.emit(Event{Type: delta, ContentIndex: index, Delta: text})
}

// DeltaJSON adds the text of a JSON string to a block; halves of a surrogate pair in two pieces are joined.
func (b *Builder) DeltaJSON(index int, piece jsontree.Value) {
	if p := b.open(index); p != nil {
		b.Delta(index, p.joiner.Next(piece))
	}
}

// Block is the block as far as it is known, to be changed in place (signature, kind); nil when it is closed or none.
// The growing text is not in it: see Grown.
func (b *Builder) Block(index int) *Block {
	if p := b.open(index); p != nil {
		return &p.block
	}
	return nil
}

// Grown is the text that a block has collected, closed or not.
func (b *Builder) Grown(index int) string {
	if index < 0 || index >= len(b.parts) {
		return ""
	}
	return b.parts[index].text.String()
}

// Close ends a block.
func (b *Builder) Close(index int) {
	p := b.open(index)
	if p == nil {
		return
	}
	b.Delta(index, p.joiner.End())
	if b.ended {
		return
	}
	p.finish(false)
	p.closed = true
	if b.rewrite != nil && p.block.Type == BlockToolCall && p.block.Arguments != nil {
		p.block.Arguments = b.rewrite(p.block.Name, p.block.Arguments)
	}
	_, _, end := blockEvents(p.block.Type)
	b.emit(Event{Type: end, ContentIndex: index, Block: cloneBlock(p.block)})
}

// CloseCut ends a call whose arguments were cut off: it is marked incomplete.
func (b *Builder) CloseCut(index int) {
	p := b.open(index)
	if p == nil {
		return
	}
	if p.block.Type == BlockToolCall {
		p.block.Incomplete = true
	}
	b.Close(index)
}

// closeAll ends the open blocks in their order. With cut, calls that a length stop cut off are marked, closed ones
// included (some providers close every block first and name the stop afterwards).
func (b *Builder) closeAll(cut bool) {
	if cut {
		b.markCut()
	}
	for i := range b.parts {
		b.Close(i)
	}
}

// markCut marks the calls whose arguments are not whole.
func (b *Builder) markCut() {
	for i, p := range b.parts {
		if p.block.Type == BlockToolCall && cutOff(p.text.String(), i == len(b.parts)-1) {
			call := *p.block.ToolCall
			call.Incomplete = true
			p.block.ToolCall = &call
		}
	}
}

// cutOff reports whether the arguments are not whole. No text at all stands for no arguments, except where the stop
// came just there.
func cutOff(text string, last bool) bool {
	if strings.TrimSpace(text) == "" {
		return last
	}
	return !wholeObject(text)
}

// Opaque adds a block that is carried back unread.
func (b *Builder) Opaque(kind string, raw []byte) {
	if b.ended || !b.room(len(raw)) {
		return
	}
	b.Start("", "")
	block := Block{Type: BlockOpaque, Kind: kind, Raw: bytes.Clone(raw)}
	index := len(b.parts)
	b.parts = append(b.parts, &part{block: block, closed: true})
	b.emit(Event{Type: EventOpaque, ContentIndex: index, Block: cloneBlock(block)})
}

// Usage reports what the provider has counted; a later report replaces an earlier one.
func (b *Builder) Usage(u price.Usage) {
	if b.ended {
		return
	}
	b.Start("", "")
	kept := u
	b.message.Usage = &kept
	b.emit(Event{Type: EventUsage, Usage: &u})
}

// CurrentUsage gives the usage that was reported so far.
func (b *Builder) CurrentUsage() price.Usage {
	if b.message.Usage == nil {
		return price.Usage{}
	}
	return *b.message.Usage
}

// HasCalls reports whether the message has a tool call.
func (b *Builder) HasCalls() bool {
	for _, p := range b.parts {
		if p.block.Type == BlockToolCall {
			return true
		}
	}
	return false
}

// Blocks is the number of blocks so far.
func (b *Builder) Blocks() int { return len(b.parts) }

// Done closes what is open and ends the stream. detail is the provider's own word for the stop. A message that stopped
// by itself and has calls stopped for them, whatever the provider calls it; one that claims calls and has none, did not.
func (b *Builder) Done(reason StopReason, detail string) {
	if b.ended {
		return
	}
	b.Start("", "")
	b.closeAll(reason == StopLength || reason == StopContextWindow)
	if b.ended {
		return
	}
	if reason == StopStop && b.HasCalls() {
		reason = StopToolUse
	} else if reason == StopToolUse && !b.HasCalls() {
		reason = StopStop
	}
	b.ended = true
	b.message.StopReason = reason
	b.message.StopDetail = detail
	b.message.Content = b.content()
	m := b.message
	b.emit(Event{Type: EventDone, Message: &m})
}

// Fail ends the stream with an error. What arrived is kept; open calls are marked incomplete. Half a character is not
// text and goes.
func (b *Builder) Fail(err *Error) {
	if b.ended {
		return
	}
	b.Start("", "")
	b.ended = true
	if b.host != "" && err.Params["host"] == "" {
		err = err.With("host", b.host)
	}
	b.markCut()
	for _, p := range b.parts {
		if !p.closed {
			p.finish(true)
		}
	}
	b.message.StopReason = StopError
	if err.Code == CodeCancelled {
		b.message.StopReason = StopAborted
	}
	b.message.Error = err
	b.message.Content = b.content()
	m := b.message
	b.emit(Event{Type: EventError, Message: &m, Error: err})
}

// FailWith ends the stream with err, whatever it is; host names the endpoint in the sentence.
func (b *Builder) FailWith(err error, host string) {
	var syntax *jsontree.SyntaxError
	if errors.As(err, &syntax) || errors.Is(err, jsontree.ErrDepth) {
		b.Fail(NewError("llm.error.shape", "host", host, "detail", err.Error()))
		return
	}
	b.Fail(AsError(err, host))
}

func (b *Builder) content() []Block {
	blocks := make([]Block, len(b.parts))
	for i, p := range b.parts {
		blocks[i] = *cloneBlock(p.block)
	}
	return blocks
}

func (b *Builder) open(index int) *part {
	if b.ended || index < 0 || index >= len(b.parts) || b.parts[index].closed {
		return nil
	}
	return b.parts[index]
}

// room counts the bytes to come against the limits and fails the stream beyond them.
func (b *Builder) room(n int) bool {
	b.size += n
	if b.size > MaxMessage || len(b.parts) >= MaxBlocks {
		b.Fail(NewError("llm.error.tooLarge", "detail", strconv.Itoa(b.size)+" bytes"))
		return false
	}
	return true
}

// finish moves the grown text to its place in the block.
func (p *part) finish(cut bool) {
	text := p.text.String()
	switch p.block.Type {
	case BlockText:
		p.block.Text = text
	case BlockThinking:
		p.block.Thinking = text
	case BlockToolCall:
		setArguments(p.block.ToolCall, text)
		p.block.Incomplete = p.block.Incomplete || cut
	}
}

// setArguments fills in what the argument text amounts to. No text at all is a call without arguments.
func setArguments(call *ToolCall, text string) {
	call.Arguments, call.RawArguments = nil, ""
	switch {
	case strings.TrimSpace(text) == "":
		call.Arguments = json.RawMessage("{}")
	case wholeObject(text):
		call.Arguments = json.RawMessage(strings.TrimSpace(text))
	default:
		call.RawArguments = text
	}
}

// wholeObject reports whether text is one JSON object within the depth limit.
func wholeObject(text string) bool {
	v, err := jsontree.Parse([]byte(text))
	return err == nil && v.Kind() == jsontree.Object
}

func cloneBlock(block Block) *Block {
	if block.ToolCall != nil {
		call := *block.ToolCall
		block.ToolCall = &call
	}
	return &block
}
