package rubyheap

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/memtui/memtui/internal/memtest/graphs"
	"github.com/memtui/memtui/model"
)

// TestContents reads texts, fields, threads and rooms of objects from the file.
func TestContents(t *testing.T) {
	ctx, r := context.Background(), graphs.OpenFile(t, Format(), "testdata/shop1.json.zst")
	h, f := r.Heap, r.Profile.Heaps
	texts, n := f.(model.HeapWaste), 0
	if err := texts.Texts(ctx, 0, h, func(x *model.HeapText) error { n++; return nil }); err != nil || n != 11247 {
		t.Errorf("%d texts: %v", n, err)
	}
	row, _ := h.RowOf("0x7f29d8b4dc10")
	found := false
	err := texts.Collections(ctx, 0, h, func(c *model.HeapCollection) error {
		if c.Row == row {
			found = true
			if c.Len != 1000 || c.Capacity != 1024 || c.Wasted != 24*24 || c.Form != model.CollectionTable {
				t.Errorf("%+v", c)
			}
		}
		return nil
	})
	if err != nil || !found {
		t.Error(err, found)
	}
	fields, total, err := f.(model.HeapContents).Fields(ctx, 0, h, row, 0, 3)
	if err != nil || total < 2000 || len(fields) != 3 || fields[0].Name != "size" || fields[0].Value != "1000" {
		t.Errorf("%+v of %d: %v", fields, total, err)
	}
	threads, err := f.(model.HeapThreads).Threads(ctx, 0, h)
	if err != nil || len(threads) != 2 {
		t.Errorf("%+v: %v", threads, err)
	}
	path := filepath.Join(t.TempDir(), "small.json")
	if err := os.WriteFile(path, []byte(small), 0o600); err != nil {
		t.Fatal(err)
	}
	small := graphs.OpenFile(t, Format(), path)
	row, _ = small.Heap.RowOf("0x70")
	src := small.Profile.Heaps.(model.HeapTexts)
	if text, whole, ok, err := src.Text(ctx, 0, small.Heap, row, 1); text != "a" || whole || !ok || err != nil {
		t.Errorf("%q %v %v %v", text, whole, ok, err)
	}
}
