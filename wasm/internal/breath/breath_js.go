//go:build js && wasm

package breath

import "time"

// letIn gives the engine's loop a turn: a goroutine that sleeps while no other
// can run ends the task.
func letIn() { time.Sleep(time.Microsecond) }
