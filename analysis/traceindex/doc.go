// Package traceindex answers the questions of package analysis about a trace of any size. [fileIndex] keeps a few bytes
// per event and reads the rest from the trace again; [KeptIndex] is one that may come from an index file.
//
// A trace is read in chunks. Decoding and matching (build.go, match.go, table.go) find for each FREE the block that it
// ends, and folding (fold.go, walk.go) adds up each chunk. An answer finds the nearest sums (sums.go), replays part of
// a chunk (view.go, runs.go) and builds rows from them (sites.go, leaks.go, blocks.go, history.go, chart.go). kept.go
// and filesections.go write an index and map it back; confirm.go checks the file against the trace. Answers about the
// complete run that take a walk over all events or all blocks are in the file, too (whole.go, wholefile.go): what the
// first screens and reports ask is answered without reading the trace (ready.go). Package tally gathers most of them
// while the index is built, so that only chunks at the edges of columns are read again (tallied.go).
//
// Some things are done in two ways, on purpose. The figures are processor time on a random trace of two million events
// (bench_test.go). Tests hold both ways to the same answers.
//
//   - Blocks of 2^62 bytes or more in all, which only damaged files claim, are summed up event by event
//     ([grouping.makePass], [grouping.replayPeaks], [liveScan.follow]): levels saturate, so that the order matters.
//     [levelScan] reads several chunks at once and adds levels up in any order, for several groups in one pass. Doing
//     everything event by event takes five times as long: sites by every group 0.92 s instead of 0.18 s, live bytes in
//     the last tenth of a trace 160 ms instead of 31 ms.
//   - Columns of a chart are read event by event if they have few events each ([fileIndex.readColumns]), else computed
//     from the extremes of runs ([fileIndex.makeColumns]). 320 columns of few events take 34 µs when they are read and
//     92 µs when computed; those of random ranges take 3.3 ms when they are read and 43 µs when computed.
//
// A file's blocks are checked against their checksums when they are first touched; confirm.go checks what checksums
// cannot. Both are done for all of a large file once a question needs more than those answers.
//
// Tests compare every answer with Index, an in-memory index that is obviously right (oracle_test.go).
package traceindex
