package server

import (
	"context"

	"embedded-agent/wasm/internal/answer"
	"embedded-agent/wasm/internal/fileview"
	"embedded-agent/wasm/internal/network"
	"embedded-agent/wasm/internal/protocol"
)

// replyDraw reads a model's words as what the panel draws.
func (s *Server) replyDraw(_ context.Context, p protocol.ReplyText) (protocol.ReplyTree, error) {
	return answer.Draw(p.Text, p.Drawn, network.Public), nil
}

// replyCheck says what a model's words would do in a note.
func (s *Server) replyCheck(_ context.Context, p protocol.ReplyText) (protocol.ReplyInsert, error) {
	return protocol.ReplyInsert{Warnings: fileview.Warnings(p.Text)}, nil
}
