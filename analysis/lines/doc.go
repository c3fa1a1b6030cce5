// Package lines weighs lines of source files: what the stacks of a recording weigh that pass each of them.
package lines
