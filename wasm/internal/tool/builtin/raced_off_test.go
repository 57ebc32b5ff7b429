//go:build !race && unix

package builtin_test

const raced = false
