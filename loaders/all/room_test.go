package all

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// TestColumnsInFiles decodes dumps under a limit that they do not fit in: they must be the same, and so must their
// dominators, whether their columns lie in files or there is no room on the disk either. What is only needed meanwhile
// is given back.
func TestColumnsInFiles(t *testing.T) {
	for _, d := range dumpsOf(t) {
		t.Run(d.name, func(t *testing.T) {
			want, sum := decoded(t, d.text, nil)
			var made, closed atomic.Int64
			budget := model.NewBudget(d.limit)
			budget.Map = func(n int64) (model.Mapped, error) {
				made.Add(1)
				b := make([]byte, n)
				return model.Mapped{Bytes: b, Forget: func() {}, Close: func() { clear(b); closed.Add(1) }}, nil
			}
			got, gotSum := decoded(t, d.text, budget)
			if n, gone := made.Load(), closed.Load(); n == 0 || gone == 0 || gone >= n {
				t.Errorf("%d files were made, %d given back", n, gone)
			}
			same(t, want, got)
			if !reflect.DeepEqual(sum, gotSum) {
				t.Error("dominators differ")
			}
			full := model.NewBudget(d.limit)
			full.Map = func(int64) (model.Mapped, error) { return model.Mapped{}, errors.New("no space left on device") }
			got, gotSum = decoded(t, d.text, full)
			same(t, want, got)
			if !reflect.DeepEqual(sum, gotSum) {
				t.Error("dominators differ without a file")
			}
		})
	}
}

type dump struct {
	name, format string
	text         []byte
	limit        int64 // in which its columns do not fit
}

func dumpsOf(t testing.TB) []dump {
	const (
		little = 1 << 10
		names  = 8 << 20 // for the names of MoarVM's dumps, which stay in memory
	)
	three, err := memtest.Heap3(memtest.HeapSpec{Rows: 300_000, References: 900_000, Spread: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return []dump{
		{"java", "hprof", memtest.Java(memtest.JavaSpec{Notes: 20_000}), little}, {"v8", "heapsnapshot", v8Dump(20_000), little},
		{"ruby", "ruby-heap", rubyDump(20_000), little}, {"python", "python-heap", pythonDump(20_000), little},
		{"moarvm", "mvmheap", three, names},
	}
}

// decoded opens the only snapshot of a dump.
func decoded(t testing.TB, text []byte, budget *model.Budget) (*model.Heap, []uint64) {
	t.Helper()
	ctx := model.WithBudget(t.Context(), budget)
	h, err := heapOf(ctx, t, text, loaders.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := heapgraph.NewGraph(ctx, h, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []uint64
	for r := range h.Len() {
		all = append(all, g.Retained[r], uint64(g.Idom(model.Row(r))), g.RetainedCount(model.Row(r)))
	}
	return h, all
}

// heapOf opens the only snapshot of a dump.
func heapOf(ctx context.Context, t testing.TB, text []byte, opt loaders.Options) (*model.Heap, error) {
	t.Helper()
	src, err := loaders.OpenSource(ctx, "-", bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { src.Close() })
	f, err := loaders.Detect(src, Formats())
	if err != nil {
		return nil, err
	}
	store := &model.Store{}
	if err := f.Load(ctx, src, opt, store); err != nil {
		return nil, err
	}
	return store.Current().Heaps.Open(ctx, 0, nil)
}

// same compares the columns of two heaps.
func same(t *testing.T, want, got *model.Heap) {
	t.Helper()
	a, b := reflect.ValueOf(*want), reflect.ValueOf(*got)
	for i := range a.NumField() {
		switch name := a.Type().Field(i).Name; name {
		case "Schema", "Kept", "From", "recorded":
		case "Entity", "Names", "Axes", "Label", "Tally", "Tables", "About": // numbers of names depend on who came first
			if x, y := a.Field(i), b.Field(i); x.Kind() == reflect.Slice && x.Len() != y.Len() {
				t.Errorf("%s: %d entries, want %d", name, y.Len(), x.Len())
			}
		default:
			if !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
				t.Errorf("%s differ", name)
			}
		}
	}
	for r := range want.Len() {
		if x, y := heapgraph.Label(want, model.Row(r)), heapgraph.Label(got, model.Row(r)); x != y {
			t.Fatalf("row %d is %q, want %q", r, y, x)
		}
	}
}
