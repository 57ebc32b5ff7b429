//go:build race || js

package server

// slow is true where a program takes several times as long: under the race
// detector, and as wasm. The loops sample more thinly there.
const slow = true
