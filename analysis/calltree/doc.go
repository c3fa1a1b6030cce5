// Package calltree names and groups stacks: names of functions, files and modules, filters of stacks, call trees in
// both directions, and the callers and callees of one function. It knows stacks, but not what their weights mean.
package calltree
