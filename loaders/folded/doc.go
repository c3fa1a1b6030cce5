// Package folded reads folded stacks, also called collapsed: the text that flame graphs are drawn from.
//
// # Grammar
//
//	file  = (stack | comment | blank)*
//	stack = frame (";" frame)* blank number         root first; equal stacks add up
//
// # What real writers do
//
// Names contain blanks, so the last blank of a line is the separator. A stack may end in ";". Numbers may be negative,
// in differences, or have a fraction. The suffixes _[k], _[i], _[j] and _[w] mark frames of the kernel, inlined and
// compiled ones, and wakers; they remain part of the name. PowerShell writes UTF-16. The file does not state what the
// numbers count: the metric is called weight, and the user may give its unit.
//
// # Recognition
//
// There is no magic: most of the first lines must be stacks, with repeated roots. Prose, source code, logs and tables
// are not recognized.
//
// # Rules
//
// The validator's rules, which are also the codes of problems. line (without a number, or without a frame). Only
// warnings: utf-8. For parts that a limit left out: line-length, stack-depth, name-length.
package folded
