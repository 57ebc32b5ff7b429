// Package sorting is slices.SortFunc and slices.SortStableFunc for lists that
// are short: one compiled copy in the core for all types of elements, where
// those of the standard library have one for each, a hundredth of the core.
package sorting

import "sort"

type by[T any] struct {
	list    []T
	compare func(a, b T) int
}

func (b by[T]) Len() int           { return len(b.list) }
func (b by[T]) Less(i, j int) bool { return b.compare(b.list[i], b.list[j]) < 0 }
func (b by[T]) Swap(i, j int)      { b.list[i], b.list[j] = b.list[j], b.list[i] }

// Func sorts a list by a comparison, in place. Equal elements may change their
// order.
func Func[T any](list []T, compare func(a, b T) int) { sort.Sort(by[T]{list, compare}) }

// StableFunc sorts a list by a comparison, in place; equal elements keep their
// order.
func StableFunc[T any](list []T, compare func(a, b T) int) { sort.Stable(by[T]{list, compare}) }
