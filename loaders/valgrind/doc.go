// Package valgrind reads what valgrind's tools write: massif's snapshots, DHAT's program points, and memcheck's leaks
// as XML.
//
// A frame stands the same way in all of them: "0xADDRESS: function (file:line)", "0xADDRESS: function (in binary)", or
// "0xADDRESS: ???". Several in a row of one address are a function and what it was inlined into.
//
// # massif
//
//	file     = { "desc:" text | "cmd:" text | "time_unit:" ( "i" | "ms" | "B" | "s" ) | snapshot }
//	snapshot = "#-----------" "snapshot=" n "#-----------" "time=" n "mem_heap_B=" n "mem_heap_extra_B=" n "mem_stacks_B=" n
//	           "heap_tree=" ( "empty" | "detailed" | "peak" ) [ node ]
//	node     = blanks "n" children ":" bytes place { node }
//
// heaptrack_print -M writes headers after snapshots, and trees that say nothing. Blanks before a node tell its depth.
// Bytes of a node hold those of its children; the rest is its own. Nodes below the threshold of a report are added up
// into one without an address.
//
// Every snapshot is a state, so figures of different snapshots are never added up: each detailed one is a window, and
// the stacks of the file are those of the snapshot that massif marked as the peak. That is neither the largest snapshot
// nor, always, the true peak; a note says which is the largest. Where none is marked it is the largest detailed one.
//
// Times are instructions, milliseconds or allocated bytes, as the program was run.
//
// Rules: header, syntax, number, tree, snapshot-order, truncated.
//
// # DHAT
//
// JSON, an object with dhatFileVersion 2: mode, verb, units, command, times, program points (pps) and frames (ftbl). Of
// a point there are blocks and bytes in all (tbk, tb), the lifetimes of its blocks added up (tl), what was live at the
// peak of the program (gb, gbk) and at its end (eb, ebk), and bytes read and written (rb, wb). Its own peak (mb, mbk)
// is left out of valgrind's files: valgrind takes it when the whole heap is largest, so it can be below gb and eb.
// Files of other modes hold tb and tbk only. Version 1 has other fields.
//
// Rules: syntax, version, field, reference, number.
//
// # memcheck
//
// XML, the errors whose kind begins with "Leak_". leakedbytes of a definite or possible leak hold the bytes that it
// keeps, which are listed again as indirect ones: the direct part, which only the text tells, is taken.
//
// Rules: syntax, number, field.
package valgrind
