package mlyze

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzLoad opens, replays and validates a good header with any length, any metadata and any events.
func FuzzLoad(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.mlyze")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil || len(b) < headerSize || len(b) > 4<<10 || sniff(b) == 0 {
			continue
		}
		length := binary.LittleEndian.Uint32(b[offLength:])
		at := headerSize + min(int(length), len(b)-headerSize)
		f.Add(int64(length), b[headerSize:at], b[at:])
	}
	f.Fuzz(func(t *testing.T, length int64, meta, events []byte) {
		trace := newFile()
		trace.meta, trace.events = string(meta), events
		if length >= 0 && length < 1<<32 {
			trace.length = int(length)
		}
		b := trace.bytes()
		r := openPipe(t, b)
		if r.err != nil {
			t.Fatal(r.err)
		}
		for _, p := range r.problems {
			if strings.Contains(p.Message, "internal error") {
				t.Fatal(p)
			}
		}
		if r.lost > int64(len(b)) || r.end > int64(len(b)) || len(r.events) > len(b)/3 {
			t.Errorf("%d bytes: read to %d, lost %d, %d events", len(b), r.end, r.lost, len(r.events))
		}
	})
}
