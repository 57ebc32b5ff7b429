package builtin

// bareTag takes the "#" off a tag.
func bareTag(t string) string {
	for len(t) > 0 && (t[0] == '#' || t[0] == ' ') {
		t = t[1:]
	}
	return t
}

func bareTags(tags []string) []string {
	out := make([]string, len(tags))
	for i, t := range tags {
		out[i] = bareTag(t)
	}
	return out
}
