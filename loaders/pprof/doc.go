// Package pprof reads profiles of pprof: the protocol buffer message Profile, which Go programs, and profilers of many
// other languages, write.
//
// # Grammar
//
//	file     = field*                                     usually within gzip
//	field    = tag (varint | 8 bytes | 4 bytes | length bytes)      tag = number * 8 + wire type
//	Profile  = 1 sample_type* 2 sample* 3 mapping* 4 location* 5 function* 6 string* 7 drop_frames 8 keep_frames 9 time_nanos
//	           10 duration_nanos 11 period_type 12 period 13 comment* 14 default_sample_type 15 doc_url
//	ValueType = 1 type 2 unit                             all names are indexes of strings, of which the first is ""
//	Sample   = 1 location_id* 2 value* 3 label*           leaf first; a value for each sample type
//	Label    = 1 key 2 str 3 num 4 num_unit
//	Mapping  = 1 id 2 start 3 limit 4 offset 5 filename 6 build_id 7…10 which parts are resolved
//	Location = 1 id 2 mapping_id 3 address 4 line* 5 is_folded
//	Line     = 1 function_id 2 line 3 column              of inlined functions the innermost comes first
//	Function = 1 id 2 name 3 system_name 4 filename 5 start_line
//
// Numbers of a list may be packed in one field. Fields are in any order; those of other numbers are skipped.
//
// # What real writers do
//
// Go writes the strings last, so that a file which is cut has no names. An empty default_sample_type means the last
// type. Values may be negative: differences of profiles are profiles, too. The label bytes of a heap profile is the
// size of its blocks. Labels such as "thread" and "thread id" name the thread. Writers for C, C++ and Rust often leave
// names to the reader: locations without lines are shown as addresses.
//
// # Reading
//
// A first pass takes names, functions, locations and mappings, a second one the samples. Undamaged parts are shown: a
// damaged message is skipped, and a damaged tag ends reading, as the position of the next one is unknown.
//
// # Rules
//
// The validator's rules, which are also the codes of problems. field (a tag or length that no message has),
// string-index, reference (of a sample, location or line), sample-type (there is none, or the default is none), values
// (not one for each sample type), first-string, id (0, or one that is not unique). Only warnings: label (a text and a
// number at once), utf-8. For parts that a limit left out: stack-depth, metric-limit, name-length, too-large.
package pprof
