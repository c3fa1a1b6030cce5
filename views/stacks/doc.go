// Package stacks has the screen of stacks as tree and flame graph, of traces and of stack profiles.
package stacks
