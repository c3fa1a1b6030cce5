package record

import (
	"encoding/binary"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/mlyze/journal"
)

// pyRecord returns the record of a frame of Python, as the hook writes it.
func pyRecord(id uint32, file, function string, line uint64) record {
	b := make([]byte, grain, grain+len(file)+len(function))
	binary.LittleEndian.PutUint32(b[4:], id)
	binary.LittleEndian.PutUint64(b[16:], uint64(len(file))|uint64(len(function))<<32)
	binary.LittleEndian.PutUint64(b[24:], line)
	b = append(append(b, file...), function...)
	return record{word: kindPyFrame, b: b}
}

func stackRecord(id uint32, words ...uint64) record {
	b := make([]byte, grain)
	binary.LittleEndian.PutUint32(b[4:], id)
	binary.LittleEndian.PutUint64(b[24:], uint64(len(words)))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return record{word: kindStack, b: b}
}

// Frames of Python are in the journal, from which the recording of a recorder that was killed is completed.
func TestFramesOfPythonAreRecovered(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.mlyze")
	f, err := newTraceFile(path, time.Now(), "/usr/bin/python3", Options{})
	if err != nil {
		t.Fatal(err)
	}
	alloc := record{word: kindAlloc, b: make([]byte, grain)}
	binary.LittleEndian.PutUint32(alloc.b[4:], 1)
	binary.LittleEndian.PutUint64(alloc.b[16:], 4096)
	binary.LittleEndian.PutUint64(alloc.b[24:], 100)
	for _, r := range []record{pyRecord(1, "app.py", "Größe.leaf", 3), pyRecord(2, "app.py", "<module>", 9), stackRecord(1, journal.Known|1, journal.Known|2), alloc} {
		if err := f.take(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.flush(); err != nil {
		t.Fatal(err)
	}
	_ = f.f.Close() // and the names are never written
	_ = f.names.Close()
	if _, err := Recover(t.Context(), path, loaders.Symbols{}); err != nil {
		t.Fatal(err)
	}
	blocks, _, _ := read(t, path)
	if len(blocks) != 1 || blocks[0].stack != "Größe.leaf;<module>" || blocks[0].size != 100 {
		t.Errorf("%+v", blocks)
	}
}

// A program may write over the memory that it shares with the recorder.
func TestFramesThatNoHookWritesAreRefused(t *testing.T) {
	long := pyRecord(1, "a.py", "f", 1)
	binary.LittleEndian.PutUint64(long.b[16:], 1<<40|4)
	longer := pyRecord(1, "a.py", "f", 1)
	binary.LittleEndian.PutUint64(longer.b[16:], 1<<31)
	for name, bad := range map[string]record{
		"out of order": pyRecord(2, "a.py", "f", 1), "long name": long, "long path": longer, "far line": pyRecord(1, "a.py", "f", 1<<40),
		"unknown frame": stackRecord(1, journal.Known|1), "no frame": stackRecord(1, journal.Known),
	} {
		f, err := newTraceFile(filepath.Join(t.TempDir(), "o.mlyze"), time.Now(), "python3", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := f.take(bad); err == nil {
			t.Errorf("%s was taken", name)
		}
		_ = f.f.Close()
		_ = f.names.Close()
	}
}

// The hook stands between an interpreter and its allocator, where nobody looks for it.
func TestStacksLeaveOutTheHook(t *testing.T) {
	own := ownCode{library: "/tmp/f/hook.so"}
	own.add(&journal.Module{Path: "/lib/other.so", Base: 0x1000, Segments: []uint64{0, 0x1000}})
	own.add(&journal.Module{Path: "/tmp/f/hook.so", Base: 0x10000, Segments: []uint64{0, 0x100, 0x1000, 0x100}})
	for _, c := range []struct{ stack, want []uint64 }{
		{[]uint64{0x1010, 0x10010, 0x2000}, []uint64{0x1010, 0x2000}},
		{[]uint64{0x1010, 0x10100, 0x110ff, 0x11100}, []uint64{0x1010, 0x10100, 0x11100}},
		{[]uint64{0x10010, journal.Known | 1}, []uint64{journal.Known | 1}},
		{[]uint64{0x10010, 0x11010}, []uint64{0x10010, 0x11010}},
		{nil, nil},
	} {
		if got := own.without(slices.Clone(c.stack)); !slices.Equal(got, c.want) {
			t.Errorf("%x: %x", c.stack, got)
		}
	}
}
