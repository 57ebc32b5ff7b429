package text

// block is how many bytes are compared at once, which is faster than one by one.
const block = 64

// CommonPrefix gives how many bytes two texts have in common at their beginning.
func CommonPrefix(a, b string) int {
	n, most := 0, min(len(a), len(b))
	for n+block <= most && a[n:n+block] == b[n:n+block] {
		n += block
	}
	for n < most && a[n] == b[n] {
		n++
	}
	return n
}

// CommonSuffix gives how many bytes two texts have in common at their end.
func CommonSuffix(a, b string) int {
	n, most := 0, min(len(a), len(b))
	for n+block <= most && a[len(a)-n-block:len(a)-n] == b[len(b)-n-block:len(b)-n] {
		n += block
	}
	for n < most && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	return n
}
