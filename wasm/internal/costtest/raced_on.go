//go:build race

package costtest

// raced: the race detector slows what shares memory more than what does not.
const raced = true
