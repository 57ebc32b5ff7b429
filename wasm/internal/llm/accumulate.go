package llm

// Accumulator folds the events of one stream to the message. The zero Accumulator is ready. It needs no terminal event:
// Message gives what has arrived so far.
type Accumulator struct {
	message Message
	texts   [][]byte
	closed  []bool
	end     *Event
}

// Add takes the next event. Events after the terminal one are ignored.
func (a *Accumulator) Add(e Event) {
	if a.end != nil {
		return
	}
	switch e.Type {
	case EventStart:
		if e.Message != nil {
			content := a.message.Content
			a.message = *e.Message
			a.message.Content = content
		}
	case EventTextStart, EventThinkingStart, EventToolCallStart:
		a.set(e, false)
	case EventTextDelta, EventThinkingDelta, EventToolCallDelta:
		if e.ContentIndex >= 0 && e.ContentIndex < len(a.texts) && !a.closed[e.ContentIndex] {
			a.texts[e.ContentIndex] = append(a.texts[e.ContentIndex], e.Delta...)
		}
	case EventTextEnd, EventThinkingEnd, EventToolCallEnd, EventOpaque:
		a.set(e, true)
	case EventUsage:
		a.message.Usage = e.Usage
	case EventDone, EventError:
		a.end = &e
	}
}

// set puts the block of an event into its place.
func (a *Accumulator) set(e Event, closed bool) {
	if e.Block == nil || e.ContentIndex < 0 || e.ContentIndex >= MaxBlocks {
		return
	}
	for len(a.message.Content) <= e.ContentIndex {
		a.message.Content = append(a.message.Content, Block{})
		a.texts = append(a.texts, nil)
		a.closed = append(a.closed, false)
	}
	a.message.Content[e.ContentIndex] = *cloneBlock(*e.Block)
	a.closed[e.ContentIndex] = closed
}

// Ended reports whether the terminal event has come.
func (a *Accumulator) Ended() bool { return a.end != nil }

// Message is the message: the one of the terminal event once that has come, else what has arrived so far, its open calls
// marked incomplete.
func (a *Accumulator) Message() Message {
	if a.end != nil && a.end.Message != nil {
		return *a.end.Message
	}
	m := a.message
	m.Role = RoleAssistant
	m.Content = make([]Block, len(a.message.Content))
	for i, block := range a.message.Content {
		m.Content[i] = *cloneBlock(block)
		if a.closed[i] {
			continue
		}
		p := part{block: m.Content[i]}
		p.text.Write(a.texts[i])
		if p.block.Type == BlockToolCall && p.block.ToolCall == nil {
			p.block.ToolCall = &ToolCall{}
		}
		p.finish(true)
		m.Content[i] = p.block
	}
	if a.end != nil {
		m.Error = a.end.Error
	}
	return m
}

// Err is the error of the stream, or nil.
func (a *Accumulator) Err() *Error {
	if a.end == nil {
		return nil
	}
	return a.end.Error
}
