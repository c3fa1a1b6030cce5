package export

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/model"
)

// loadTrace reads a trace and its index.
func loadTrace(t *testing.T, data []byte) (*model.Profile, *traceindex.KeptIndex) {
	t.Helper()
	store, ix, err := opened.Bytes(t, "trace.mlyze", data)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range modeltest.Check(store.Current()) {
		t.Error(err)
	}
	return store.Current(), ix
}

// kvleak is the recording that the repository holds.
func kvleak(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("../testdata/small_kvleak.mlyze")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func cutOf(t *testing.T, p *model.Profile, ix *traceindex.KeptIndex, cut Cut) (*model.Profile, *traceindex.KeptIndex) {
	t.Helper()
	var out bytes.Buffer
	if _, err := WriteTrace(t.Context(), &out, p, ix.Status().Duration, cut); err != nil {
		t.Fatal(err)
	}
	return loadTrace(t, out.Bytes())
}

// figures are a group's figures in words. What ended is one figure: an overwritten block is freed where the other block
// is left out.
func figures(s *analysis.Site) string {
	return fmt.Sprintf("alloc %d/%d ended %d/%d live %d/%d leaked %d/%d peak %d",
		s.AllocBytes, s.AllocCount, s.FreedBytes+s.OverwrittenBytes, s.FreedCount+s.OverwrittenCount, s.LiveBytes, s.LiveCount, s.LeakBytes, s.LeakCount, s.PeakBytes)
}

// siteRows are the figures of all sites by name and place, the stacks resolved.
func siteRows(t *testing.T, p *model.Profile, ix *traceindex.KeptIndex, q analysis.Query, keep func(*analysis.Site) bool) map[string]string {
	t.Helper()
	rows := map[string]string{}
	sites, err := ix.Sites(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for i := range sites {
		s := &sites[i]
		if keep(s) && s.AllocCount+s.LiveCount > 0 {
			rows[fmt.Sprint(s.Key, s.Stack, s.Name, s.Where, p.Stacks.Frames(nil, s.Node, -1))[len(fmt.Sprint(s.Key)):]] = figures(s)
		}
	}
	return rows
}

func same(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if len(want) == 0 {
		t.Errorf("%s: nothing to compare", what)
	}
	if !maps.Equal(got, want) {
		t.Errorf("%s: %d rows, want %d", what, len(got), len(want))
		for k := range want {
			if got[k] != want[k] {
				t.Errorf("%s: %.200s\n got %s\nwant %s", what, k, got[k], want[k])
				return
			}
		}
	}
}

func all(*analysis.Site) bool { return true }

func TestAWholeTraceComesBack(t *testing.T) {
	p, ix := loadTrace(t, kvleak(t))
	var out bytes.Buffer
	lost, err := WriteTrace(t.Context(), &out, p, ix.Status().Duration, Everything())
	if err != nil || len(lost) > 0 {
		t.Fatal(err, lost)
	}
	back, bx := loadTrace(t, out.Bytes())
	if back.Meta.Start != p.Meta.Start || len(back.Problems) > 0 || !slices.Equal(events(t, back), events(t, p)) {
		t.Errorf("the events are others: %v", back.Problems)
	}
	q := analysis.Query{At: analysis.End, Range: analysis.FullRange}
	same(t, "sites", siteRows(t, back, bx, q, all), siteRows(t, p, ix, q, all))
}

func events(t *testing.T, p *model.Profile) (out []model.Event) {
	t.Helper()
	if err := p.Allocations.Replay(t.Context(), func(b *model.EventBatch) error {
		out = append(out, b.Events...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// What is asked of the part over the same range has the same answers as in the whole.
func TestPartsInTimeKeepTheFigures(t *testing.T) {
	for name, data := range map[string][]byte{"kvleak": kvleak(t), "random": randomTrace(7, 3000)} {
		p, ix := loadTrace(t, data)
		d := ix.Status().Duration
		for _, r := range []analysis.Range{{From: d / 3, To: d * 2 / 3}, {From: model.NoTime, To: d / 2}, {From: d / 2, To: model.MaxTime}, {From: d, To: d}} {
			cut := Everything()
			cut.Range = r
			back, bx := cutOf(t, p, ix, cut)
			what := fmt.Sprint(name, r)
			for _, at := range []model.Time{max(r.From, 0), (max(r.From, 0) + min(r.To, d)) / 2, min(r.To, d)} {
				q := analysis.Query{At: analysis.At(at), Range: analysis.Range{From: r.From, To: min(r.To, d)}}
				got, want := siteRows(t, back, bx, q, all), siteRows(t, p, ix, q, all)
				if r.From < d {
					same(t, what, got, want)
				}
			}
			a, _ := ix.Totals(t.Context(), r)
			b, _ := bx.Totals(t.Context(), r)
			if ends := b.MarkerCount - a.MarkerCount; ends > 1 {
				t.Errorf("%s: %d markers more", what, ends)
			}
			b.MarkerCount, b.Events, b.TemporaryCount = a.MarkerCount, a.Events, a.TemporaryCount
			if a != b {
				t.Errorf("%s: got %+v, want %+v", what, b, a)
			}
			if bx.Status().Duration != min(r.To, d) {
				t.Errorf("%s: ends at %s, not %s", what, bx.Status().Duration, min(r.To, d))
			}
			oldLeaks, _ := ix.Leaks(t.Context(), analysis.LeakQuery{Range: analysis.Range{From: model.NoTime, To: min(r.To, d)}, MinAge: d / 4})
			newLeaks, _ := bx.Leaks(t.Context(), analysis.LeakQuery{Range: analysis.FullRange, MinAge: d / 4})
			if oldLeaks.Bytes != newLeaks.Bytes || oldLeaks.Count != newLeaks.Count {
				t.Errorf("%s: leaks of %d/%d, want %d/%d", what, newLeaks.Bytes, newLeaks.Count, oldLeaks.Bytes, oldLeaks.Count)
			}
		}
	}
}

func TestPartsBySiteKeepTheFigures(t *testing.T) {
	p, ix := loadTrace(t, kvleak(t))
	q := analysis.Query{At: analysis.End, Range: analysis.FullRange}
	expr := regexp.MustCompile("(?i)string|parse|session|cache")
	cut := Everything()
	cut.Function = expr
	back, bx := cutOf(t, p, ix, cut)
	same(t, "function", siteRows(t, back, bx, q, all), siteRows(t, p, ix, q, func(s *analysis.Site) bool { return expr.MatchString(s.Name) }))
	if len(back.Stacks.Leaf) >= len(p.Stacks.Leaf) || len(back.Stacks.Functions) >= len(p.Stacks.Functions) {
		t.Error("names that nothing needs are written")
	}

	through := regexp.MustCompile("worker")
	cut = Everything()
	cut.Through = through
	back, bx = cutOf(t, p, ix, cut)
	same(t, "through", siteRows(t, back, bx, q, all), siteRows(t, p, ix, q, func(s *analysis.Site) bool {
		return slices.ContainsFunc(p.Stacks.Frames(nil, s.Node, -1), func(f model.Frame) bool { return through.MatchString(f.Function) })
	}))

	module := regexp.MustCompile(`c\+\+|lib`)
	cut = Everything()
	cut.Module = module
	back, bx = cutOf(t, p, ix, cut)
	same(t, "module", siteRows(t, back, bx, q, all), siteRows(t, p, ix, q, func(s *analysis.Site) bool {
		return module.MatchString(calltree.Module(p.Stacks.At(p.Stacks.Frame[calltree.SiteNode(p.Stacks, s.Node)]).File))
	}))
}

func TestPartsByThreadSizeAndLifetimeKeepTheFigures(t *testing.T) {
	for name, data := range map[string][]byte{"kvleak": kvleak(t), "random": randomTrace(3, 3000)} {
		p, ix := loadTrace(t, data)
		whole := analysis.Query{At: analysis.End, Range: analysis.FullRange}

		cut := Everything()
		cut.Threads = []uint16{2, 3}
		back, bx := cutOf(t, p, ix, cut)
		q := whole
		q.By = analysis.ByThread
		same(t, name+" thread", siteRows(t, back, bx, q, all), siteRows(t, p, ix, q, func(s *analysis.Site) bool { return s.Name == "thread 2" || s.Name == "thread 3" }))

		cut = Everything()
		cut.MinSize, cut.MaxSize = 32, 255
		cut.MinLife, cut.MaxLife = 64, 8191
		back, bx = cutOf(t, p, ix, cut)
		q = whole
		same(t, name+" size and lifetime", withoutPeak(siteRows(t, back, bx, q, all)), cellRows(t, ix, p, 6, 9, 7, 14))

		cut = Everything()
		cut.MinLife = 1024
		back, bx = cutOf(t, p, ix, cut)
		same(t, name+" long lives", withoutPeak(siteRows(t, back, bx, whole, all)), cellRows(t, ix, p, 0, analysis.SizeClasses, 11, analysis.LifeClasses))
	}
}

// cellRows are the rows of a cell of sizes and lifetimes.
func cellRows(t *testing.T, ix *traceindex.KeptIndex, p *model.Profile, sizeFrom, sizeTo, lifeFrom, lifeTo uint8) map[string]string {
	q := analysis.Query{At: analysis.End, Range: analysis.FullRange, Cell: analysis.Cell{SizeFrom: sizeFrom, SizeTo: sizeTo, LifeFrom: lifeFrom, LifeTo: lifeTo}}
	return withoutPeak(siteRows(t, p, ix, q, all))
}

var peakFigure = regexp.MustCompile(" peak .*")

func withoutPeak(rows map[string]string) map[string]string {
	for k, v := range rows {
		rows[k] = peakFigure.ReplaceAllString(v, "")
	}
	return rows
}

// randomTrace has every kind of event, addresses used again and over, frees of nothing, blocks without an address, and
// stacks that nothing defines.
func randomTrace(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	const meta = `{"stack_traces": {"0": [{"file_id": 0, "line": 3, "func_id": 0}, {"file_id": 1, "line": 9, "func_id": 2}], ` +
		`"1": [{"file_id": 1, "line": 4, "func_id": 1}], "2": []}, "files": {"0": "/lib/libc.so.6", "1": "/src/b.c"}, "functions": {"0": "malloc", "1": "parse", "2": "main", "9": "phase"}}`
	var list []memtest.TraceEvent
	for range n {
		e := memtest.TraceEvent{Delta: r.Uint64N(40), Addr: 16 * r.Uint64N(60)}
		switch k := r.IntN(20); {
		case k < 10:
			e.Size, e.ID, e.Thread = 1<<r.Uint64N(11), r.Uint64N(4), uint16(r.IntN(4))
		case k < 18:
			e.Kind = 1
		case k == 18:
			e.Kind, e.Addr, e.ID, e.Size = 2, 0, 5, 70
		default:
			e.Kind, e.Addr, e.ID = 3, 0, 8+r.Uint64N(2)
		}
		list = append(list, e)
	}
	return memtest.TraceOf([]byte(meta), list)
}

// A part of a trace of the reference tracer, which has no names and no addresses, keeps its times.
func TestPartsWithoutNames(t *testing.T) {
	var list []memtest.TraceEvent
	for i := range uint64(12) {
		list = append(list, memtest.TraceEvent{Delta: 100 + i/3, Size: 10 + i, ID: i}, memtest.TraceEvent{Kind: 3, Delta: 5, ID: 77})
	}
	p, ix := loadTrace(t, memtest.TraceOf([]byte(`{"stack_traces": {}, "files": {}, "functions": {}}`), list))
	cut := Everything()
	cut.Range.From, cut.MaxSize = ix.Status().Duration/2, 20
	back, bx := cutOf(t, p, ix, cut)
	old := map[model.Time]bool{}
	for _, e := range events(t, p) {
		old[e.Time] = true
	}
	for _, e := range events(t, back) {
		if !old[e.Time] {
			t.Errorf("an event at %s", e.Time)
		}
	}
	l, _ := bx.Live(t.Context(), analysis.End)
	if l.Count != 11 || bx.Status().Duration != ix.Status().Duration {
		t.Errorf("%+v, %s", l, bx.Status().Duration)
	}
	for _, problem := range back.Problems {
		if problem.Severity == model.Error {
			t.Error(problem)
		}
	}
}

// Block by block: those of the part are those of the whole that the cut chooses, with their own births and deaths.
func TestPartsHoldTheBlocksThatAreChosen(t *testing.T) {
	for seed := range uint64(40) {
		p, ix := loadTrace(t, randomTrace(seed, 400))
		list, d := events(t, p), ix.Status().Duration
		cut := Everything()
		cut.Range = analysis.Range{From: list[100].Time, To: list[300].Time}
		cut.Threads, cut.MinSize = []uint16{1, 2}, 8
		if seed%2 == 1 {
			cut.MinLife, cut.MaxLife = list[40].Time-list[20].Time, list[200].Time-list[100].Time
		}
		back, bx := cutOf(t, p, ix, cut)
		want := chosen(blocksOf(t, ix), cut)
		got := chosen(blocksOf(t, bx), Everything())
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Fatalf("seed %d: %d blocks, want %d\ngot  %v\nwant %v", seed, len(got), len(want), got, want)
		}
		if sum, _ := bx.Totals(t.Context(), analysis.FullRange); sum.UnmatchedFrees > 0 || d < cut.Range.To {
			t.Errorf("seed %d: %d frees of nothing in %v", seed, sum.UnmatchedFrees, back.Problems)
		}
		for _, e := range events(t, back) {
			if e.Time <= cut.Range.From && e.Kind != model.Alloc {
				t.Errorf("seed %d: %+v is from before the range", seed, e)
			}
		}
	}
}

func blocksOf(t *testing.T, ix *traceindex.KeptIndex) (out []analysis.Block) {
	t.Helper()
	list, err := ix.Blocks(t.Context(), analysis.BlockQuery{Born: true, All: true, Range: analysis.FullRange})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Len() {
		out = append(out, list.Row(i))
	}
	return out
}

// chosen is the slow twin of the cut: what becomes of each block by itself.
func chosen(blocks []analysis.Block, cut Cut) (out []string) {
	for _, b := range blocks {
		life := b.Died - b.Born
		if b.Died == model.NoTime {
			life = model.MaxTime
		}
		if b.Size < cut.MinSize || b.Size > cut.MaxSize || life < cut.MinLife || life > cut.MaxLife || cut.Threads != nil && !slices.Contains(cut.Threads, b.Thread) {
			continue
		}
		if b.Born > cut.Range.To || b.Died != model.NoTime && b.Died <= cut.Range.From {
			continue
		}
		if b.Died > cut.Range.To {
			b.Died = model.NoTime
		}
		out = append(out, fmt.Sprint(b))
	}
	slices.Sort(out)
	return out
}

func TestNamesOfPartsSurvive(t *testing.T) {
	name := "a\"\\\x1b[2J\u202e</script>\n日本"
	p, ix := loadTrace(t, memtest.Trace(name, 4))
	back, _ := cutOf(t, p, ix, Everything())
	if back.Stacks.Functions[1] != name || back.Stacks.Files[1] != name {
		t.Errorf("got %q in %q", back.Stacks.Functions, back.Stacks.Files)
	}
	if got, _ := back.Allocations.MarkerName(0); got != name {
		t.Errorf("the marker is %q", got)
	}
	const meta = "{\"stack_traces\": {\"0\": [{\"file_id\": 0, \"line\": 1, \"func_id\": 0}]}, \"files\": {\"0\": \"a\xff\"}, \"functions\": {\"0\": \"f\"}}"
	p, ix = loadTrace(t, memtest.TraceOf([]byte(meta), []memtest.TraceEvent{{Addr: 16, Size: 1}}))
	var out bytes.Buffer
	lost, err := WriteTrace(t.Context(), &out, p, ix.Status().Duration, Everything())
	if err != nil || len(lost) != 1 {
		t.Errorf("%v, %v", lost, err)
	}
	if back, _ := loadTrace(t, out.Bytes()); back.Stacks.Files[1] != "a\ufffd" || len(back.Problems) > 0 {
		t.Errorf("got %q, %v", back.Stacks.Files, back.Problems)
	}
}

// TestConvertedTraceSaysWhatIsUncertain expects a trace made of another format's recording to state, and to show, that
// addresses are invented, that times are estimates, and the curve of resident memory.
func TestConvertedTraceSaysWhatIsUncertain(t *testing.T) {
	data, err := os.ReadFile("../loaders/heaptrack/testdata/shop.zst")
	if err != nil {
		t.Fatal(err)
	}
	store, ix, err := opened.Bytes(t, "shop.heaptrack", data)
	if err != nil {
		t.Fatal(err)
	}
	from := store.Current()
	p, _ := cutOf(t, from, ix, Everything())
	if m := &p.Meta; !m.InventedAddresses || !m.CoarseTimes || !m.NoThreads {
		t.Errorf("invented addresses %v, coarse times %v, no threads %v", m.InventedAddresses, m.CoarseTimes, m.NoThreads)
	}
	if f := slices.IndexFunc(p.Meta.Facts, func(f model.Fact) bool { return f.Key == "converted_from" }); f < 0 || p.Meta.Facts[f].Value != "heaptrack" {
		t.Errorf("facts %v", p.Meta.Facts)
	}
	if p.Timeline == nil || !reflect.DeepEqual(p.Timeline.Series, from.Timeline.Series) {
		t.Errorf("curves %v, want %v", p.Timeline, from.Timeline)
	}
	for _, problem := range p.Problems {
		if problem.Severity != model.Note {
			t.Errorf("%s: %s", problem.Code, problem.Message)
		}
	}
	half := Everything()
	half.Range.From = ix.Status().Duration / 2
	cut, _ := cutOf(t, from, ix, half)
	if got := cut.Timeline.Series[0].Times; len(got) == 0 || got[0] < half.Range.From {
		t.Errorf("the curve of the second half begins at %v", got)
	}
}
