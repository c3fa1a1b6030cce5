// Package mvmheap reads heap snapshots of MoarVM, the virtual machine of Raku: .mvmheap, versions 2 and 3.
//
// # Grammar of version 3
//
// All numbers are little-endian: the recorder writes those of its machine, and nothing in the file says which. Blocks
// stand back to back, to the end of the file.
//
//	file     = "MoarHeapDumpv003" filemeta (snapshot inner outer)* [tables] inner outer
//	snapshot = snapmeta colkind colsize coltofi colrfcnt colrfstr colusize refdescr reftrget [tables] topIDs topscore
//	tables   = [strings] [reprname typename] [sfname sfcuid sfline sffile]
//	column   = kind[8] width:u16 size:u64 frame          numbers of width bytes; size is always 0
//	strings  = kind[8] size:u64 frame                    (length:u32 text)*
//	filemeta = kind[8] size:u64 JSON NUL                 size counts the NUL; snapmeta alike
//	toc      = kind[8] n:u64 (kind[8] start:u64 end:u64)* own:u64
//	inner    = toc        of the blocks of one snapshot, in the order written
//	outer    = toc        of filemeta and every inner toc so far
//
// kind is a name padded with NULs. frame is one zstd frame; its end is known from a table of contents or by walking the
// frame's block headers. start and end of an entry span a block, but the end of a toc's entry leaves out its last 8
// bytes, own: the offset at which the toc itself starts. So the last 8 bytes of a file lead to everything.
//
// The number of rows is not written: that of colkind counts. Indexes into the tables count over all snapshots up to
// this one. colrfstr and colrfcnt are a row's slice of refdescr and reftrget; slices tile the references, but not in
// the order of rows. refdescr is a kind in two bits (0 unknown, 1 index, 2 string) and a value above. coltofi is a type
// for kinds 1 to 3, a frame for kind 4 and meaningless for the roots, kinds 5 to 11. Row 0 is of kind 9.
//
// # Grammar of version 2
//
// Nothing is compressed, tags have 4 bytes, and there are no times, totals or high scores.
//
//	file = "MoarHeapDumpv002" (coll refs strs type fram)* strs type fram index
//	coll = "coll" rows:u64 28:u64 (kind:u16 entity:u32 size:u16 unmanaged:u64 start:u64 count:u32)*
//	refs = "refs" rows:u64 17:u64 (digit kind:u8 value:uN target:uN)*     N is 8, 16, 32, 64 for '0', '1', '3', '6'
//	strs = "strs" n:u64 (length:u64 text)*               n is wrong; the tag "type" in place of a length ends it
//	type = "type" rows:u64 16:u64 (repr:u64 name:u64)*
//	fram = "fram" rows:u64 32:u64 (name:u64 cuid:u64 line:u64 file:u64)*
//	index = (coll:u64 refs:u64 half:u64 zero:u64)* sizes[24] snapshots:u64     lengths in bytes, headers included
//
// The high halves of names in type and fram are garbage. The index yields only the length of refs.
//
// Version 1 was text without magic bytes; it is recognized and refused.
//
// # What real writers do
//
// A crash or kill before the first snapshot is flushed leaves an empty file; one while a snapshot is written leaves
// that snapshot without its last columns and tables, and no table of contents at the end. The file is then read from
// the front, block by block: every complete snapshot and the readable part of the cut one. A block that is cut is not
// used. total_frames may be lower than the rows of kind 4: frames of the call stacks are not counted. High scores hold
// types and frames, not rows, and are padded with score 0 and arbitrary ids. One type can be of several classes with
// equal names.
//
// # Rules
//
// The validator's rules, which are also the codes of problems. Errors: magic, version, filemeta, snapmeta, toc, block,
// zstd, entry-size, row-count, kind, root-row, reference-slice, target, label, type-index, frame-index, string-index,
// totals, truncated, trailing, too-large. Warnings: strings-utf8, high-scores.
package mvmheap
