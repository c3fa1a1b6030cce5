// Package speedscope reads files of speedscope, the interchange of many profilers.
//
// # Grammar
//
//	file    = {$schema, shared: {frames: [frame*]}, profiles: [profile*], name, activeProfileIndex, exporter}     JSON
//	frame   = {name, file, line, col}                                        lines and columns count from 1
//	profile = {type: "sampled", name, unit, startValue, endValue, samples: [[index*]*], weights: [number*]}
//	        | {type: "evented", name, unit, startValue, endValue, events: [{type: "O" | "C", at, frame}*]}
//	unit    = none | nanoseconds | microseconds | milliseconds | seconds | bytes
//
// Samples stand root first. Events open and close frames; what passes between two of them is weighed to the stack that
// is open.
//
// # Reading
//
// Each profile is an event. One in units of time has samples in time, too. A profile whose samples and weights differ
// in number, that names a frame which is not there, that closes a frame which is not the innermost, goes back, or ends
// with open frames, is rejected; the others are shown.
//
// # Rules
//
// The validator's rules, which are also the codes of problems. json, frames (there are none), profile (it is rejected).
// Of what a limit kept from being read: stack-depth, event-limit, name-length.
package speedscope
