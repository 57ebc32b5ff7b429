//go:build !race

package costtest

const raced = false
