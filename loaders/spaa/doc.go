// Package spaa reads SPAA 1.0, "Stack Profile for Agentic Analysis": weighted stacks of profilers of any kind as lines
// of JSON.
//
// # Grammar
//
//	file   = header (dso | frame | thread | stack | sample | window)*       one JSON object a line, UTF-8
//	header = {type: "header", format: "spaa", version: "1.0", frame_order, stack_id_mode, source_tool, events, time_range, source}
//	event  = {name, kind, sampling: {mode, primary_metric, …}, allocation_tracking}
//	dso    = {type, id, name, build_id, is_kernel}
//	frame  = {type, id, func, dso, kind, srcline, ip, symoff, inlined, inline_depth, func_resolved, srcline_resolved}
//	thread = {type, pid, tid, comm}
//	stack  = {type, id, frames: [id…], context: {event, pid, tid, cpu, comm, …}, weights: [{metric, value, unit}…],
//	          exclusive: {frame, weights}, stack_type, related_stacks}
//	sample = {type, timestamp, event, stack_id, period, pid, tid, cpu, context}
//	window = {type, id, start, end, unit, by_stack: [{stack_id, weights}…]}
//
// Members are in any order: most writers sort them, so that type comes last. Ids of DSOs and frames are integers of 64
// bits, those of stacks strings or integers. Dictionaries precede their uses; samples and stacks mix freely.
//
// # What real writers do
//
// Ids that are called content-addressable are hashes of numbers that are meaningless outside of the file, and the same
// frames under two events get the same id. Records are therefore identified by their position, and compared by resolved
// frames. The leaf of a root_to_leaf stack is its last frame, whatever section 4.5 says.
//
// # Reading
//
// Blocks of complete lines are parsed on several goroutines and merged in order. Lines of one writer look alike. A
// sample, stack or frame is first matched with a [template]: an earlier line with gaps for the values, which must be
// plain. Other lines are parsed name by name ([lineScanner]). Opening checks what it needs; validation checks every
// byte against the grammar of JSON; a line that matches a template is as valid as the line that the template was made
// from.
//
// # Rules
//
// The validator's rules, which are also the codes of problems. json, utf-8, record-type, header, header-field, version,
// enum, event, dso, frame, thread, stack, context, weights, primary-metric, exclusive, frame-order, inline-order,
// reference, order, duplicate-id, sample, window. Only warnings: duplicate-key, stack-id (one id under several events),
// time-range, source-tool, build-id, context-key, suspicious-weight. For parts that a limit left unread or unchecked:
// line-length, event-limit, metric-limit, too-large.
package spaa
