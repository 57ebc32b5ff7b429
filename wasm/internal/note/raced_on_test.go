//go:build race

package note

// raced: the race detector empties pools at random and counts memory of its own.
const raced = true
