//go:build race && !js

package child

// raceDetector says that the program watches itself for data races. That takes
// more memory than any limit of a script, so only its own look at its memory
// bounds a child then.
const raceDetector = true
