package loaders

import (
	"bytes"
	"encoding/binary"
)

// foreign is a known kind of file that is not read.
type foreign struct {
	is      func(head []byte) bool
	what    string
	instead string // what to do
}

// foreignKinds lists them, the more certain ones first.
func foreignKinds() []foreign {
	return []foreign{
		{begins("memray\x00"), "a recording of memray", "convert it to stacks first: memray transform speedscope FILE"},
		{begins("FLR\x00"), "a recording of JDK Flight Recorder",
			"convert it to stacks first: jfrconv --alloc -o collapsed FILE out.folded, of async-profiler; jfr print FILE lists its events"},
		{begins("tlZ\x04", "tZst", "tracy\x00", "tr\xfdP"), "a trace of Tracy",
			"only tracy-profiler reads it; tracy-csvexport -u FILE writes its zones as text"},
		{pickledSnapshot, "a pickled snapshot of tracemalloc",
			"reading it would run code from the file; if you trust it, " + foldTracemalloc + " makes stacks of it"},
		{pickle, "a Python pickle", "reading it would run code from the file"},
		{goText, "a profile of the Go runtime as text", "of those only heap profiles are read: fetch it again without ?debug, for example " +
			"curl -o goroutine.pb.gz http://HOST:PORT/debug/pprof/goroutine"},
		{memcheckText, "what memcheck prints for people", "have it write XML: valgrind --leak-check=full --xml=yes --xml-file=leaks.xml PROGRAM"},
		{elfOf(4), "a core file", "it holds memory but no allocations: gdb PROGRAM FILE examines it; record the program with heaptrack or jemalloc instead"},
		{elfOf(1, 2, 3), "a program or library", "record it while it runs, for example with heaptrack PROGRAM"},
		{begins("MDMP"), "a minidump", "it holds memory but no allocations: minidump-stackwalk FILE prints its stacks, WinDbg or lldb -c FILE examines it"},
		{begins("PERFILE2"), "a recording of perf", "print it first: perf script -i FILE > samples.txt"},
		{begins("Nettrace"), "a trace of .NET", "convert it to stacks first: dotnet-trace convert --format Speedscope FILE"},
		{begins("# callgrind format", "version: 1\ncreator: callgrind"), "a profile of callgrind",
			"it counts instructions, not memory: callgrind_annotate FILE prints it; valgrind --tool=dhat records memory"},
		{bytehound, "a recording of bytehound", "convert it to heaptrack's format first: bytehound export-heaptrack --output out.heaptrack FILE"},
	}
}

// foldTracemalloc writes the stacks of a snapshot of tracemalloc, which are root first, with their bytes.
const foldTracemalloc = `python3 -c "import sys, tracemalloc as t; ` +
	`[print(*s.traceback, sep=';', end=f' {s.size}\n') for s in t.Snapshot.load(sys.argv[1]).statistics('traceback')]" FILE > out.folded`

// foreignKind describes a file that no format recognizes in one sentence; "" if it is unknown.
func foreignKind(head []byte) string {
	for _, k := range foreignKinds() {
		if k.is(head) {
			return "this is " + k.what + ", which memtui does not read; " + k.instead
		}
	}
	return ""
}

// begins recognizes files by their first bytes.
func begins(magic ...string) func([]byte) bool {
	return func(head []byte) bool {
		for _, m := range magic {
			if bytes.HasPrefix(head, []byte(m)) {
				return true
			}
		}
		return false
	}
}

// pickle recognizes the protocols that begin with a number and, from protocol 4, a frame; and objects in the older ones.
func pickle(head []byte) bool {
	if begins("ccopy_reg\n_reconstructor\n", "ccopyreg\n_reconstructor\n")(head) {
		return true
	}
	if len(head) < 4 || head[0] != 0x80 {
		return false
	}
	switch head[1] {
	case 2, 3:
		return bytes.IndexByte([]byte("c(}])"), head[2]) >= 0
	case 4, 5:
		return head[2] == 0x95
	}
	return false
}

func pickledSnapshot(head []byte) bool {
	return pickle(head) && bytes.Contains(head, []byte("tracemalloc")) && bytes.Contains(head, []byte("Snapshot"))
}

// goText recognizes profiles of the Go runtime as text by their first lines, and the stacks of goroutines.
func goText(head []byte) bool {
	line, rest, _ := bytes.Cut(head, []byte("\n"))
	if begins("--- contention:", "--- mutex:")(line) {
		return bytes.HasPrefix(rest, []byte("cycles/second="))
	}
	if _, total, ok := bytes.Cut(line, []byte(" profile: total ")); ok {
		count, _, stack := bytes.Cut(rest, []byte(" @ "))
		return digits(total) && stack && digits(count)
	}
	number, state, ok := bytes.Cut(bytes.TrimPrefix(line, []byte("goroutine ")), []byte(" ["))
	return ok && digits(number) && bytes.HasSuffix(state, []byte("]:"))
}

// digits reports whether a text is a number.
func digits(b []byte) bool {
	return len(b) > 0 && len(bytes.Trim(b, "0123456789")) == 0
}

// memcheckText recognizes the lines that memcheck begins with, each after the id of the process.
func memcheckText(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	id, text, ok := bytes.Cut(bytes.TrimPrefix(line, []byte("==")), []byte("== "))
	return ok && len(line) > 2 && digits(id) && bytes.HasPrefix(text, []byte("Memcheck, a memory error detector"))
}

// elfOf recognizes ELF files by their types.
func elfOf(types ...uint16) func([]byte) bool {
	return func(head []byte) bool {
		if len(head) < 18 || !bytes.HasPrefix(head, []byte("\x7fELF")) {
			return false
		}
		kind := binary.LittleEndian.Uint16(head[16:])
		if head[5] == 2 {
			kind = binary.BigEndian.Uint16(head[16:])
		}
		for _, t := range types {
			if kind == t {
				return true
			}
		}
		return false
	}
}

// bytehound recognizes the first block, after its length, by the name of a processor in the header of the recording.
func bytehound(head []byte) bool {
	if len(head) < 64 || head[0] != 1 && head[0] != 2 {
		return false
	}
	if n := binary.LittleEndian.Uint32(head[1:]); n < 32 || n > 1<<20 {
		return false
	}
	for _, arch := range []string{"x86_64", "aarch64", "mips64", "armv7"} {
		if bytes.Contains(head, []byte(arch)) {
			return true
		}
	}
	return false
}
