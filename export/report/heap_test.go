package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// snapshots are heaps in memory; a nil one cannot be decoded.
type snapshots []*model.Heap

func (s snapshots) Len() int { return len(s) }
func (s snapshots) Info(i int) model.HeapInfo {
	info := model.HeapInfo{
		Time: model.Time(1000 * i), GC: int64(i), Complete: s[i] == nil || s[i].Complete, Rows: model.NoCount, References: 7, Objects: 3,
		TypeObjects: model.NoCount, STables: model.NoCount, Frames: 1, Bytes: model.NoCount, ManagedBytes: model.NoCount, UnmanagedBytes: model.NoCount,
	}
	if i == 0 {
		info.Time, info.GC = model.NoTime, model.NoCount
	}
	return info
}
func (s snapshots) Open(_ context.Context, i int, _ func(float64)) (*model.Heap, error) {
	if s[i] == nil {
		return nil, errors.New("zstd says " + hostile)
	}
	return s[i], nil
}
func (s snapshots) Scores(context.Context, int) (model.HeapScores, bool, error) {
	return model.HeapScores{}, false, nil
}
func (s snapshots) Tables(_ context.Context, i int) (*model.HeapTables, error) {
	return s[i].Tables, nil
}

// smallHeap is a root that holds a frame, which holds n objects in a chain; every name is hostile.
func smallHeap(n int) *model.Heap {
	h := &model.Heap{
		Kinds: []model.HeapKind{model.KindRoot, model.KindFrame}, Size: []uint16{0, 168}, Extra: []uint32{0, 0}, Entity: []uint32{0, 0},
		Start: []uint32{0, 1}, To: []model.Row{1}, Label: []model.EdgeLabel{model.LabelUnknown}, Complete: true,
		Tables: &model.HeapTables{
			Strings: []string{hostile, "", "P6|opaque"},
			Types:   []model.HeapType{{Repr: 2, Name: 0}, {Repr: 0, Name: 2}}, Frames: []model.HeapFrame{{Name: 1, Line: 3, File: 0}},
		},
	}
	for i := range n {
		h.To, h.Label = append(h.To, model.Row(i+2)), append(h.Label, model.LabelString) // string 0
		h.Start = append(h.Start, uint32(len(h.To)))
		h.Kinds, h.Size = append(h.Kinds, model.KindObject), append(h.Size, 24)
		h.Extra, h.Entity = append(h.Extra, 8), append(h.Entity, uint32(i%2))
	}
	h.Start = append(h.Start, uint32(len(h.To)))
	return h
}

func heapProfile(heaps ...*model.Heap) *model.Profile {
	return &model.Profile{
		Meta: model.Meta{Path: "dir/x.mvmheap", Name: "x.mvmheap", Format: "mvmheap", Version: 3, Size: 99}, Complete: true, Heaps: snapshots(heaps),
	}
}

func heapOptions(snapshot int) HeapOptions {
	return HeapOptions{Schema: SchemaReport, Snapshot: snapshot, Lists: EveryList, Limit: 2}
}

func TestHeapWriters(t *testing.T) {
	p := heapProfile(smallHeap(1), nil, smallHeap(4))
	r, err := BuildHeap(t.Context(), p, heapOptions(2))
	if err != nil {
		t.Fatal(err)
	}
	h, _ := p.Heaps.Open(t.Context(), 2, nil)
	g, err := analysis.NewHeapGraph(t.Context(), h, analysis.RootEdges)
	if err != nil {
		t.Fatal(err)
	}
	steps, _, err := g.Path(t.Context(), 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	object := NewHeapReport(p, 2, analysis.AllEdges)
	object.Object, object.Path = NewHeapObject(g, 3, 1), NewHeapPath(h, steps)
	found := 3
	object.Found, object.FoundAll = NewHeapRows(h, []model.Row{4, 1, 3}, true, 2), &found
	diff := DiffHeaps(HeapSide{p, 0, smallHeap(1)}, HeapSide{p, 2, h}, 0)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"heap.txt":    func(b *bytes.Buffer) error { return WriteText(b, r, Style{}) },
		"heap.json":   func(b *bytes.Buffer) error { return WriteJSON(b, r) },
		"heap.md":     func(b *bytes.Buffer) error { return WriteMarkdown(b, r, Style{}) },
		"heap.csv":    func(b *bytes.Buffer) error { return WriteCSV(b, r, "snapshots") },
		"object.txt":  func(b *bytes.Buffer) error { return WriteText(b, object, Style{ASCII: true, Width: 80, Exact: true}) },
		"object.json": func(b *bytes.Buffer) error { return WriteJSON(b, object) },
		"object.md":   func(b *bytes.Buffer) error { return WriteMarkdown(b, object, Style{}) },
		"path.csv":    func(b *bytes.Buffer) error { return WriteCSV(b, object, "") },
		"diff.txt":    func(b *bytes.Buffer) error { return WriteDiffText(b, diff, Style{}) },
		"diff.json":   func(b *bytes.Buffer) error { return WriteJSON(b, diff) },
		"diff.md":     func(b *bytes.Buffer) error { return WriteDiffMarkdown(b, diff, Style{}) },
		"diff.csv":    func(b *bytes.Buffer) error { return WriteDiffCSV(b, diff) },
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := write(&out); err != nil {
				t.Fatal(err)
			}
			for i, c := range out.String() {
				if c != '\n' && (c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 || c == 0x202e) {
					t.Errorf("control character %U at %d", c, i)
				}
			}
			golden(t, name, out.Bytes())
		})
	}
}

