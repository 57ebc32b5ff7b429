package note

import "slices"

// AddToProperty gives the note with elements added to a list property; those
// that are in it are not added again. A single value becomes the first element.
func AddToProperty(data []byte, key string, more []any) ([]byte, error) {
	values, err := ParseFront(data).Loose()
	if err != nil {
		return nil, errFront(err)
	}
	var list []any
	switch v := values[key].(type) {
	case nil:
	case []any:
		list = slices.Clone(v)
	default:
		if v != "" {
			list = []any{v}
		}
	}
	n := len(list)
	have := make(map[string]bool, n+len(more))
	for _, e := range list {
		have[valueID(e)] = true
	}
	for _, e := range more {
		if id := valueID(e); !have[id] {
			have[id] = true
			list = append(list, e)
		}
	}
	if len(list) == n {
		return data, nil
	}
	return SetProperty(data, key, list)
}
