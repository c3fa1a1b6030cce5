// Package perfscript reads samples as `perf script` prints them.
//
//	sample = command " " [ pid "/" ] tid [ " [" cpu "]" ] " " time ": " [ period ] " " event ": " { tab address symbol "+0x" offset " (" binary ")" } blank line
//
// A frame may have a line of its place below: two blanks and FILE ":" LINE, or BINARY "[" address "]" where that is not
// known. Lines that begin with # are a header.
//
// Frames are leaf first. Times are the kernel's clock in seconds. A sample is a record of its own stack, thread and
// event: equal ones are added up, by the metrics samples and period.
//
// Rules: syntax, number, truncated.
package perfscript
