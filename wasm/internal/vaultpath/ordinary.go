package vaultpath

import "strings"

// ordinaryByte marks the bytes of ordinary names. Of what is not among them,
// some is refused, some has another spelling, and some only looks like that.
var ordinaryByte = func() (set [256]bool) {
	for c := byte('0'); c <= '9'; c++ {
		set[c] = true
	}
	for c := byte('a'); c <= 'z'; c++ {
		set[c], set[c-'a'+'A'] = true, true
	}
	for _, c := range []byte(" -_,().&!") {
		set[c] = true
	}
	return set
}()

// ordinary says at a glance, for most of the paths that there are, that Clean
// gives the path as it is: a run asks that a dozen times for each note. What it
// says no to is looked at in full. Each part begins with a letter or a digit and
// ends with neither a dot nor a space.
func ordinary(p string) bool {
	if len(p) > MaxPath {
		return false
	}
	start := 0
	for i := 0; i <= len(p); i++ {
		if i < len(p) && p[i] != '/' {
			if !ordinaryByte[p[i]] {
				return false
			}
			continue
		}
		if !ordinaryPart(p[start:i]) {
			return false
		}
		start = i + 1
	}
	return true
}

func ordinaryPart(part string) bool {
	if part == "" || len(part) > MaxName || !isAlphanumeric(part[0]) {
		return false
	}
	if last := part[len(part)-1]; last == '.' || last == ' ' {
		return false
	}
	return !isDevice(part)
}

// isDevice is Device, asked only of names that look like one. Those with a "$"
// are not ordinary anyway.
func isDevice(part string) bool {
	stem := len(part)
	if dot := strings.IndexByte(part, '.'); dot >= 0 {
		stem = dot
	}
	for stem > 0 && part[stem-1] == ' ' {
		stem--
	}
	switch stem {
	case len("CON"):
		return Device(part) != ""
	case len("COM1"):
		return !isLetter(part[3]) && Device(part) != ""
	}
	return false
}

func isAlphanumeric(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }

// ordinaryTitle says that SafeName gives a title as it is.
func ordinaryTitle(s string) bool {
	if len(s) > maxTitle || s == "" {
		return false
	}
	for i := range len(s) {
		if !ordinaryByte[s[i]] || s[i] == ' ' && i > 0 && s[i-1] == ' ' {
			return false
		}
	}
	return ordinaryPart(s)
}
