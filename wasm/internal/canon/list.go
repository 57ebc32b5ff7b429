package canon

// List gives a slice that JSON writes as [] where there is nothing in it: a
// field that holds a list is never null on the wire.
func List[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
