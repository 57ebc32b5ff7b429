package jsbridge

import (
	"encoding/json"
	"slices"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/protocol"
)

// Problem gives the form in which an error crosses the boundary.
func Problem(err error) *protocol.Problem {
	f := fault.From(err)
	if f == nil {
		return nil
	}
	return &protocol.Problem{
		Code: protocol.ProblemCode(f.Code), Key: f.Key, Params: f.Params, Detail: f.Detail,
		Retryable: f.Retryable, RetryAfterS: f.RetryAfterS,
	}
}

func problemJSON(err error) string {
	p := Problem(err)
	if p == nil {
		return ""
	}
	b, failed := json.Marshal(p)
	if failed != nil { // RetryAfterS is not a number
		p.RetryAfterS = 0
		b, _ = json.Marshal(p)
	}
	return string(b)
}

// parseProblem reads an error of the app's side. What is not one of the closed list
// of codes becomes INTERNAL_ERROR.
func parseProblem(text string) *fault.Error {
	var p protocol.Problem
	if err := canon.CheckDepth([]byte(text)); err != nil {
		return fault.From(err)
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return fault.New(fault.Internal, "error.internal", nil).With(err)
	}
	return faultOf(p)
}

func faultOf(p protocol.Problem) *fault.Error {
	code := fault.Code(p.Code)
	if !slices.Contains(fault.Codes(), code) || p.Key == "" {
		return &fault.Error{Code: fault.Internal, Key: "error.internal", Detail: string(p.Code) + " " + p.Key + " " + p.Detail}
	}
	return &fault.Error{
		Code: code, Key: p.Key, Params: p.Params, Detail: p.Detail,
		Retryable: p.Retryable, RetryAfterS: p.RetryAfterS,
	}
}
