//go:build !js

package mcp

import (
	"context"
	"encoding/json"
	"mime"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// scheme is that of the addresses of notes: note:///Folder/Note.md, escaped.
const scheme = "note:///"

func (s *Server) addResources() {
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "note", Title: "A note", URITemplate: scheme + "{+path}",
		Description: "A file of the notes as it would be, with what is staged.",
	}, s.readNote)
}

func (s *Server) readNote(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	at, ok := strings.CutPrefix(r.Params.URI, scheme)
	p, err := url.PathUnescape(at)
	if !ok || err != nil {
		return nil, sdk.ResourceNotFoundError(r.Params.URI)
	}
	data, err := s.notes.Read(ctx, p)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Denied) || fault.Is(err, fault.Validation) {
		return nil, sdk.ResourceNotFoundError(r.Params.URI) // what may not be seen is not there
	}
	if err != nil {
		return nil, err
	}
	c := &sdk.ResourceContents{URI: r.Params.URI, MIMEType: typeOf(p)}
	if utf8.Valid(data) {
		c.Text = string(data)
	} else {
		c.Blob = data
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}}, nil
}

func typeOf(p string) string {
	if ext := path.Ext(p); ext == ".md" {
		return "text/markdown"
	} else if t := mime.TypeByExtension(ext); t != "" {
		return t
	}
	return "application/octet-stream"
}

func addressOf(p string) string { return scheme + (&url.URL{Path: p}).EscapedPath() }

// listed answers the lists of what changes while the server runs: notes and saved
// actions. It also has a client of a later version of the protocol taken for one of the
// last that is spoken: the library goes by the version that was asked for, not by the
// one that was agreed on, and would not ask the person.
func (s *Server) listed(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		switch method {
		case "initialize":
			if p, ok := r.GetParams().(*sdk.InitializeParams); ok && p.ProtocolVersion > lastWithSessions {
				p.ProtocolVersion = lastWithSessions
			}
		case "resources/list":
			if p, ok := r.GetParams().(*sdk.ListResourcesParams); ok {
				return s.listNotes(ctx, p)
			}
		case "prompts/list":
			return s.listPrompts(ctx)
		case "prompts/get":
			if p, ok := r.GetParams().(*sdk.GetPromptParams); ok {
				return s.getPrompt(ctx, p)
			}
		}
		return next(ctx, method, r)
	}
}

// listNotes lists a page of the files. The cursor is the path of the last one, so that
// files that come and go between two pages move no other. The pages after the first are
// of the list as it was at the first: to list all files takes seconds where there are
// many.
func (s *Server) listNotes(ctx context.Context, p *sdk.ListResourcesParams) (*sdk.ListResourcesResult, error) {
	after := ""
	if p != nil && p.Cursor != "" {
		var err error
		if after, err = strconv.Unquote(p.Cursor); err != nil {
			return nil, fault.New(fault.Validation, "error.json.invalid", nil).With(err)
		}
	}
	s.listing.Lock()
	defer s.listing.Unlock()
	all := s.list
	if after == "" || all == nil {
		var err error
		if all, err = s.notes.List(ctx); err != nil {
			return nil, err
		}
	}
	s.list = all
	out := &sdk.ListResourcesResult{Resources: []*sdk.Resource{}}
	for _, i := range all {
		if i.Kind != host.File || i.Path <= after {
			continue
		}
		if len(out.Resources) == pageSize {
			out.NextCursor = strconv.Quote(after)
			break
		}
		after = i.Path
		out.Resources = append(out.Resources, &sdk.Resource{
			URI: addressOf(i.Path), Name: i.Path, Title: path.Base(i.Path), MIMEType: typeOf(i.Path), Size: i.Size,
		})
	}
	if out.NextCursor == "" {
		s.list = nil
	}
	return out, nil
}

// listPrompts lists the saved actions.
func (s *Server) listPrompts(ctx context.Context) (*sdk.ListPromptsResult, error) {
	actions, err := s.notes.Actions(ctx)
	if err != nil {
		return nil, err
	}
	out := &sdk.ListPromptsResult{Prompts: []*sdk.Prompt{}}
	for _, a := range actions {
		p := &sdk.Prompt{Name: a.ID, Title: a.Name, Description: a.Goal}
		for _, f := range a.Fields {
			p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: f.Name, Title: i18n.English(f.Label.Key, f.Label.Params), Required: !f.Optional && f.Value == ""})
		}
		out.Prompts = append(out.Prompts, p)
	}
	return out, nil
}

// getPrompt gives a saved action as a request: its prompt, or its plan for plan_submit.
func (s *Server) getPrompt(ctx context.Context, p *sdk.GetPromptParams) (*sdk.GetPromptResult, error) {
	a, err := s.notes.Action(ctx, p.Name)
	if err != nil {
		return nil, err
	}
	values := make(map[string]any, len(p.Arguments))
	for name, v := range p.Arguments {
		values[name] = v
	}
	given, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	text := a.Prompt
	if a.Plan != "" {
		text = "Call plan_submit with this plan:\n" + a.Plan
	}
	if len(values) > 0 {
		text += "\nwith these values for its parameters:\n" + string(given)
	}
	return &sdk.GetPromptResult{
		Description: a.Action.Name,
		Messages:    []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}},
	}, nil
}
