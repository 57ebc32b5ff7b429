// Command crash works its stack, its collector and its panics, and then dies:
// what a program without tables of lines must still do, and what it prints.
package main

import (
	"fmt"
	"runtime"
	"strings"
)

//go:noinline
func deep(n int) string {
	if n == 0 {
		runtime.GC() // with a deep stack to look through
		return ""
	}
	text := fmt.Sprint(n)
	if n%100 == 0 {
		defer func() {
			if r := recover(); r != n {
				panic("not what was thrown")
			}
		}()
	}
	all := deep(n-1) + text
	if n%100 == 0 {
		panic(n)
	}
	return all
}

//go:noinline
func fall(list []string) string { return list[len(strings.Fields("a b c"))] }

func main() {
	done := make(chan bool)
	for range 4 {
		go func() {
			deep(5000)
			done <- true
		}()
	}
	for range 4 {
		<-done
	}
	fmt.Println("worked")
	fall(nil)
}
