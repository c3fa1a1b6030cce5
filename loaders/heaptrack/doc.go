// Package heaptrack reads recordings of heaptrack: raw ones, as the recorder writes them, and interpreted ones, which
// heaptrack_interpret makes from raw ones; file versions 0 to 3.
//
// # Grammar
//
// A file is text. A line is a letter, blanks and fields; numbers are hexadecimal, lower case, without 0x.
//
//	v TOOL [FILE]     version of heaptrack (10400 is 1.4.0) and of the file. Without FILE it is 1, without the line 0
//	x [LEN] path      raw: the executable
//	X command line
//	I page pages      bytes of a page, pages of the machine
//	A                 heaptrack was attached to a program that ran already
//	S [LEN] text      a suppression of leaks, built into the program
//	m [LEN] path base (offset length)*     raw: a module, "x" for the executable, and where its parts are mapped
//	m [1] -           raw: the modules that follow replace all so far
//	s [LEN] text      interpreted: a string; they count from 1
//	i ADDRESS MODULE [FUNCTION [FILE LINE (FUNCTION FILE LINE)*]]      interpreted: an instruction, numbers of strings; what
//	                  repeats is what the function is inlined into. They count from 1
//	t IP PARENT       a stack: its leaf, an address (raw) or the number of an instruction, and the rest of it, an earlier stack,
//	                  0 for none. They count from 1
//	a SIZE STACK      interpreted: a kind of blocks; they count from 0
//	+ SIZE STACK ADDRESS, - ADDRESS        raw, and version 0: an allocation, a free
//	+ NUMBER, - NUMBER                     interpreted: of one of the blocks of an "a"
//	c MS              the time since the start; R PAGES: resident memory
//	# comment
//
// LEN exists since version 3: the text's length in bytes; the text may contain newlines. Before version 3, paths of
// modules end at the first blank. S lines have LEN too, although heaptrack itself takes it for text.
//
// # What is not in a file
//
// There are times every 10 ms: events in between are spread evenly ("coarse-times"). There are no threads. An
// interpreted file has no addresses, and does not state which of several blocks of one size and stack is freed: the
// last one is assumed ("invented-addresses"). All sums are exact nevertheless.
//
// # How it is read
//
// A converter reads the text once, from the start to the end, and writes the events into a [loaders.Source] of its own,
// which keeps them in memory and in a temporary file: as words, in pages that can be read independently. Decoders read
// them from there, as often as needed. The stacks are published repeatedly while the converter finds more of them.
//
// # Rules
//
// The validator's rules, which are also the codes of problems. Errors: record-type, fields, string-length,
// trace-parent, trace-ip, instruction, allocation, version, truncated, null-address, line-length, compression,
// too-large. Warnings: time-falls, stack-depth, attached. Notes: coarse-times, invented-addresses, unsymbolized,
// growing; and those of package symbols.
package heaptrack
