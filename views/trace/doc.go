// Package trace has the screens of allocation traces: Overview, Timeline, Sites, Leaks, Blocks and Lifetimes.
package trace
