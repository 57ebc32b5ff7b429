//go:build !race

package note

const raced = false
