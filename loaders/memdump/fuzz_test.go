package memdump

import (
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest"
)

// FuzzOpenMB opens, decodes and validates any bytes as a body, compressed and not.
func FuzzOpenMB(f *testing.F) {
	s := tiny()
	f.Add(written(f, memtest.WriteDumpBody, s))
	s.Layouts = 3
	f.Add(written(f, memtest.WriteDumpBody, s))
	f.Fuzz(func(t *testing.T, b []byte) {
		raw := openBytes(t, append([]byte("MEMD\x02\x00\x00\x00"), b...))
		packed := openBytes(t, append([]byte(memtest.DumpHeader), deflated(t, 1, b)...))
		check(t, raw, len(b))
		check(t, packed, len(b))
		if len(b) > 1 && b[0] == 0x1f && b[1] == 0x8b {
			return
		}
		if (raw.err == nil) != (packed.err == nil) || len(raw.layouts) != len(packed.layouts) {
			t.Errorf("compressed: %v, raw: %v", packed.err, raw.err)
		}
	})
}

// FuzzOpenJSON opens, decodes and validates any text.
func FuzzOpenJSON(f *testing.F) {
	f.Add(written(f, memtest.WriteDumpJSON, tiny()))
	f.Add([]byte(`{"name":"\ud83d\ude00","data":[{"timestamp":"2025-11-20T04:44:00Z","value":-1e3,"meta":{"memory":{"pageTypes":[{"pages":[{"size":8,"freeList":[[0,8]],"occupancy":0.5}]}]}}}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		check(t, openBytes(t, append([]byte("[{\"name\":\"a\",\"data\":["), b...)), len(b))
		check(t, openBytes(t, b), len(b))
	})
}

// check checks what holds for any file of so many bytes.
func check(t *testing.T, r *result, size int) {
	t.Helper()
	if r.err != nil {
		if strings.Contains(r.err.Error(), "internal error") {
			t.Fatal(r.err)
		}
		return
	}
	points := 0
	for _, s := range r.profile.Timeline.Series {
		points += len(s.Times) + s.Dropped
	}
	pages := 0
	for _, l := range r.layouts {
		for i := range l.Types {
			pages += l.Types[i].Len()
		}
	}
	if points > size || pages > size {
		t.Errorf("%d bytes: %d points, %d pages", size, points, pages)
	}
}
