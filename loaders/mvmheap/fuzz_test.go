package mvmheap

import (
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest"
)

// FuzzOpenHeap opens, decodes and validates any bytes, as either version.
func FuzzOpenHeap(f *testing.F) {
	s := memtest.HeapSpec{Rows: 20, References: 30}
	three, err := memtest.Heap3(s)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(three)
	f.Add(memtest.Heap2(s))
	s.Snapshots = 2
	f.Add(memtest.Heap2(s))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := openBytes(t, b)
		if r.err != nil {
			if strings.Contains(r.err.Error(), "internal error") {
				t.Fatal(r.err)
			}
			return
		}
		rows := 0
		for _, h := range r.heaps {
			rows += h.Len()
		}
		if limit := (4*len(b) + 1<<20) * len(r.heaps); rows > limit || r.profile.Lost > int64(2*len(b)) {
			t.Errorf("%d bytes: %d rows, lost %d", len(b), rows, r.profile.Lost)
		}
	})
}
