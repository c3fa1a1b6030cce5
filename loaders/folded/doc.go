// Package folded reads folded stacks, also called collapsed: the text that flame graphs are drawn of.
//
// # Grammar
//
//	file  = (stack | comment | blank)*
//	stack = frame (";" frame)* blank number         root first; equal stacks add up
//
// # What real writers do
//
// Names hold blanks, so that the last blank is the one that counts. A stack may end in ";". Numbers may be negative, in
// differences, or have a fraction. The suffixes _[k], _[i], _[j] and _[w] mark frames of the kernel, inlined and
// compiled ones, and wakers; they stay part of the name. PowerShell writes UTF-16. Nothing tells what the numbers
// count: the metric is called weight, and the user may say its unit.
//
// # Recognition
//
// There is no magic: most of the first lines must be stacks, with roots that come again. Prose, source code, logs and
// tables are not claimed.
//
// # Rules
//
// The validator's rules, which are also the codes of problems. line (without a number, or without a frame). Only
// warnings: utf-8. Of what a limit kept from being read: line-length, stack-depth, name-length.
package folded
