package graphs

import (
	"bytes"
	"context"
	"maps"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// Counted opens a snapshot, and compares what is reported while it is decoded with the snapshot: no report may exceed
// it, and the last one must have all of its objects by type.
func Counted(t testing.TB, src model.HeapSource, i int) (*model.Heap, error) {
	t.Helper()
	reports, h, err := reportsOf(src, i)
	if err != nil {
		return h, err
	}
	if len(reports) == 0 {
		t.Error("nothing was counted while the snapshot was decoded")
		return h, nil
	}
	all := heapgraph.Sum(h).Counts[0]
	for _, x := range reports {
		if n := heapgraph.Sum(x).Counts[0]; n > all || x.Len() > 0 {
			t.Errorf("%d objects are counted while the snapshot is decoded, of %d", n, all)
		}
	}
	if got, want := byName(reports[len(reports)-1]), byName(h); !maps.Equal(got, want) {
		t.Errorf("counted last while the snapshot was decoded: %v; then %v", got, want)
	}
	return h, nil
}

// Reports opens the only snapshot of a file, and returns what is reported while it is decoded as well.
func Reports[S model.HeapSource](t testing.TB, data []byte,
	open func(context.Context, *loaders.Source) (S, error)) ([]*model.Heap, *model.Heap) {
	t.Helper()
	in, err := loaders.OpenSource(t.Context(), "-", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	src, err := open(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	reports, h, err := reportsOf(src, 0)
	if err != nil {
		t.Fatal(err)
	}
	return reports, h
}

func reportsOf(src model.HeapSource, i int) (reports []*model.Heap, h *model.Heap, err error) {
	ctx := model.WithCounted(context.Background(), func(h *model.Heap) { reports = append(reports, h) })
	h, err = src.Open(ctx, i, nil)
	return reports, h, err
}

// byName returns counts and bytes by the names of types.
func byName(h *model.Heap) map[[2]string][2]uint64 {
	sums := map[[2]string][2]uint64{}
	for _, g := range heapgraph.Types(h) {
		s := sums[[2]string{g.Name, g.Sub}]
		sums[[2]string{g.Name, g.Sub}] = [2]uint64{s[0] + g.Count, s[1] + g.Bytes()}
	}
	return sums
}
