// Package sanitizer reads the leak reports that LeakSanitizer and AddressSanitizer print, also among other output of a
// program.
//
//	report  = "==" pid "==ERROR: LeakSanitizer: detected memory leaks" { leak } [ "SUMMARY: " tool ": " n " byte(s) leaked in " n " allocation(s)." ]
//	leak    = ( "Direct" | "Indirect" ) " leak of " n " byte(s) in " n " object(s) allocated from:" { frame } blank line
//	frame   = "#" n " 0xADDRESS in " function [ " " file ":" line [ ":" column ] | " (" binary "+0x" offset ")" ]
//	        | "#" n " 0xADDRESS  (" binary "+0x" offset ")"
//
// Direct and indirect leaks do not contain each other: both are added up, and the label "leak" distinguishes them.
// Frames of one address are a function and its caller that it was inlined into.
//
// Rules: syntax, number, summary (leaks that do not add up to it), truncated.
package sanitizer
