//go:build linux

package traceindex

import (
	"bufio"
	"context"
	"encoding/binary"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/mlyze"
	"github.com/memtui/memtui/model"
)

// shape is how the allocations of a trace are alike, of which none is freed. Sizes are multiples of 16.
type shape struct {
	name    string
	sites   int
	sizes   int
	oneAddr bool
	gap     int // between two events, µs
}

var shapes = []shape{
	{name: "site", sites: 1, sizes: 8, gap: 1},
	{name: "size", sites: 1000, sizes: 1, gap: 1},
	{name: "address", sites: 1, sizes: 1, oneAddr: true, gap: 1},
	{name: "instant", sites: 1, sizes: 8},
	{name: "place in ages", sites: 1, sizes: 8, gap: 100_000_000_000},
}

func (s *shape) size(i int) uint64 { return uint64(16 * (1 + i%s.sizes)) }

// file writes a trace of n allocations.
func (s *shape) file(t testing.TB, path string, n int) {
	const tables = `{"stack_traces": {}, "files": {}, "functions": {"0": "f"}}`
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	head := make([]byte, 256)
	copy(head, "MTRC")
	binary.LittleEndian.PutUint32(head[4:], 1)
	binary.LittleEndian.PutUint32(head[16:], uint32(len(tables)))
	w.Write(head)
	w.WriteString(tables)
	var b []byte
	for i := range n {
		addr, delta := uint64(0x7000_0000_0000), uint64(0)
		if !s.oneAddr {
			addr += uint64(i) * 16 * uint64(s.sizes)
		}
		if i > 0 {
			delta = uint64(s.gap)
		}
		b = binary.LittleEndian.AppendUint64(binary.AppendUvarint(append(b[:0], 0), delta), addr)
		b = binary.AppendUvarint(b, s.size(i))
		b = binary.AppendUvarint(b, uint64(i%s.sites))
		w.Write(append(b, 1, 0))
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}

// open writes a trace and opens it.
func (s *shape) open(t testing.TB, n int) *model.Profile {
	path := filepath.Join(t.TempDir(), s.name+".mlyze")
	s.file(t, path, n)
	src, err := loaders.OpenSource(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	store := new(model.Store)
	if err := mlyze.Format().Load(t.Context(), src, loaders.Options{}, store); err != nil {
		t.Fatal(err)
	}
	return store.Current()
}

// scale is one trace of a shape and what is known about it.
type scale struct {
	*shape
	n  int
	ix analysis.Trace
	t  testing.TB
}

// check fails where two figures differ.
func (s *scale) check(what string, got, want any) {
	s.t.Helper()
	if got != want {
		s.t.Errorf("%s, %d of one %s: %v, want %v", what, s.n, s.name, got, want)
	}
}

// bytes adds up the sizes of blocks.
func (s *scale) bytes(from, to, step int) (sum uint64) {
	for i := from; i < to; i += step {
		sum += s.size(i)
	}
	return sum
}

func (s *scale) live() int {
	if s.oneAddr {
		return 1
	}
	return s.n
}

// leaks asks for what was never freed.
func (s *scale) leaks(ctx context.Context) error {
	l, err := s.ix.Leaks(ctx, analysis.LeakQuery{Range: analysis.FullRange})
	if err != nil {
		return err
	}
	s.check("leaks", l.Count, uint64(s.live()))
	s.check("leaked bytes", l.Bytes, s.bytes(s.n-s.live(), s.n, 1))
	if s.oneAddr {
		s.check("sites", len(l.Sites), 1)
		return nil
	}
	s.check("sites", len(l.Sites), s.sites)
	gap, all := s.gap, s.n/s.sites
	for _, site := range l.Sites {
		first := int(site.Stack)
		s.check("blocks of a site", site.Count, uint64(all))
		s.check("bytes of a site", site.Bytes, s.bytes(first, s.n, s.sites))
		oldest := (s.n - 1 - first) * gap
		newest := oldest - (all-1)*s.sites*gap
		s.check("oldest", site.Oldest, model.Time(oldest))
		s.check("newest", site.Newest, model.Time(newest))
		s.check("median", site.Median, model.Time(newest+all/2*s.sites*gap))
	}
	return nil
}

// blocks lists all blocks and looks at some.
func (s *scale) blocks(ctx context.Context, by analysis.BlockOrder) error {
	l, err := s.ix.Blocks(ctx, analysis.BlockQuery{At: analysis.End, Range: analysis.FullRange, All: true, Sort: by})
	if err != nil {
		return err
	}
	s.check("blocks", l.Len(), s.live())
	last := l.Len() - 1
	for _, i := range []int{0, last / 2, last} {
		if b := l.Row(i); b.Size == 0 || b.Addr == 0 {
			s.t.Errorf("row %d: %+v", i, b)
		}
	}
	switch by {
	case analysis.LargestFirst:
		s.check("largest", l.Row(0).Size, max(s.size(s.n-1), uint64(16*s.sizes)))
	case analysis.OldestFirst:
		s.check("oldest", l.Row(0).Born, model.Time((s.n-s.live())*s.gap))
	case analysis.NewestFirst:
		s.check("newest", l.Row(0).Born, model.Time((s.n-1)*s.gap))
	}
	return nil
}

func (s *scale) sums(ctx context.Context) error {
	for by := range analysis.GroupCount {
		rows, err := s.ix.Sites(ctx, analysis.Query{At: analysis.End, Range: analysis.FullRange, By: by})
		if err != nil {
			return err
		}
		count, live := uint64(0), uint64(0)
		for _, row := range rows {
			count, live = count+row.AllocCount, live+row.LiveCount
		}
		s.check("allocated by "+by.String(), count, uint64(s.n))
		s.check("live by "+by.String(), live, uint64(s.live()))
	}
	p, ok, err := s.ix.Peak(ctx, analysis.FullRange)
	s.check("peak", p.Bytes, s.bytes(s.n-s.live(), s.n, 1))
	s.check("a peak", ok, true)
	return err
}

// others asks what has no figures of its own here.
func (s *scale) others(ctx context.Context) error {
	_, err := s.ix.LateFreed(ctx, analysis.Cell{})
	if err == nil {
		_, err = s.ix.Grid(ctx, analysis.GridQuery{Range: analysis.FullRange, All: true})
	}
	if err == nil {
		_, err = s.ix.Chart(ctx, analysis.FullRange, 320)
	}
	if err == nil {
		_, err = s.ix.Verdicts(ctx, analysis.ByStack, "")
	}
	if err == nil {
		_, err = analysis.Findings(ctx, s.ix, nil, nil, 0)
	}
	return err
}

func (s *scale) uses(ctx context.Context) error {
	_, n, err := s.ix.Uses(ctx, 0x7000_0000_0000, 10)
	if want := 1; s.oneAddr {
		s.check("uses", n, s.n)
	} else {
		s.check("uses", n, want)
	}
	return err
}

// questions are all questions by name.
func (s *scale) questions() map[string]func(context.Context) error {
	q := map[string]func(context.Context) error{"leaks": s.leaks, "sums": s.sums, "others": s.others, "uses": s.uses}
	for by := analysis.LargestFirst; by <= analysis.ShortestFirst; by++ {
		q["blocks-"+strconv.Itoa(int(by))] = func(ctx context.Context) error { return s.blocks(ctx, by) }
	}
	return q
}

// TestMillionsOfOneKind asks everything about millions of blocks that are alike: more of one site than ages lie in
// pieces that double.
func TestMillionsOfOneKind(t *testing.T) {
	n := 3_500_000
	if modeltest.UnderRace {
		n = 100_000
	}
	for _, shape := range shapes {
		p := shape.open(t, n)
		ix := newFileIndex(defaultChunk)
		store := new(model.Store)
		store.Publish(p)
		if err := Build(t.Context(), store, ix); err != nil {
			t.Fatal(err)
		}
		s := &scale{&shape, n, ix, t}
		if most := n/(ix.chunkSize/(8*eventBytes)) + 10; len(ix.chunks) > most {
			t.Errorf("%d events of one %s are in %d chunks, more than %d", n, shape.name, len(ix.chunks), most)
		}
		for name, ask := range s.questions() {
			if err := ask(t.Context()); err != nil {
				t.Errorf("%s of one %s: %v", name, shape.name, err)
			}
		}
		n = min(n, 500_000) // the others have no list of millions
	}
}

// TestChunksWithoutACut reads events that are too far apart for a guess where one begins: a chunk must neither end at
// each of them, nor go on to the end of the file.
func TestChunksWithoutACut(t *testing.T) {
	const n, size = 20_000, 1 << 10
	p := shapes[len(shapes)-1].open(t, n)
	store, ix := new(model.Store), newFileIndex(size)
	store.Publish(p)
	if err := Build(t.Context(), store, ix); err != nil {
		t.Fatal(err)
	}
	for _, c := range ix.chunks[:len(ix.chunks)-1] {
		if c.n != largerChunks*size/shortEvent {
			t.Fatalf("a chunk of %d events", c.n)
		}
	}
	if ix.events() != n {
		t.Errorf("%d events", ix.events())
	}
}

// BenchmarkOneKind builds the index of as many blocks of one kind as MEMTUI_BENCH_EVENTS says, and asks everything:
// 10000000 of them take a minute, 200000000 most of an hour and some 20 GiB of memory.
func BenchmarkOneKind(b *testing.B) {
	n, _ := strconv.Atoi(os.Getenv("MEMTUI_BENCH_EVENTS"))
	n = max(n/1000*1000, 100_000)
	for _, shape := range shapes {
		b.Run(shape.name, func(b *testing.B) {
			p := shape.open(b, n)
			ix := newFileIndex(defaultChunk)
			store := new(model.Store)
			store.Publish(p)
			b.Run("build", func(b *testing.B) {
				first(b, func() error {
					if ix.events() > 0 {
						return nil
					}
					return Build(b.Context(), store, ix)
				})
			})
			s := &scale{&shape, n, ix, b}
			questions := s.questions()
			for _, name := range slices.Sorted(maps.Keys(questions)) {
				b.Run(name, func(b *testing.B) {
					s.t = b
					first(b, func() error { return questions[name](b.Context()) })
				})
			}
			var used unix.Rusage
			if unix.Getrusage(unix.RUSAGE_SELF, &used) == nil {
				b.Logf("most memory so far: %s", model.Bytes(uint64(used.Maxrss)<<10))
			}
		})
	}
}