func TestEveryHeapTable(t *testing.T) {
	r, err := BuildHeap(t.Context(), heapProfile(smallHeap(3)), heapOptions(0))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(HeapTables(), "") {
		if !r.HasTable(name) {
			t.Errorf("no table %q", name)
		}
	}
	if r.HasTable("sites") {
		t.Error("heap snapshots have no sites")
	}
}

func TestUnreadableSnapshotsAreProblems(t *testing.T) {
	cut := smallHeap(2)
	cut.Complete = false
	for chosen := range 3 {
		r, err := BuildHeap(t.Context(), heapProfile(smallHeap(1), nil, cut), heapOptions(chosen))
		if err != nil {
			t.Fatal(err)
		}
		if r.Complete || len(r.Problems) != 1 || r.Problems[0].Code != "snapshot-unreadable" {
			t.Errorf("complete %v, problems %v", r.Complete, r.Problems)
		}
		if got := r.Heap.Snapshots[1]; got.Complete || got.Rows != nil || *got.Objects != 3 {
			t.Errorf("snapshot 1: %+v", got)
		}
		if (r.Heap.Dominators != nil) != (chosen == 0) || (r.Heap.Types != nil) == (chosen == 1) {
			t.Errorf("snapshot %d: types %v, dominators %v", chosen, r.Heap.Types, r.Heap.Dominators)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := BuildHeap(ctx, heapProfile(nil), heapOptions(0)); !errors.Is(err, context.Canceled) {
		t.Errorf("being cancelled gives %v", err)
	}
}

func TestUnknownRetainedIsAbsent(t *testing.T) {
	if n := retainedOf(map[uint32]uint64{1: 0}, 1); n == nil || *n != 0 {
		t.Error("what is known is absent")
	}
	if retainedOf(map[uint32]uint64{1: 5}, 2) != nil || retainedOf(nil, 1) != nil {
		t.Error("what is not known is there")
	}
}

func TestWholeSnapshot(t *testing.T) {
	cut := smallHeap(1)
	cut.Complete = false
	for want, list := range map[int]snapshots{-1: {cut}, 0: {smallHeap(1), cut}, 1: {cut, smallHeap(1)}} {
		if got := WholeSnapshot(list); got != want {
			t.Errorf("%d instead of %d", got, want)
		}
	}
}

func TestChanges(t *testing.T) {
	const most = math.MaxUint64
	for _, c := range []struct {
		bytes, count [2]uint64
		delta        int64
		status       string
	}{
		{[2]uint64{0, 5}, [2]uint64{0, 1}, 5, "new"},
		{[2]uint64{0, 0}, [2]uint64{0, 1}, 0, "new"},
		{[2]uint64{5, 0}, [2]uint64{1, 0}, -5, "gone"},
		{[2]uint64{5, 7}, [2]uint64{3, 1}, 2, "grown"},
		{[2]uint64{7, 7}, [2]uint64{3, 1}, 0, "shrunk"},
		{[2]uint64{7, 7}, [2]uint64{3, 3}, 0, "same"},
		{[2]uint64{0, most}, [2]uint64{1, 1}, math.MaxInt64, "grown"},
		{[2]uint64{most, 0}, [2]uint64{1, 1}, -math.MaxInt64, "shrunk"},
	} {
		f := newFigures(c.bytes[0], c.bytes[1], c.count[0], c.count[1])
		if f.DeltaBytes != c.delta || f.status() != c.status {
			t.Errorf("%+v: %d, %s", c, f.DeltaBytes, f.status())
		}
	}
}

// A trace compared with itself is the same in every row, and equal stacks of two files are one row.
func TestDiffTraces(t *testing.T) {
	p, ix := sample(t)
	q, other := sample(t)
	side := func(p *model.Profile, ix *analysis.Index) TraceSide { return TraceSide{p, ix, whole()} }
	d, err := DiffTraces(t.Context(), side(p, ix), side(q, other), "alloc_bytes", 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Rows) != 4 || d.Totals.BeforeBytes != 2564 || d.Totals.DeltaBytes != 0 {
		t.Errorf("%d rows, totals %+v", len(d.Rows), d.Totals)
	}
	for _, r := range d.Rows {
		if r.Status != "same" || r.Key == "" || r.BeforeBytes == 0 {
			t.Errorf("%+v", r)
		}
	}
	early := side(p, ix)
	early.Options.At, early.Options.AtTime = analysis.At(5), 5
	if d, err = DiffTraces(t.Context(), early, side(q, other), "", 1); err != nil {
		t.Fatal(err)
	}
	if len(d.Rows) != 1 || d.Count != 2 || d.Rows[0].Status != "new" || d.Rows[0].DeltaBytes != 1000 || *d.Before.At != 5 {
		t.Errorf("%+v", d)
	}
	var out bytes.Buffer
	if err := WriteJSON(&out, d); err != nil {
		t.Fatal(err)
	}
	var back map[string]any
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("memtui.diff/1", back["schema"]); diff != "" {
		t.Error(diff)
	}
}
