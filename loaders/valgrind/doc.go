// Package valgrind reads the output of valgrind's tools: massif's snapshots, DHAT's program points, and memcheck's
// leaks as XML.
//
// Frames have the same form in all of them: "0xADDRESS: function (file:line)", "0xADDRESS: function (in binary)", or
// "0xADDRESS: ???". Several in a row of one address are a function and its caller that it was inlined into.
//
// # massif
//
//	file     = { "desc:" text | "cmd:" text | "time_unit:" ( "i" | "ms" | "B" | "s" ) | snapshot }
//	snapshot = "#-----------" "snapshot=" n "#-----------" "time=" n "mem_heap_B=" n "mem_heap_extra_B=" n "mem_stacks_B=" n
//	           "heap_tree=" ( "empty" | "detailed" | "peak" ) [ node ]
//	node     = blanks "n" children ":" bytes place { node }
//
// heaptrack_print -M writes headers after snapshots, and trees without stacks. The blanks before a node are its depth.
// Bytes of a node include those of its children; the rest is its own. Nodes below the threshold of a report are added
// up into one without an address.
//
// Every snapshot is a state, so values of different snapshots are never added up: each detailed one is a window, and
// the stacks of the file are those of the snapshot that massif marked as the peak. That is neither the largest snapshot
// nor, always, the true peak; a note states which is the largest. If none is marked, it is the largest detailed one.
//
// Times are instructions, milliseconds or allocated bytes, depending on massif's options.
//
// Rules: header, syntax, number, tree, snapshot-order, truncated.
//
// # DHAT
//
// JSON, an object with dhatFileVersion 2: mode, verb, units, command, times, program points (pps) and frames (ftbl). A
// point has blocks and bytes in total (tbk, tb), the lifetimes of its blocks added up (tl), the live blocks at the peak
// of the program (gb, gbk) and at its end (eb, ebk), and bytes read and written (rb, wb). Its own peak (mb, mbk) is
// left out of valgrind's files: valgrind takes it when the complete heap is largest, so it can be below gb and eb. Files
// of other modes have tb and tbk only. Version 1 has other fields.
//
// Rules: syntax, version, field, reference, number.
//
// # memcheck
//
// XML, the errors whose kind begins with "Leak_". leakedbytes of a definite or possible leak include the bytes
// reachable from it, which are listed again as indirect ones: the direct part, which only the text states, is used.
//
// Rules: syntax, number, field.
package valgrind
