package builtin

// bareTag takes the "#" off a tag.
func bareTag(t string) string {
	for len(t) > 0 && (t[0] == '#' || t[0] == ' ') {
		t = t[1:]
	}
	return t
}
