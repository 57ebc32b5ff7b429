//go:build !race && !js

package server

// slow is true where a program takes several times as long.
const slow = false
