package traceindex

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/mlyze"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// memoryPlace keeps an index in memory.
type memoryPlace struct {
	data              []byte
	key               sections.Key
	discarded, closed int
	forgot            int
}

func (p *memoryPlace) Key() sections.Key { return p.key }

func (p *memoryPlace) Discard() { p.discarded++ }

func (p *memoryPlace) Open() (*sections.File, error) {
	if p.data == nil {
		return nil, errors.New("there is none")
	}
	return &sections.File{
		Data: p.data, At: bytes.NewReader(p.data),
		Close:  func() { p.closed++ },
		Forget: func() { p.forgot++ },
	}, nil
}

// saved is an index as it is kept.
func saved(t testing.TB, ix *fileIndex) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := ix.save(context.Background(), &b, sections.Key{1}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// reopened is the index that Build takes from a place, or builds.
func reopened(t testing.TB, place Place, source model.EventSource, stacks *model.Stacks) (*KeptIndex, *model.Profile) {
	t.Helper()
	return reopenedAs(t, largeIndex, place, source, stacks)
}

// reopenedAs is reopened with another size from which files are verified later.
func reopenedAs(t testing.TB, large int, place Place, source model.EventSource, stacks *model.Stacks) (*KeptIndex, *model.Profile) {
	t.Helper()
	store := new(model.Store)
	store.Publish(&model.Profile{Meta: model.Meta{Format: "test"}, Stacks: stacks, Allocations: source})
	k := NewKeptIndex(place)
	k.large = large
	if err := Build(t.Context(), store, k); err != nil {
		t.Fatal(err)
	}
	Conclude(store, k)
	return k, store.Current()
}

func TestRestoredIndexAgrees(t *testing.T) {
	for seed := range rounds(12) {
		r := rand.New(rand.NewPCG(seed, 3))
		events := randomTrace(r, []int{0, 1, 40, 700, 3000, 9000}[seed%6])
		for i := range events {
			if seed%4 == 3 { // hours between events
				events[i].Time += model.Time(i/(1+len(events)/5)) * 5_000_000_000
			}
			if seed%3 == 1 && events[i].Addr != 0 { // blocks that live longer
				events[i].Addr += uint64(r.IntN(300)) * 16
			}
			if seed%5 == 2 && events[i].Kind == model.Alloc && r.IntN(50) == 0 {
				events[i].Size += 1 << 40
			}
		}
		s := &chunkedSlice{sliceSource{events, 100}, -1}
		if len(events) > 0 && seed%5 > 2 {
			s.irregular = r.IntN(len(events))
		}
		agreeRestored(t, s, modeltest.Stacks(), 1000<<(seed%5), r)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	r := rand.New(rand.NewPCG(4, 5))
	agreeRestored(t, &sliceSource{randomTrace(r, 5000), 100}, modeltest.Stacks(), 1<<12, r)
}

// agreeRestored compares an index that was kept with its twin.
func agreeRestored(t *testing.T, source model.EventSource, stacks *model.Stacks, chunkSize int, r *rand.Rand) {
	t.Helper()
	ix, twin := buildBoth(t, source, stacks, chunkSize)
	data := saved(t, ix)
	for _, large := range []int{largeIndex, 0} {
		place := &memoryPlace{data: data, key: sections.Key{1}}
		k, p := reopenedAs(t, large, place, source, stacks)
		if used, why := k.Used(); !used {
			t.Fatal(why)
		}
		if large == 0 {
			agreeOnWhole(t, k, twin) // and nothing else is asked, or all figures of the rest
		}
		if large > 0 || r.IntN(3) == 0 {
			agree(t, k, twin, r)
		}
		k.Close()
		if place.closed != 1 || place.discarded != 0 {
			t.Errorf("closed %d times, discarded %d times", place.closed, place.discarded)
		}
		_, want := reopened(t, nil, source, stacks)
		same(t, "problems", p.Problems, want.Problems)
		if p.Lost != want.Lost || p.Complete != want.Complete {
			t.Errorf("lost %d, complete %v; want %d, %v", p.Lost, p.Complete, want.Lost, want.Complete)
		}
	}
}

// TestRestoredIndexAgreesOnFiles reads every trace of the loader's tests, and damaged ones.
func TestRestoredIndexAgreesOnFiles(t *testing.T) {
	paths, err := filepath.Glob("../../loaders/mlyze/testdata/*/*.mlyze")
	more, _ := filepath.Glob("../../testdata/*.mlyze")
	if paths = append(paths, more...); err != nil || len(paths) < 20 {
		t.Fatal(len(paths), err)
	}
	good, err := os.ReadFile("../../testdata/small_kvleak.mlyze")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range 4 {
		b, path := slices.Clone(good), filepath.Join(t.TempDir(), "damaged.mlyze")
		r := rand.New(rand.NewPCG(uint64(seed), 6))
		for at := len(b)/4 + r.IntN(len(b)/2); seed > 0 && r.IntN(80) > 0; at++ {
			b[at] = byte(r.Uint32() * uint32(seed&1))
		}
		if err := os.WriteFile(path, b[:len(b)-seed*7], 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	if modeltest.UnderRace {
		paths = everyThird(paths)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src, err := loaders.OpenSource(t.Context(), path, nil)
			if err != nil {
				t.Skip(err)
			}
			defer src.Close()
			store := new(model.Store)
			if err := mlyze.Format().Load(t.Context(), src, loaders.Options{}, store); err != nil {
				t.Skip(err)
			}
			p := store.Current()
			agreeRestored(t, p.Allocations, p.Stacks, 16<<10, rand.New(rand.NewPCG(1, 2)))
		})
	}
}

// smallTrace is one whose index is small, and has something in every section.
func smallTrace(t testing.TB, n int) (*chunkedSlice, []byte) {
	r := rand.New(rand.NewPCG(7, 7))
	events := randomTrace(r, n)
	for i := range events {
		if events[i].Kind == model.Alloc && r.IntN(30) == 0 {
			events[i].Size += 1 << 33
		}
	}
	s := &chunkedSlice{sliceSource{events, 50}, n - n/10}
	store := new(model.Store)
	store.Publish(&model.Profile{Meta: model.Meta{Format: "test"}, Stacks: modeltest.Stacks(), Allocations: s})
	ix := newFileIndex(n * sliceEvent / 4)
	if err := Build(t.Context(), store, ix); err != nil {
		t.Fatal(err)
	}
	return s, saved(t, ix)
}

// answers are some of everything that an index may be asked, as text.
func answers(t testing.TB, ix analysis.Trace) string {
	ctx := context.Background()
	s := ix.Status()
	s.Revision = 0
	end := s.Duration
	rg := analysis.Range{From: end / 3, To: end * 2 / 3}
	var all []any
	add := func(v any, err error) { all = append(all, v, err) }
	all = append(all, s, ix.StackIDs())
	for _, rg := range []analysis.Range{analysis.FullRange, rg} {
		add(ix.Totals(ctx, rg))
		add(ix.Curve(ctx, rg, 20))
		add(ix.Functions(ctx, rg, analysis.Cell{}))
		add(ix.Leaks(ctx, analysis.LeakQuery{Range: rg}))
		for by := range analysis.GroupCount {
			add(ix.Sites(ctx, analysis.Query{At: analysis.At(end / 2), Range: rg, By: by}))
		}
		p, ok, err := ix.Peak(ctx, rg)
		add([]any{p, ok}, err)
		m, total, err := ix.Marks(ctx, rg, 5)
		add([]any{m, total}, err)
	}
	add(ix.LateFreed(ctx, analysis.Cell{}))
	add(ix.Lives(ctx, []analysis.Key{0, 1, 2}))
	add(ix.HeldAtPeak(ctx, 1))
	add(ix.History(ctx, analysis.ByStack, "", []analysis.Key{0, 1, 2}, 20))
	if g, err := ix.Grid(ctx, analysis.GridQuery{Range: analysis.FullRange, All: true}); err == nil {
		add(*g, err)
	}
	add(ix.Verdicts(ctx, analysis.ByStack, ""))
	add(ix.Verdicts(ctx, analysis.ByFunction, "focus parse"))
	if g, err := ix.Grid(ctx, analysis.GridQuery{Range: rg, All: true}); err == nil {
		add(*g, err)
	}
	if l, err := ix.Blocks(ctx, analysis.BlockQuery{At: analysis.At(end / 2), All: true}); err == nil && l.Len() > 0 {
		all = append(all, l.Len(), l.Row(0), l.Row(l.Len()-1))
	}
	u, n, err := ix.Uses(ctx, 16, 3)
	add([]any{u, n}, err)
	return fmt.Sprintf("%+v", all)
}

// TestDamagedIndexIsNotUsed changes every byte of a file, and cuts it everywhere: the answers stay those of the trace.
func TestDamagedIndexIsNotUsed(t *testing.T) {
	source, good := smallTrace(t, 60)
	want := func() string {
		k, _ := reopened(t, nil, source, modeltest.Stacks())
		return answers(t, k)
	}()
	check := func(data []byte, what string, at int) (used bool) {
		t.Helper()
		if err := verified(t, data, source); err != nil && at%1000 > 0 {
			return false
		}
		place := &memoryPlace{data: data, key: sections.Key{1}}
		k, _ := reopenedAs(t, at%2*largeIndex, place, source, modeltest.Stacks()) // every other one is verified later
		got := answers(t, k)
		used, why := k.Used()
		if !used && why == nil {
			t.Fatalf("%s %d: not used without a reason", what, at)
		}
		if got != want {
			t.Fatalf("%s %d: wrong answers (used: %v, %v)", what, at, used, why)
		}
		if k.Close(); place.closed != 1 {
			t.Fatalf("%s %d: closed %d times", what, at, place.closed)
		}
		return used
	}
	if !check(good, "good", 0) {
		t.Fatal("the good file is not used")
	}
	unused, tried, step := 0, 0, 1
	if modeltest.UnderRace {
		step = 17
	}
	for at := 0; at < len(good); at += step {
		tried++
		bad := slices.Clone(good)
		bad[at] ^= byte(1 << (at % 8))
		if !check(bad, "byte", at) {
			unused++
		}
	}
	t.Logf("%d of %d bytes matter", unused, tried)
	if unused < tried*3/5 {
		t.Errorf("only %d of %d bytes are verified", unused, tried)
	}
	for n := 0; n < len(good); n += step {
		if check(good[:n:n], "cut at", n) {
			t.Fatalf("used though cut at %d", n)
		}
	}
	if check(append(slices.Clone(good), 0), "longer", 1) {
		t.Fatal("used though longer")
	}
}

// verified says why a file is not used.
func verified(t testing.TB, data []byte, source model.EventSource) error {
	ix, at := newFileIndex(1), bytes.NewReader(data)
	store := new(model.Store)
	store.Publish(&model.Profile{Allocations: source})
	return model.Guarded(func() error {
		err := ix.restore(t.Context(), &sections.File{Data: data, At: at}, sections.Key{1}, store, source)
		if err == nil {
			err = ix.file.VerifyAll(t.Context())
		}
		return err
	})
}

func TestIndexFileOfAnotherState(t *testing.T) {
	source, good := smallTrace(t, 300)
	for _, c := range []struct {
		place *memoryPlace
		want  error
	}{
		{&memoryPlace{data: good, key: sections.Key{2}}, sections.ErrStale},
		{&memoryPlace{data: []byte(strings.Repeat("no index at all ", 100)), key: sections.Key{1}}, sections.ErrForeign},
		{&memoryPlace{data: good[:len(good)-1], key: sections.Key{1}}, sections.ErrDamaged},
	} {
		k, _ := reopened(t, c.place, source, modeltest.Stacks())
		if used, why := k.Used(); used || !errors.Is(why, c.want) {
			t.Errorf("used %v, %v; want %v", used, why, c.want)
		}
	}
}

// TestEveryFieldIsKept fails when a part of the index gets a field that nobody has thought of here: it needs a line in
// fileIndex.sections, or can be derived.
func TestEveryFieldIsKept(t *testing.T) {
	const caches = " views curves grids cells decoders spare flights runCache columns readers room files answering"
	for _, c := range []struct {
		of    any
		known string
	}{
		{fileIndex{}, "mu names source input chunkSize cores chunks sites stackIndex threadIndex records sums checkpoints sparse curve runs marks totals status " +
			"budget loading held begin began found lost spans file verdicts soFar whole tally told" + caches},
		{chunk{}, "first n from to kept begin end firstRun firstBlock firstRec records hi lo ends freed common fine over sums tops totals"},
		{records{}, "origin born bornAt died diedAt"},
		{column.Pyramid{}, "liveHi live count allocBytes allocCount freeEvents run cur base levels"},
		{group.SiteTable{}, "keys first rest stack thread"},
		{column.RiseColumn{}, "n last anchor steps"},
		{column.WideTimes{}, "lo hi"},
		{column.OriginColumn{}, "column large"},
		{chunkSums{}, "chunk checkpoint"},
		{column.Checkpoint{}, "events sums"},
		{model.Columns{}, "Delta Kind Time High Addr Size ID Thread Offset"},
	} {
		typ := reflect.TypeOf(c.of)
		known := strings.Fields(c.known)
		for i := range typ.NumField() {
			if name := typ.Field(i).Name; !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) }) {
				t.Errorf("%v has a field %s that is not known here", typ, name)
			}
		}
	}
}

