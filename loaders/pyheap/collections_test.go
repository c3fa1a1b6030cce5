package pyheap

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/graphs"
	"github.com/memtui/memtui/model"
)

// Sizes are those that sys.getsizeof returns in CPython 3.7, 3.10, 3.11 and 3.13.
func TestDictCapacity(t *testing.T) {
	for _, x := range []struct {
		size, len        uint64
		capacity, wasted int64
	}{
		{64, 0, 0, 0}, {232, 0, 5, 168}, {224, 1, 1, 0}, {184, 5, 5, 0}, // the smallest tables
		{360, 6, 10, 4 * 24}, {352, 10, 10, 0}, {272, 6, 10, 4 * 16}, {376, 7, 10, 3 * 24},
		{2264, 43, 85, 42 * 24}, {1584, 85, 85, 0}, {4696, 86, 170, 84 * 24}, {6576, 171, 341, 170 * 16}, {9328, 1, 341, 340 * 24},
		{36952, 1000, 1365, 365 * 24}, {5242960, 100000, 174762, 74762 * 24}, {3844864, 1, 174762, 174761 * 16},
		{296, 1, 1, 0}, {104, 3, 3, 0}, {1000, 2, 2, 0}, {1<<64 - 1, 7, 7, 0}, // attributes of instances, and no table at all
	} {
		c := model.HeapCollection{Len: int64(x.len), Capacity: int64(x.len)}
		fillDict(&c, x.size)
		if c.Capacity != x.capacity || c.Wasted != uint64(x.wasted) {
			t.Errorf("%d bytes with %d entries: room for %d, %d bytes wasted; want %d, %d", x.size, x.len, c.Capacity, c.Wasted, x.capacity, x.wasted)
		}
	}
}

func TestCollections(t *testing.T) {
	text := small
	for i, line := range []string{
		`"dict","class":60,"size":9304,"len":1`, `"list","class":60,"size":856,"len":10`, `"set","class":60,"size":728,"len":5`,
		`"set","class":60,"size":216,"len":1`, `"list","class":60,"size":56,"len":0`,
	} {
		text += fmt.Sprintf("{\"address\":%d,\"type\":%s,\"refs\":[]}\n", 900+i, line)
	}
	path := filepath.Join(t.TempDir(), "small.pydump")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := graphs.OpenFile(t, Format(), path)
	h, got := r.Heap, []string(nil)
	err := r.Profile.Heaps.(*file).Collections(t.Context(), 0, h, func(c *model.HeapCollection) error {
		if id := h.IDs[c.Row]; id >= 900 {
			got = append(got, fmt.Sprintf("%d: %d of %d, %d", id, c.Len, c.Capacity, c.Wasted))
		}
		return nil
	})
	want := "900: 1 of 341, 8160; 901: 10 of 100, 720; 902: 5 of 32, 432; 903: 1 of 1, 0; 904: 0 of 0, 0"
	if s := strings.Join(got, "; "); err != nil || s != want {
		t.Fatalf("%s, %v; want %s", s, err, want)
	}
}
