// Package objects reads heap dumps that are text with one object per line: it splits a file of any size among all
// cores, stores the parsed lines in columns, and builds a heap from them. Loaders parse the lines, and name the rows.
//
// The rows of a heap are the root, then a row for every kind of roots, then, if the loader wants them, a row for every
// line of roots, then the objects, all in the order of the file.
package objects
