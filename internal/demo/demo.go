// Package demo has the sample recordings that are built into the program.
package demo

import (
	"bytes"
	"embed"
	"io"
)

//go:embed samples/*.mlyze.zst samples/*.heaptrack.zst samples/*.mvmheap samples/*.hprof.zst samples/*.mb samples/*.spaa.zst samples/*.pb.gz
var files embed.FS

// Sample is one recording.
type Sample struct {
	Name  string // argument of `memtui demo NAME`
	About string // one line: what was recorded, and what it shows
	file  string
	data  []byte
}

// Samples lists the recordings, the default one first. The traces are heaptrack recordings of real programs, all but
// one converted; the snapshots are as MoarVM wrote them; the Java dumps are two of HotSpot in one file, without names
// that nothing in them has; the memory dump was made from what Linux reports about a live
// process. The stack profiles were recorded with heaptrack and perf, and converted, or are as Go wrote them.
func Samples() []Sample {
	list := []Sample{
		{Name: "kvleak", file: "kvleak.mlyze.zst", About: "a small C++ key-value server that leaks one buffer per closed session"},
		{Name: "pystart", file: "pystart.mlyze.zst",
			About: "the CPython interpreter starting up and shutting down: ten thousand events, deep stacks"},
		{Name: "heaptrack", file: "shop.heaptrack.zst",
			About: "a small C++ shop as heaptrack records it: sessions that leak, a full cache, a burst, resident memory"},
		{Name: "heap", file: "records.mvmheap", About: "heap snapshots of an NQP program that keeps all its data: three collections, each with 2,000 more records"},
		{Name: "java", file: "shop.hprof.zst", About: "two heap dumps of a small Java shop, a second apart: closed sessions that stay in a map, beside a cache that is bounded"},
		{Name: "pages", file: "real_proc_python.mb",
			About: "a Python process that allocates and frees: its memory every 20 ms, and which pages of it were present"},
		{Name: "stacks", file: "server.spaa.zst", About: "the same key-value server as a stack profile: allocations by stack, with samples, windows and four threads"},
		{Name: "pprof", file: "go.heap.pb.gz", About: "the heap profile of a Go program, every allocation counted: a cache, and sessions that stay"},
		{Name: "perf", file: "python.spaa.zst", About: "a Python program under perf: CPU time and page faults, with frames of the kernel"},
	}
	for i := range list {
		// The name comes from the list above: a missing file would be a broken build, and becomes an empty sample.
		list[i].data, _ = files.ReadFile("samples/" + list[i].file)
	}
	return list
}

// File returns the file name of the sample.
func (s Sample) File() string { return s.file }

// Open returns the sample's bytes from the start, as stored.
func (s Sample) Open() io.Reader { return bytes.NewReader(s.data) }

// Size returns the length of what Open returns.
func (s Sample) Size() int64 { return int64(len(s.data)) }
