package loaders_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/pierrec/lz4/v4"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/all"
)

// TestForeignFilesAreNamed expects one sentence about files of other tools: what they are, and what makes them
// readable.
func TestForeignFilesAreNamed(t *testing.T) {
	elf := func(kind uint16) string {
		b := append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 57)...)
		binary.LittleEndian.PutUint16(b[16:], kind)
		return string(b)
	}
	block := "\x01\x00\x08\x00\x00\xf0\x12" + strings.Repeat("\x00a", 40) + "x86_64" + strings.Repeat("z", 100)
	for _, c := range []struct{ head, what, command string }{
		{"memray\x00\x0d\x00\x00\x00", "recording of memray", "memray transform speedscope"},
		{lz4ed(t, "memray\x00\x0d\x00\x00\x00"), "recording of memray", "memray transform speedscope"},
		{"FLR\x00\x00\x02\x00\x00", "JDK Flight Recorder", "jfrconv"},
		{"tlZ\x04abcdefgh", "Tracy", "tracy-csvexport"},
		{"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x0btracemalloc\x94\x8c\x08Snapshot\x94", "tracemalloc", "> out.folded makes"},
		{"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94", "Python pickle", "would run code"},
		{"ccopy_reg\n_reconstructor\np0\n(ctracemalloc\nSnapshot\np1\nc__builtin__\nobject\n", "tracemalloc", "would run code"},
		{"ccopy_reg\n_reconstructor\nq\x00(ctracemalloc\nSnapshot\n", "tracemalloc", "would run code"},
		{"--- contention:\ncycles/second=2199996000\n2073 1 @ 0x47b6c5\n", "Go runtime as text", "without ?debug"},
		{"--- mutex:\ncycles/second=2199996000\nsampling period=1\n", "Go runtime as text", "without ?debug"},
		{"goroutine profile: total 1\n1 @ 0x47b6c5 0x4e1e7d\n", "Go runtime as text", "/debug/pprof/"},
		{"threadcreate profile: total 7\n6 @ \n", "Go runtime as text", "/debug/pprof/"},
		{"goroutine 1 [running]:\nmain.main()\n\t/srv/app/main.go:10 +0x1d\n", "Go runtime as text", "/debug/pprof/"},
		{"==21435== Memcheck, a memory error detector\n==21435== Copyright (C) 2002-2022\n", "memcheck", "--xml=yes"},
		{elf(4), "core file", "gdb"},
		{elf(3), "program or library", "heaptrack"},
		{"MDMP\x93\xa7\x00\x00", "minidump", "minidump-stackwalk"},
		{"PERFILE2\x68\x00", "recording of perf", "perf script"},
		{block, "bytehound", "export-heaptrack"},
	} {
		src, err := loaders.OpenSource(t.Context(), "-", bytes.NewReader([]byte(c.head)))
		if err != nil {
			t.Fatal(err)
		}
		_, err = loaders.Detect(src, all.Formats())
		src.Close()
		if !errors.Is(err, loaders.ErrUnknownFormat) || !strings.Contains(err.Error(), c.what) || !strings.Contains(err.Error(), c.command) {
			t.Errorf("%.12q: %v, want %q and %q", c.head, err, c.what, c.command)
		}
		if strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("%q is more than a line", err)
		}
	}
}

// lz4ed compresses a file as memray does.
func lz4ed(t *testing.T, text string) string {
	t.Helper()
	var out strings.Builder
	z := lz4.NewWriter(&out)
	if _, err := z.Write([]byte(text)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestUnknownFilesStayUnknown expects no guess about what only begins like a file of another tool.
func TestUnknownFilesStayUnknown(t *testing.T) {
	for _, head := range []string{"memrays are fish", "\x80", "\x80\x04 text", "\x7fELF", "\x01\x00\x00\x00\x00", "heap profile: see below\n", "heap_v2 is a format\n",
		"desc: a word\nand prose\n", "#-----------\nnothing\n", "Direct leak of water\n", "<html>valgrindoutput</html>", "goroutine leaks [are bad]:\n", "the profile: total 12\n", "--- mutex: a word\n", "== Memcheck, a memory error detector\n",
		"== 1 == Memcheck\n", "ccopy_reg\nof a pickle\n", "shop 1 2 3\n\tmain\n"} {
		src, err := loaders.OpenSource(t.Context(), "-", strings.NewReader(head))
		if err != nil {
			t.Fatal(err)
		}
		f, err := loaders.Detect(src, all.Formats())
		src.Close()
		if err == nil || strings.Contains(err.Error(), "this is ") {
			t.Errorf("%q: %v, %v", head, f.Name, err)
		}
	}
}
