//go:build race && unix

package builtin_test

// raced: the race detector empties pools at random and counts memory of its own.
const raced = true
