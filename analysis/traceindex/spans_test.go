package traceindex

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// TestEarlyAnswersAreProven damages runs and the curve of an index file, and asks what may be asked before all of it is
// verified: the answers are those of the good one, or errors.
func TestEarlyAnswersAreProven(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	events := randomTrace(r, 480_000)
	for i := range events {
		events[i].Time = model.Time(i * 10)
		if i > 240_000 { // a pause, in which no span ends
			events[i].Time += 1_600_000
		}
	}
	source := &chunkedSlice{sliceSource{events, 1000}, -1}
	store := new(model.Store)
	store.Publish(&model.Profile{Meta: model.Meta{Format: "test"}, Stacks: modeltest.Stacks(), Allocations: source})
	ix := newFileIndex(9000 * sliceEvent)
	if err := Build(t.Context(), store, ix); err != nil {
		t.Fatal(err)
	}
	good := saved(t, ix)
	want := earlyAnswers(ix)
	f, err := indexFormat.Open(t.Context(), &sections.File{Data: good}, sections.Key{1}, layoutOfFiles())
	if err != nil {
		t.Fatal(err)
	}
	wrong, right, refused := 0, 0, 0
	files := 60
	if modeltest.UnderRace {
		files = 5
	}
	for i := range files {
		data := slices.Clone(good)
		if i > 0 {
			e := f.Table[sectionOfCurve(ix, f)+i%2]
			data[e.Offset+r.Uint64N(e.Length)] ^= 1 << r.IntN(8)
		}
		now := newFileIndex(defaultChunk)
		file, _ := (&memoryPlace{data: data}).Open()
		if err := now.restore(context.Background(), file, sections.Key{1}, store, source); err != nil && i > 0 {
			refused++ // something that is always verified lies in the same block
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		for k, got := range earlyAnswers(now) {
			switch {
			case got == want[k]:
				right++
			case got == "damaged" && i > 0:
				wrong++
			default:
				t.Fatalf("file %d, question %d: %.300s, not %.300s", i, k, got, want[k])
			}
		}
	}
	if wrong == 0 || right == 0 || refused > files/2 {
		t.Errorf("%d errors, %d answers, %d files refused", wrong, right, refused)
	}
}

// sectionOfCurve is the number of the section with the curve; that with the runs follows.
func sectionOfCurve(ix *fileIndex, f *sections.Codec) int {
	size := uint64(ix.curve.Base.N) * uint64(len(sections.BytesOf(make([]column.BaseRun, 1))))
	return slices.IndexFunc(f.Table, func(e sections.Entry) bool { return e.Length == size })
}

// earlyAnswers is what may be asked before all of a file is verified, as text.
func earlyAnswers(ix *fileIndex) []string {
	ctx, end := context.Background(), ix.duration()
	var all []string
	add := func(v any, err error) {
		if err != nil {
			v = "damaged"
		}
		all = append(all, fmt.Sprint(v))
	}
	for _, rg := range []analysis.Range{analysis.FullRange, {From: 0, To: end}, {From: end / 5, To: end / 4}, {From: end / 3, To: end/3 + 9000}} {
		for _, n := range []int{1, 7, 40, 320} {
			add(ix.Chart(ctx, rg, n))
		}
		p, _, err := ix.Peak(ctx, rg)
		add(p, err)
		add(ix.Live(ctx, analysis.At(rg.To)))
		m, _, err := ix.Marks(ctx, rg, 10)
		add(m, err)
	}
	at, ok := ix.Neighbor(end/2, 1)
	if !ok {
		add(nil, errParts)
	} else {
		add(at, nil)
	}
	return all
}
