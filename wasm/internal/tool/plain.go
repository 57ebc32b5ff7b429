package tool

// Plain copies a value into the types that encoding/json decodes to, which are those
// that the validator knows. Whole numbers keep their type. The copy shares nothing
// with the value.
func Plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return plainMap(v)
	case Data:
		return plainMap(v)
	case Args:
		return plainMap(v)
	case map[string]string:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = e
		}
		return out
	case []any:
		return plainList(v)
	case []string:
		return plainList(v)
	case []map[string]any:
		return plainList(v)
	case []Data:
		return plainList(v)
	}
	return v
}

func plainMap[M ~map[string]any](m M) map[string]any {
	out := make(map[string]any, len(m))
	for k, e := range m {
		out[k] = Plain(e)
	}
	return out
}

func plainList[T any](list []T) []any {
	out := make([]any, len(list))
	for i, e := range list {
		out[i] = Plain(e)
	}
	return out
}

// ListOf gives the elements of a list of any of the types that tools give; false for
// what is no list. The elements are those of the value, not copies.
func ListOf(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case []string:
		return elementsOf(v), true
	case []map[string]any:
		return elementsOf(v), true
	case []Data:
		return elementsOf(v), true
	}
	return nil, false
}

func elementsOf[T any](list []T) []any {
	out := make([]any, len(list))
	for i, e := range list {
		out[i] = e
	}
	return out
}
