//go:build !js

package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"embedded-agent/wasm/internal/fault"
)

// mostAsked bounds the text of a question, in characters: a client would cut a longer
// one, and a yes must be a yes to all of it.
const mostAsked = 20_000

// canAsk says whether a client asks its person (elicitation with a form).
func canAsk(ss *sdk.ServerSession) bool {
	p := ss.InitializeParams()
	if p == nil || p.Capabilities == nil || p.Capabilities.Elicitation == nil {
		return false
	}
	e := p.Capabilities.Elicitation
	return e.Form != nil || e.URL == nil // neither means a form: clients of earlier versions
}

// askPerson shows a review to the person at the client, and asks for a yes. What is not
// an explicit yes is a no.
func askPerson(ctx context.Context, ss *sdk.ServerSession, text, yes string) (bool, error) {
	title, err := json.Marshal(yes)
	if err != nil {
		return false, err
	}
	res, err := ss.Elicit(ctx, &sdk.ElicitParams{
		Mode: "form", Message: text,
		RequestedSchema: json.RawMessage(`{"type":"object","properties":{"approve":{"type":"boolean","title":` + string(title) + `}},"required":["approve"]}`),
	})
	if err != nil {
		if f := fault.From(err); ctx.Err() != nil {
			return false, f
		}
		return false, fault.New(fault.Precondition, "staged.notAsked", nil).With(err)
	}
	return res.Action == "accept" && res.Content["approve"] == true, nil
}
