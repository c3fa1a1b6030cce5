// Package memdump reads Memory Dump files: measured curves with page layouts, as .mb and as JSON.
//
// # Grammar of .mb
//
// All numbers are little-endian.
//
//	file    = "MEMD" version:u16 flags:u16 body      body: gzip or not; its first bytes decide, not the flags
//	body    = section*                               in any order
//	section = 1 n:varint (length:varint text)*       strings; tables concatenate, indexes count from 0
//	        | 2 n:varint series*
//	series  = uuid[16] name:varint color:varint visible:u8 n:varint point*
//	point   = time:f64 value:f64 flags:u8 [name:varint] [uuid[16]] [meta]      flags: 1 meta, 2 name, 4 uuid
//	meta    = event:varint hasMemory:u8 [memory]     event is an index plus one, 0 for none
//	memory  = n:varint type*
//	type    = name:varint uniform:varint n:varint page*
//	page    = [size:varint] occupancy:f32 length:varint runs      size only where uniform is 0; occupancy -1 is unknown
//	runs    = varint*                                in bits of 8 bytes, alternating, the first run occupied
//
// Times are microseconds since 1970, values bytes. An uuid of zeros is none. Names are resolved with the strings read
// so far. A section has no length: an unknown one ends parsing. A page has ceil(size/8) bits; runs beyond it are
// ignored, and missing bits are occupied.
//
// Offsets are those of the file with its body inflated, its header counted: the same whether the body is compressed or
// not.
//
// # Grammar of JSON
//
//	file   = [series*] | series                      UTF-8, with or without a byte order mark
//	series = {id, name, color, visible, data: [point*]}
//	point  = {timestamp, value, name, pointId, meta: {event, memory: {pageTypes: [type*]}}}
//	type   = {name, uniformPageSize, pages: [page*]}
//	page   = {size, bitmap: hex of runs | freeList: [[start, end]*] | nothing, occupancy}
//
// Timestamps are microseconds or ISO 8601; without a zone they count as UTC. Unknown members are skipped.
//
// # What real writers do
//
// The application writes version 2 and flags 1 with gzip, though its document says flags 0. It stores ISO timestamps as
// NaN and cuts numbers to 32 bits. Points without a usable time or value are in no column but count in the numbering of
// points. A free list gives floor(bytes/8) bits for each gap and each range, sorted and without overlaps; the rest of
// the page is occupied.
//
// # Rules
//
// The validator's rules, which are also the codes of problems: magic, version, flags, gzip, section, string-index,
// event-index, varint, truncated, trailing, too-large, uuid, color, json, root, series, point, timestamp, value, order,
// page-types, size, bitmap, freelist, occupancy, rle-overrun, rle-short, rle-zero, name-encoding. A note: resident-pages.
package memdump
