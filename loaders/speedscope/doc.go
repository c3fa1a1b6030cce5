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
// Samples are root first. Events open and close frames; the time between two of them is the weight of the open stack.
//
// # Reading
//
// Each profile is an event. One in units of time has samples in time, too. A profile whose samples and weights differ
// in number, that names an undefined frame, closes a frame other than the innermost, goes back in time, or ends with
// open frames, is rejected; the others are shown.
//
// # Rules
//
// The validator's rules, which are also the codes of problems. json, frames (there are none), profile (it is rejected).
// For parts that a limit left out: stack-depth, event-limit, name-length.
package speedscope
