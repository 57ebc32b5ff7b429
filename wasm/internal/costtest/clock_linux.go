package costtest

import (
	"syscall"
	"time"
)

// rusageThread asks for the calling thread alone (getrusage(2)).
const rusageThread = 1

// worked gives how long the processor has worked for the calling thread. A
// machine that has other work to do lets a program wait; that is no cost of the
// text.
func worked() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &used); err != nil {
		panic("costtest: " + err.Error())
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
