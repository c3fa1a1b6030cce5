// Package calltree says what stacks are called and puts them together: names of functions, files and modules, filters
// of stacks, call trees in both directions, and what stands around one function. It knows stacks, and nothing of what
// they weigh.
package calltree
