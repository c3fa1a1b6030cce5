// Package hprof reads heap dumps of Java: .hprof, versions 1.0.1, 1.0.2 and 1.0.3, as HotSpot and Android write them.
//
// # Grammar
//
// All numbers are big-endian. An id has four or eight bytes, as the header says: with HotSpot it is the address of the
// object.
//
//	file    = "JAVA PROFILE 1.0.x" NUL idsize:u4 ms:u8 record*         ms since 1970
//	record  = tag:u1 us:u4 length:u4 body                               us since the header
//	string  = 0x01 …  id text                                           modified UTF-8, the rest of the body
//	class   = 0x02 …  serial:u4 id stack:u4 name:id
//	frame   = 0x04 …  id method:id signature:id file:id class:u4 line:i4
//	stack   = 0x05 …  serial:u4 thread:u4 n:u4 frame:id*
//	dump    = 0x0C … piece*  |  (0x1C … piece*)* 0x2C length 0
//	piece   = root | 0x20 class dump | 0x21 id stack:u4 class:id n:u4 values | 0x22 id stack:u4 n:u4 class:id id*
//	        | 0x23 id stack:u4 n:u4 type:u1 values | 0xC3 the same without values | 0xFE heap:u4 name:id
//	values of an instance: the fields of its own class first, then those of its superclass, and so on
//
// Other records are skipped. Names and classes need not precede references to them.
//
// # Rows
//
// Row 0 is the root. Class objects follow, then instances, arrays of objects and arrays of primitive values, each in
// the order of the file. Root records are references of the root; those of stacks are references of their thread's
// object.
//
// # What real writers do
//
// A writer that dies leaves a heap record of length 0: it is read to its end. The length of a record beyond 4 GiB
// counts modulo 2^32: if the rest of the file matches that, it extends to the end. Agents write several dumps into one
// file.
//
// # Rules
//
// The validator's rules, which are also the codes of problems. Errors: magic, id-size, record-length, truncated, piece,
// class, superclass, duplicate-id, too-large. Warnings: dangling-reference, no-roots, name-length. Notes: sizes.
package hprof