// askingPlace asks something while the index is taken from its file.
type askingPlace struct {
	memoryPlace
	ask func()
}

func (p *askingPlace) Key() sections.Key {
	p.ask()
	return p.key
}

// Who asks for a chart before the file is read must not close it under who reads it; closing the index must wait for
// that, too.
func TestFileStaysOpenWhileItIsTaken(t *testing.T) {
	source, good := smallTrace(t, 300)
	for _, early := range []bool{false, true} {
		place := &askingPlace{memoryPlace: memoryPlace{data: good, key: sections.Key{1}}}
		k := NewKeptIndex(place)
		place.ask = func() {
			if early {
				k.Close()
			}
			if _, err := k.Chart(t.Context(), analysis.FullRange, 9); err != nil || place.closed > 0 {
				t.Errorf("%v, closed %d times", err, place.closed)
			}
		}
		store := new(model.Store)
		store.Publish(&model.Profile{Meta: model.Meta{Format: "test"}, Stacks: modeltest.Stacks(), Allocations: source})
		if err := Build(t.Context(), store, k); err != nil {
			t.Fatal(err)
		}
		if used, why := k.Used(); !used {
			t.Error(why)
		}
		if k.Close(); place.closed != 1 {
			t.Errorf("closed %d times", place.closed)
		}
	}
}
