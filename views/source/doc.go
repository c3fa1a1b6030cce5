// Package source is the screen of source files, with what the stacks weigh that pass each line.
package source
