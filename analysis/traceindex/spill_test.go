package traceindex

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// mappedBudget is a budget whose files are in memory: room for a number of them.
func mappedBudget(files int64) (b *model.Budget, open *atomic.Int64) {
	b, open = model.NewBudget(1<<30), new(atomic.Int64)
	b.Map = func(bytes int64) (model.Mapped, error) {
		if files--; files < 0 {
			return model.Mapped{}, errors.New("the disk is full")
		}
		open.Add(1)
		return model.Mapped{Bytes: make([]byte, bytes), Forget: func() {}, Close: func() { open.Add(-1) }}, nil
	}
	return b, open
}

// buildWithin builds an index that may take a number of bytes.
func buildWithin(t *testing.T, b *model.Budget, bytes int64, s model.EventSource) (*KeptIndex, *model.Profile) {
	t.Helper()
	store := new(model.Store)
	store.Publish(&model.Profile{Meta: model.Meta{Format: "test"}, Stacks: modeltest.Stacks(), Allocations: s})
	k := NewKeptIndex(nil)
	k.SetBudget(bytes)
	if err := Build(model.WithBudget(t.Context(), b), store, k); err != nil {
		t.Fatal(err)
	}
	Conclude(store, k)
	return k, store.Current()
}

// someAnswers are answers that read all parts of an index.
func someAnswers(t *testing.T, ix analysis.Trace) (out []any) {
	t.Helper()
	add := func(answer any, err error) {
		if err != nil {
			t.Error(err)
		}
		out = append(out, answer)
	}
	ctx, end := t.Context(), ix.Status().Duration
	for i := range model.Time(8) {
		rg := analysis.Range{From: end / 9 * i, To: end/9*i + end/3}
		totals, err := ix.Totals(ctx, rg)
		add(totals, err)
		columns, err := ix.Chart(ctx, rg, 100)
		add(columns, err)
		for by := range analysis.GroupCount {
			sites, err := ix.Sites(ctx, analysis.Query{At: analysis.At(rg.To), Range: rg, By: by})
			add(sites, err)
		}
		leaks, err := ix.Leaks(ctx, analysis.LeakQuery{Range: rg})
		add(leaks, err)
		grid, err := ix.Grid(ctx, analysis.GridQuery{Range: rg, All: true})
		add(grid, err)
	}
	late, err := ix.LateFreed(ctx, analysis.Cell{})
	add(late, err)
	history, err := ix.History(ctx, analysis.ByStack, "", []analysis.Key{0, 1, 2}, analysis.HistoryColumns)
	add(history, err)
	return out
}

// An index that does not fit its memory is completed in files, and answers as one that fits.
func TestIndexesAreCompletedInFiles(t *testing.T) {
	for _, chunked := range []bool{true, false} {
		events := randomTrace(rand.New(rand.NewPCG(1, 2)), 300_000)
		var s model.EventSource = &sliceSource{events, 4096} // the index keeps its events
		bytes := int64(9 << 20)
		if chunked {
			s, bytes = &chunkedSlice{sliceSource{events, 4096}, -1}, 7<<20
		}
		b, open := mappedBudget(100)
		k, p := buildWithin(t, b, bytes, s)
		if s := k.Status(); !s.Final || s.Events != uint64(len(events)) || !p.Complete {
			t.Fatalf("status %+v, %v", s, p.Problems)
		}
		if k.now.ix.files.Taken() == 0 || open.Load() == 0 {
			t.Error("everything fits")
		}
		free, _ := buildWithin(t, nil, 0, s)
		got, want := someAnswers(t, k), someAnswers(t, free)
		for i := range want {
			if !reflect.DeepEqual(got[i], want[i]) {
				t.Errorf("answer %d is %v, want %v", i, got[i], want[i])
			}
		}
		if k.Close(); open.Load() != 0 {
			t.Errorf("%d files stay", open.Load())
		}
		if _, err := k.Totals(t.Context(), analysis.FullRange); err == nil {
			t.Error("a question to what is closed is answered")
		}
	}
}

// Without room on the disk, reading stops as without files, and says so.
func TestFullDisksStopReading(t *testing.T) {
	events := randomTrace(rand.New(rand.NewPCG(1, 2)), 300_000)
	b, _ := mappedBudget(0)
	k, p := buildWithin(t, b, 7<<20, &chunkedSlice{sliceSource{events, 4096}, -1})
	defer k.Close()
	if s := k.Status(); s.Final || s.Events == 0 || s.Events == uint64(len(events)) || p.Complete {
		t.Errorf("status %+v", s)
	}
	for _, q := range p.Problems {
		if q.Code == model.CodeMemory && strings.Contains(q.Message, "no file can hold more (the disk is full)") {
			return
		}
	}
	t.Errorf("problems %v", p.Problems)
}
