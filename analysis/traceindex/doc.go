// Package traceindex answers the questions of package analysis about a trace of any size. [fileIndex] keeps a few bytes of an event
// and reads the rest from the trace again; [KeptIndex] is one that may come from an index file.
//
// A trace is read in chunks. Decoding and matching (build.go, match.go, table.go) find for each FREE the block that it ends, and
// folding (fold.go, walk.go) adds up each chunk. A question finds the nearest sums (sums.go), replays part of a chunk (view.go,
// runs.go) and makes rows of them (sites.go, leaks.go, blocks.go, history.go, chart.go). file.go and filesections.go write an index and
// map it back; confirm.go asks the trace whether the file tells the truth.
//
// Tests compare every answer with Index, an in-memory index that is obviously right (oracle_test.go).
package traceindex
