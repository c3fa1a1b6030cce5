// Package traceindex answers the questions of package analysis about a trace of any size. [fileIndex] keeps a few bytes
// per event and reads the rest from the trace again; [KeptIndex] is one that may come from an index file.
//
// A trace is read in chunks. Decoding and matching (build.go, match.go, table.go) find for each FREE the block that it
// ends, and folding (fold.go, walk.go) adds up each chunk. An answer finds the nearest sums (sums.go), replays part of
// a chunk (view.go, runs.go) and builds rows from them (sites.go, leaks.go, blocks.go, history.go, chart.go). kept.go
// and filesections.go write an index and map it back; confirm.go checks the file against the trace.
//
// Some things are done in two ways, on purpose. Blocks of 2^62 bytes or more in all, which only damaged files claim,
// are summed up event by event ([grouping.makePass], [grouping.replayPeaks], [liveScan.follow]): levels saturate, so
// that the order matters, but code that reads several chunks at once ([levelScan]) adds levels up in any order. Columns
// of a chart are read event by event if they have few events each ([fileIndex.readColumns]), else computed from the
// extremes of runs ([fileIndex.makeColumns]), which costs the same for any number of events. A file's blocks are
// checked against their checksums when they are first touched; confirm.go checks what checksums cannot.
//
// Tests compare every answer with Index, an in-memory index that is obviously right (oracle_test.go).
package traceindex
