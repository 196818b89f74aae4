// SPDX-License-Identifier: BSD-3-Clause
// Work for Go's compiler: nearly all calls through an interface lead to one type. Only what can be inlined is called by its type.
package main

import "fmt"

type shape interface{ area(n int) int }
type square struct{ k int }
type circle struct{ k int }

func (s square) area(n int) int {
	r := 0
	for i := 0; i < 3; i++ {
		r += s.k*n + i
	}
	return r
}

func (c circle) area(n int) int { return c.k ^ n }

//go:noinline
func work(s shape, n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum += s.area(i)
	}
	return sum
}

func main() {
	fmt.Println(work(square{3}, 20000), work(circle{5}, 100))
}
