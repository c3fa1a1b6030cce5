// Package fleet is the full-screen program about many recordings at once: which sites have most and on how many hosts,
// what a version made worse, which hosts are odd, and the recordings with each of these.
//
// One [view] says what is queried. A key makes another view of it; the answer to a view is computed off the event loop,
// and the last one stays on screen until the next is there. Every screen lists rows of one answer and explains the
// selected one. Opening a row asks further in, down to a single recording, which the program that called [Run] opens.
//
// Everything here belongs to the event loop's goroutine, except where a comment says otherwise.
package fleet
