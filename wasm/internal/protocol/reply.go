package protocol

// ReplyNode is one part of a model's reply as it is drawn. A drawer makes an
// element of its own for each kind, and reads no markup out of the texts.
type ReplyNode struct {
	Kind ReplyKind `json:"kind"`
	// Text is literal. Where characters in it have to be drawn as marks, Kids
	// say how.
	Text string      `json:"text,omitempty"`
	Kids []ReplyNode `json:"kids,omitempty"`
	// Level is a heading's, from 1.
	Level   int  `json:"level,omitempty"`
	Ordered bool `json:"ordered,omitempty"` // a list
	// Task is the character in an item's box; "" is no task.
	Task  string `json:"task,omitempty"`
	Align string `json:"align,omitempty"` // a cell: left, center, right
	Info  string `json:"info,omitempty"`  // what stands after a code fence
	// To is the whole address that a link or an image leads to, or a note's link
	// path. A link and a note can be opened; an image only with Load.
	To string `json:"to,omitempty"`
	// Where is shown beside: the host or note that the words do not name.
	Where string `json:"where,omitempty"`
	// Ask wants the whole address to be shown, and a yes, before it is opened.
	Ask   bool `json:"ask,omitempty"`
	Embed bool `json:"embed,omitempty"` // a note that was written as an embed
	Load  bool `json:"load,omitempty"`  // an image that may be loaded, at a press
}

// ReplyText is text of a reply, from where the last answer said that it is
// settled. Drawn is how many nodes are drawn of the reply already.
type ReplyText struct {
	Text  string `json:"text"`
	Drawn int    `json:"drawn,omitempty"`
}

// ReplyTree is a text as blocks. However the text goes on, the first Ready of
// them stay as they are; what comes after them begins at the UTF-16 code unit
// At of the text. Drawn counts the nodes of the first Ready, with those before.
type ReplyTree struct {
	Blocks []ReplyNode `json:"blocks"`
	Ready  int         `json:"ready,omitempty"`
	At     int         `json:"at,omitempty"`
	Drawn  int         `json:"drawn,omitempty"`
}

// ReplyInsert says what a reply would do in a note, beside being read: each is a
// sentence. Where there is any, the person is asked before it is inserted.
type ReplyInsert struct {
	Warnings []Message `json:"warnings"`
}
