package chat

import (
	"context"
	"time"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
)

// listAge is how old a list of models may be before it is asked for anew.
const listAge = time.Hour

// Models gives the models that the endpoint offers. Where it cannot be
// asked, the last list is given with the problem.
func (room *Chat) Models(ctx context.Context, _ protocol.Empty) (protocol.Models, error) {
	m, err := room.NewModel(ctx, "", func(protocol.Message) {})
	if err != nil {
		return protocol.Models{Models: []string{}, Problem: room.deps.Out.Problem(err)}, nil
	}
	l := room.endpoints.models(ctx, m.list())
	at, err := time.Parse(time.RFC3339, l.At)
	if err != nil || room.deps.Now().Sub(at) > listAge || room.deps.Now().Before(at) {
		fresh, err := room.fetchModels(ctx, m)
		if err != nil {
			return listed(l, room.deps.Out.Problem(err)), nil
		}
		l = fresh
	}
	return listed(l, nil), nil
}

func listed(l modelList, p *protocol.Problem) protocol.Models {
	out := protocol.Models{Models: []string{}, FetchedAt: l.At, Problem: p}
	for _, m := range l.Models {
		out.Models = append(out.Models, m.ID)
	}
	return out
}

// fetchModels asks for the list and keeps it.
func (room *Chat) fetchModels(ctx context.Context, m *model) (modelList, error) {
	models, err := llm.FetchModels(ctx, m.dialect, m.endpoint, m.transport(room))
	if err != nil {
		return modelList{}, planner.FromLLM(llm.AsError(err, m.host()))
	}
	l := modelList{At: timestamp.Second(room.deps.Now()), Models: models}
	room.endpoints.keepModels(ctx, m.list(), l)
	return l, nil
}

// window gives how many tokens the model takes, 0 where nobody says.
func (room *Chat) window(ctx context.Context, m *model) int {
	for _, x := range room.endpoints.models(ctx, m.list()).Models {
		if x.ID == m.name && x.Context > 0 {
			return int(x.Context)
		}
	}
	p, _ := room.deps.Usage.Prices().Find(m.host(), m.name)
	return p.Window
}
