// Package heaptrack reads recordings of heaptrack: raw ones, as the recorder writes them, and interpreted ones, as
// heaptrack_interpret makes them of those; file versions 0 to 3.
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
//	a SIZE STACK      interpreted: what blocks have in common; they count from 0
//	+ SIZE STACK ADDRESS, - ADDRESS        raw, and version 0: an allocation, a free
//	+ NUMBER, - NUMBER                     interpreted: of one of the blocks of an "a"
//	c MS              the time since the start; R PAGES: resident memory
//	# comment
//
// LEN is there since version 3: the text's length in bytes, which may hold newlines. Paths of modules end at the first
// blank before that. S lines have LEN too, although heaptrack itself takes it for text.
//
// # What a file does not tell
//
// Times come every 10 ms: events in between are spread evenly ("coarse-times"). There are no threads. An interpreted
// file has no addresses, and does not tell which of several blocks of one size and stack dies: the last one is taken
// ("invented-addresses"); all sums are exact all the same.
//
// # How it is read
//
// A converter reads the text once, from the start to the end, and writes the events into a [loaders.Source] of its own,
// which keeps them in memory and in a temporary file: as words, in pages that can be read one without the other.
// Decoders read them there, as often as questions need. The stacks are published again and again while the converter
// meets more of them.
//
// # Rules
//
// The validator's rules, which are also the codes of problems. Errors: record-type, fields, string-length,
// trace-parent, trace-ip, instruction, allocation, version, truncated, null-address, line-length, compression,
// too-large. Warnings: time-falls, stack-depth, attached. Notes: coarse-times, invented-addresses, unsymbolized,
// growing; and what package symbols tells.
package heaptrack
