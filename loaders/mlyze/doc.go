// Package mlyze reads allocation traces in the .mlyze format, version 1.
//
// # Grammar
//
// All numbers are little-endian. varint is LEB128: seven bits a byte, the lowest first, at most ten bytes and 64 bits;
// it need not be minimal.
//
//	file     = header metadata event*            no count, no trailer, no checksum: events go to the end of the file
//	header   = "MTRC" version:u32 start:u64 length:u32 reserved[236]        256 bytes
//	             version 1; start in microseconds since 1970; length of the metadata in bytes; reserved is zero
//	metadata = JSON object
//	             {"stack_traces": {ID: [{"file_id": n, "line": n, "func_id": n}, …], …}, "files": {ID: name, …},
//	              "functions": {ID: name, …}}            ID is a decimal string below 2^64; ids are sparse
//	event    = alloc | free | gc | marker
//	alloc    = 0:u8 delta:varint address:u64 size:varint stack:varint thread:u16
//	free     = 1:u8 delta:varint address:u64
//	gc       = 2:u8 delta:varint objects:varint bytes:varint
//	marker   = 3:u8 delta:varint name:varint                                name is an id of functions
//
// delta is the time since the previous event in microseconds. The length of an event of another type is unknown: it
// cannot be skipped, the next event must be searched.
//
// # What real writers do
//
// The reference tracer writes its header once, at the start: its tables are always empty, so no stack or marker id has
// a name, and all addresses are 0, so no ALLOC can be matched with its FREE. It takes snapshots and writes their
// differences, all events of one snapshot with the same delta, the time since the previous snapshot; markers and GC
// events have deltas of their own. A file with empty tables and no address is read that way: the delta of a run of
// ALLOC and FREE events counts once ("batched-deltas"). If it is killed before its first flush, the tracer leaves an
// empty file, later one without its end. A clock that goes backward becomes a small positive delta, undetectably.
//
// The order of frames is not specified. The end where stacks share more is the root; see tables.decideOrder. Metadata
// may state it with one more key, "frame_order": "leaf_to_root" or "root_to_leaf", for parts of traces, whose stacks
// may share more of their leaves. Files of this program's recorder have keys for how they were made: recorder,
// program, sampling, lost, stopped, finished, signal, exit_status, unseen_end_us, and series, which are curves such as that of the resident set; converted ones have
// converted_from, times, addresses and threads, too. See recorded.
//
// # Reading damaged files
//
// A wrong version is reported and ignored. When the metadata's length is wrong, its JSON determines where it ends; when
// the JSON is broken too, events are searched. After an unknown type, an endless varint or a hole of zero bytes,
// reading continues at the next offset where a long run of events is plausible; see judge.run. Names of files are kept
// unchanged, valid UTF-8 or not. Undefined ids are not a reason to refuse anything.
//
// # Rules
//
// The validator's rules, which are also the codes of problems. Errors: magic, header-truncated, version,
// metadata-length, metadata-json, metadata-tables, metadata-types, event-type, varint, zero-fill, truncated, shrank,
// read, compression, too-large. Errors, but warnings where the table is empty: dangling-stack, dangling-marker,
// dangling-function, dangling-file. None of these is reported if the tables were not read to their end. Warnings:
// reserved, metadata-keys, stack-key, table-key, frame-fields, name-encoding, time-overflow, sum-overflow, overwritten,
// unmatched-free, batched-deltas. A note: growing.
package mlyze
