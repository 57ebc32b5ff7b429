package destination

import "strings"

// The parameters of RFC 3492, section 5.
const (
	base        = 36
	tMin        = 1
	tMax        = 26
	skew        = 38
	damp        = 700
	initialBias = 72
	initialN    = 128
)

// punycode decodes a label by RFC 3492, section 6.2; false for one that is not
// well formed.
func punycode(code string) (string, bool) {
	var out []rune
	if at := strings.LastIndexByte(code, '-'); at > 0 {
		out = []rune(code[:at])
		code = code[at+1:]
	}
	n, i, bias := initialN, 0, initialBias
	for code != "" {
		before, w := i, 1
		for k := base; ; k += base {
			if code == "" {
				return "", false
			}
			digit, ok := digitOf(code[0])
			if code = code[1:]; !ok {
				return "", false
			}
			if i += digit * w; i > 1<<30 {
				return "", false
			}
			t := min(max(k-bias, tMin), tMax)
			if digit < t {
				break
			}
			if w *= base - t; w > 1<<30 {
				return "", false
			}
		}
		length := len(out) + 1
		bias = adapt(i-before, length, before == 0)
		n += i / length
		i %= length
		if n > 0x10ffff || n >= 0xd800 && n < 0xe000 {
			return "", false
		}
		out = append(out[:i], append([]rune{rune(n)}, out[i:]...)...)
		i++
	}
	return string(out), len(out) > 0
}

func digitOf(c byte) (int, bool) {
	switch {
	case 'a' <= c && c <= 'z':
		return int(c - 'a'), true
	case '0' <= c && c <= '9':
		return int(c-'0') + 26, true
	}
	return 0, false
}

func adapt(delta, length int, first bool) int {
	if first {
		delta /= damp
	} else {
		delta /= 2
	}
	delta += delta / length
	k := 0
	for ; delta > (base-tMin)*tMax/2; k += base {
		delta /= base - tMin
	}
	return k + (base-tMin+1)*delta/(delta+skew)
}
