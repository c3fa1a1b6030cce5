// Package objects reads heap dumps that are text with an object on every line: it splits a file of any size among all
// cores, keeps what lines state in columns, and makes a heap of that. Loaders say what a line states, and what names
// its row.
//
// The rows of a heap are the root, then a row for every kind of roots, then, where the loader wants them, a row for
// every line of roots, then the objects, all in the order of the file.
package objects
