package tool

// Size estimates how long a value is as JSON, in bytes: what its texts, keys and
// signs take, without what escaping adds. It stops counting beyond most.
func Size(v any, most int) int {
	switch v := v.(type) {
	case string:
		return len(v) + 2
	case Data:
		return sizeOfMap(v, most)
	case map[string]any:
		return sizeOfMap(v, most)
	case []any:
		return sizeOfList(v, most)
	case []string:
		return sizeOfList(v, most)
	case []map[string]any:
		return sizeOfList(v, most)
	}
	return 4
}

func sizeOfMap[M ~map[string]any](m M, most int) int {
	n := 2
	for k, e := range m {
		if n > most {
			break
		}
		n += len(k) + 4 + Size(e, most-n)
	}
	return n
}

func sizeOfList[E any](list []E, most int) int {
	n := 2
	for _, e := range list {
		if n > most {
			break
		}
		n += 1 + Size(e, most-n)
	}
	return n
}
