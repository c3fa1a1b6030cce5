package mlyze

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzLoad opens, replays and validates whatever it is given.
func FuzzLoad(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.mlyze")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		if b, err := os.ReadFile(path); err == nil && len(b) < 8<<10 {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if sniff(b) == 0 {
			return // also compressed input, whose size is not that of b
		}
		r := openPipe(t, b)
		if r.err != nil {
			if strings.Contains(r.err.Error(), "internal error") {
				t.Fatal(r.err)
			}
			return
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
