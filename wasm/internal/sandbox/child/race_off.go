//go:build !race && !js

package child

// raceDetector says that the program watches itself for data races.
const raceDetector = false
