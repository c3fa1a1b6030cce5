package pyheap

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/graphs"
	"github.com/memtui/memtui/model"
)

// TestContents reads texts, fields, threads and rooms of objects from the file.
func TestContents(t *testing.T) {
	text := small + `{"address":40,"type":"str","class":60,"size":60,"len":3,"value":"äb","refs":[]}
{"address":41,"type":"dict","class":60,"size":232,"len":0,"refs":[]}
`
	path := filepath.Join(t.TempDir(), "small.pydump")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, r := context.Background(), graphs.OpenFile(t, Format(), path)
	h, f := r.Heap, r.Profile.Heaps.(*file)
	row, _ := h.RowOf("@40")
	if text, whole, ok, err := f.Text(ctx, 0, h, row, 100); text != "äb" || whole || !ok || err != nil {
		t.Errorf("%q %v %v %v", text, whole, ok, err)
	}
	threads, err := f.Threads(ctx, 0, h)
	if err != nil || len(threads) != 1 || threads[0].Name != "worker" || threads[0].Row != row || threads[0].ID != "99" {
		t.Fatalf("%+v: %v", threads, err)
	}
	call := threads[0].Frames[0]
	if call.Function != "work" || call.File != "/srv/app.py" || call.Line != 12 || len(call.Locals) != 2 || call.Locals[0].Name != "local" {
		t.Errorf("%+v", call)
	}
	wasted := map[string]uint64{}
	if err := f.Collections(ctx, 0, h, func(c *model.HeapCollection) error {
		wasted[h.IDText(c.Row)] = c.Wasted
		return nil
	}); err != nil || wasted["@30"] != 8*((70000-56)/8-2) || wasted["@41"] != 168 {
		t.Errorf("%v: %v", wasted, err)
	}
	texts := ""
	if err := f.Texts(ctx, 0, h, func(x *model.HeapText) error { texts += string(x.Content); return nil }); err != nil || texts != "äb" {
		t.Errorf("%q: %v", texts, err)
	}
	row, _ = h.RowOf("@30")
	fields, total, err := f.Fields(ctx, 0, h, row, 1, 1)
	if err != nil || total != 3 || len(fields) != 1 || fields[0].Form != model.FieldRow || !strings.HasSuffix(fields[0].Type, "Session") {
		t.Errorf("%+v of %d: %v", fields, total, err)
	}
}
