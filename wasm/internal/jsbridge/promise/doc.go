// Package promise waits for JavaScript: for promises, and for functions that may
// throw. What is thrown comes back as an error that keeps its name.
package promise
