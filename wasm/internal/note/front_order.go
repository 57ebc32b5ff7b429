package note

import (
	"bytes"
	"slices"

	"embedded-agent/wasm/internal/sorting"
)

// OrderProperties gives the note with the properties that are named first, in the
// order of their names, and all others behind them as they are. A front matter
// with lines that belong to no property, such as comments, stays as it is: nobody
// can know which property they are about.
func OrderProperties(data []byte, names []string) []byte {
	d := ParseFront(data)
	props, ok := d.Properties()
	at := d.FrontBody.Start
	for i := range props {
		if props[i].Start != at {
			return data
		}
		at = props[i].End
	}
	if _, err := d.Loose(); err != nil || !ok || at != d.FrontBody.End {
		return data
	}
	place := make(map[string]int, len(names))
	for i, name := range slices.Backward(names) {
		place[name] = i - len(names) // the others have 0
	}
	sorting.StableFunc(props, func(a, b Property) int { return place[a.Key] - place[b.Key] })
	var body bytes.Buffer
	for i := range props {
		body.Write(props[i].Of(data))
	}
	return Edits{{d.FrontBody, body.String()}}.Apply(data)
}

// MergeTemplate gives a note with a filled template put into it: its properties in
// the template's order, the template's value where the note has none, lists of both
// as one, and the template's text at the end.
func MergeTemplate(data, template []byte) ([]byte, error) {
	t := ParseFront(template)
	props, ok := t.Properties()
	values, err := t.Loose()
	if err != nil || !ok {
		return nil, errFront(err)
	}
	have, err := ParseFront(data).Loose()
	if err != nil {
		return nil, errFront(err)
	}
	var names []string
	for i := range props {
		key := props[i].Key
		names = append(names, key)
		list, isList := values[key].([]any)
		switch old, there := have[key]; {
		case isList && there:
			data, err = AddToProperty(data, key, list)
		case !there || old == nil || old == "":
			data, err = SetProperty(data, key, values[key])
		}
		if err != nil {
			return nil, err
		}
	}
	if body := bytes.TrimSpace(t.Body.Of(template)); len(body) > 0 {
		data = Append(data, string(body))
	}
	return OrderProperties(data, names), nil
}
