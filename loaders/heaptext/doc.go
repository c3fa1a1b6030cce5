// Package heaptext reads the heap profiles that allocators and the Go runtime write as text: jemalloc's
// (MALLOC_CONF=prof:true), tcmalloc's (HEAPPROFILE, /pprof/heap, /pprof/growth) and Go's (/debug/pprof/heap?debug=1).
//
//	file     = [ symbols ] ( jemalloc | rows ) [ "MAPPED_LIBRARIES:" maps ]
//	symbols  = "--- symbol" "binary=" path { address name } "---" "--- heap"
//	rows     = "heap profile:" counts "@" kind { counts "@" { address } { "#" address function "+" offset file ":" line } }
//	kind     = "heapprofile" | "heap_v2/" rate | "heapz_v2/" rate | "heap/" rate | "growth" | "fragmentation"
//	jemalloc = "heap_v2/" rate { thread } { "@" { address } { thread } }
//	thread   = ( "t*" | "t" number ) ":" counts [ name ]
//	counts   = blocks ":" bytes "[" blocks ":" bytes "]"
//	maps     = lines of /proc/self/maps
//
// The first blocks and bytes are live, those in brackets were allocated in total. Addresses are return addresses, leaf
// first.
//
// Sampled files hold the samples only. Values are scaled as in the tools' own viewers: by 1/(1-exp(-average/rate)) for
// each stack; Go states twice its rate. They are estimates, and the header, which is not scaled, is not their sum. The
// threads of a stack of jemalloc are scaled like the stack, so that they add up to it.
//
// Binaries are mapped at other places in every run: a frame without a name is named by its offset in its file.
//
// Rules: header, syntax (a line of another form), counts (threads of a stack that do not add up to it), mapping,
// truncated.
package heaptext
