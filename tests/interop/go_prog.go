// SPDX-License-Identifier: BSD-3-Clause
// Work for Go's compiler: nearly all calls through an interface lead to one type.
package main

import "fmt"

type shape interface{ area(n int) int }
type square struct{ k int }
type circle struct{ k int }

//go:noinline
func (s square) area(n int) int {
	r := 0
	for i := 0; i < 3; i++ {
		r += s.k*n + i
	}
	return r
}

//go:noinline
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
