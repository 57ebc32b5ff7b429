//go:build !js

package child

import "os/exec"

// Pid gives the process that runs the scripts.
func Pid(r *Runner) int { return r.proc.cmd.Process.Pid }

// SetCommand starts another program instead.
func SetCommand(r *Runner, command func(mb string) *exec.Cmd) { r.command = command }
