package export

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/model"
)

// survivor is a block that lives at an instant.
type survivor struct {
	Stack, Bytes uint64
	Born, Age    model.Time
}

// oldLeak is what a row of leaks says of ages.
type oldLeak struct {
	Stack, Bytes, Count    uint64
	Oldest, Newest, Median model.Time
}

// survivors replays events and returns what lives after all of them with time ≤ at. It is obviously right.
func survivors(t *testing.T, p *model.Profile, at model.Time) []survivor {
	t.Helper()
	var all []survivor
	byAddr := map[uint64]survivor{}
	err := p.Allocations.Replay(t.Context(), func(b *model.EventBatch) error {
		for _, e := range b.Events {
			switch {
			case e.Time > at:
			case e.Kind == model.Alloc && e.Addr == 0:
				all = append(all, survivor{e.ID, e.Size, e.Time, at - e.Time})
			case e.Kind == model.Alloc:
				byAddr[e.Addr] = survivor{e.ID, e.Size, e.Time, at - e.Time}
			case e.Kind == model.Free:
				delete(byAddr, e.Addr)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range byAddr {
		all = append(all, s)
	}
	slices.SortFunc(all, compareSurvivors)
	return all
}

func compareSurvivors(a, b survivor) int {
	return cmp.Or(cmp.Compare(a.Stack, b.Stack), cmp.Compare(a.Born, b.Born), cmp.Compare(a.Bytes, b.Bytes))
}

// leaksOf puts the survivors that are born after an instant, and are old enough, together by stack.
func leaksOf(all []survivor, from, least model.Time) (rows []oldLeak) {
	ages := map[uint64][]model.Time{}
	sums := map[uint64]*oldLeak{}
	for _, s := range all {
		if s.Born <= from || s.Age < least {
			continue
		}
		if sums[s.Stack] == nil {
			sums[s.Stack] = &oldLeak{Stack: s.Stack}
		}
		sums[s.Stack].Bytes += s.Bytes
		sums[s.Stack].Count++
		ages[s.Stack] = append(ages[s.Stack], s.Age)
	}
	for id, r := range sums {
		slices.Sort(ages[id])
		r.Newest, r.Median, r.Oldest = ages[id][0], ages[id][len(ages[id])/2], ages[id][len(ages[id])-1]
		rows = append(rows, *r)
	}
	slices.SortFunc(rows, func(a, b oldLeak) int { return cmp.Compare(a.Stack, b.Stack) })
	return rows
}

// Ages of what lives at an instant count to that instant, in lists of blocks and of leaks.
func TestAgesCountToTheInstant(t *testing.T) {
	paths, _ := filepath.Glob("../loaders/mlyze/testdata/real/ref_*.mlyze")
	for _, path := range append(paths, "../testdata/small_kvleak.mlyze") {
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			continue
		}
		store, ix, err := opened.File(t, path)
		if err != nil {
			t.Fatal(path, err)
		}
		p, end := store.Current(), ix.Status().Duration
		peak, _, err := ix.Peak(t.Context(), analysis.FullRange)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []model.Time{0, end / 100, end / 10, end / 3, peak.Time, end / 100 * 99, end} {
			for _, from := range []model.Time{model.NoTime, at / 2} {
				least := at / 8
				r, err := report.Build(t.Context(), p, ix, report.Options{
					At: analysis.At(at), AtTime: at, Range: analysis.Range{From: from, To: at}, From: from, To: at, MinAge: least, Blocks: "blocks",
				})
				if err != nil {
					t.Fatal(err)
				}
				all := survivors(t, p, at)
				var blocks []survivor
				for _, b := range r.Trace.Blocks {
					blocks = append(blocks, survivor{b.Stack, b.Bytes, b.Born, b.Age})
				}
				slices.SortFunc(blocks, compareSurvivors)
				if d := gocmp.Diff(all, blocks); d != "" {
					t.Fatalf("%s at %v: blocks (-replayed +report)\n%s", path, at, d)
				}
				var leaks []oldLeak
				for _, s := range r.Trace.Leaks.Sites {
					leaks = append(leaks, oldLeak{s.Stack, s.Bytes, s.Count, s.Oldest, s.Newest, s.Median})
				}
				slices.SortFunc(leaks, func(a, b oldLeak) int { return cmp.Compare(a.Stack, b.Stack) })
				if d := gocmp.Diff(leaksOf(all, from, least), leaks); d != "" {
					t.Fatalf("%s from %v to %v, at least %v old (-replayed +report)\n%s", path, from, at, least, d)
				}
			}
		}
	}
}

// Ages of blocks of a range are how long they lived, whatever the instant.
func TestAgesOfBornBlocksAreLifetimes(t *testing.T) {
	store, ix, err := opened.File(t, "../testdata/small_kvleak.mlyze")
	if err != nil {
		t.Fatal(err)
	}
	end := ix.Status().Duration
	r, err := report.Build(t.Context(), store.Current(), ix, report.Options{At: analysis.At(end / 2), AtTime: end / 2, Range: analysis.Range{From: end / 4, To: end / 2}, Blocks: "born_blocks"})
	if err != nil || len(r.Trace.Born) == 0 {
		t.Fatal(len(r.Trace.Born), err)
	}
	for _, b := range r.Trace.Born {
		want := end - b.Born
		if b.Died != nil {
			want = *b.Died - b.Born
		}
		if b.Age != want {
			t.Errorf("born at %v, died at %v: age %v", b.Born, b.Died, b.Age)
		}
	}
}
