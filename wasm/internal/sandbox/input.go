package sandbox

import (
	"strconv"

	"embedded-agent/wasm/internal/fault"
)

const (
	// MaxInput is the longest input, in bytes of JSON.
	MaxInput = 64 << 20
	// small is an input that needs no memory of its own, in bytes.
	small = 1 << 20
	// perByte is how many bytes of memory a byte of JSON takes at most as values: a
	// short dict takes six hundred.
	perByte = 12
	// step is in how many megabytes memory is added: another size is another sandbox.
	step = 64
)

// Memory gives the megabytes of a sandbox whose scripts may have so many: a large
// input, of so many bytes, has its own beside them. So it depends on nothing but the
// settings and the input how much a script has.
func Memory(mb, input int) int {
	if input <= small {
		return mb
	}
	own := (input*perByte)>>20 + 1
	return mb + (own+step-1)/step*step
}

// Fits refuses an input that is too large: SANDBOX_ERROR.
func Fits(input []byte) error {
	if len(input) <= MaxInput {
		return nil
	}
	return fault.New(fault.Sandbox, "tools.code.input", fault.P{"mb": strconv.Itoa(len(input) >> 20), "max": strconv.Itoa(MaxInput >> 20)})
}
