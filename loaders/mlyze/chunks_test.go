package mlyze

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// openTrace loads the trace that MEMTUI_BENCH_TRACE names, or the small one.
func openTrace(t testing.TB) (*trace, int64) {
	path := os.Getenv("MEMTUI_BENCH_TRACE")
	if path == "" {
		path = "../../testdata/small_kvleak.mlyze"
	}
	return openPath(t, path)
}

func openPath(t testing.TB, path string) (*trace, int64) {
	src, err := loaders.OpenSource(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	var store model.Store
	if err := load(context.Background(), src, loaders.Options{}, &store); err != nil {
		t.Fatal(err)
	}
	return store.Current().Allocations.(*trace), src.Size()
}

// boundaries are the offsets where events begin, as bits.
func boundaries(t testing.TB, tr *trace, size int64) []uint64 {
	bits := make([]uint64, (size-tr.begin)/64+1)
	r := tr.newReplay(context.Background(), func(*model.EventBatch) error { return nil })
	r.watch = func(_ *model.Event, offset int64, _ uint64) {
		bits[(offset-tr.begin)/64] |= 1 << ((offset - tr.begin) % 64)
	}
	if err := r.run(); err != nil {
		t.Fatal(err)
	}
	return bits
}

// TestSyncNeverGuessesWrong tries a million offsets of the trace that MEMTUI_BENCH_TRACE names, or some of the small
// one.
func TestSyncNeverGuessesWrong(t *testing.T) {
	tr, size := openTrace(t)
	begins := boundaries(t, tr, size)
	tries, d := 20_000, tr.Decoder()
	if os.Getenv("MEMTUI_BENCH_TRACE") != "" {
		tries = 1_000_000
	}
	r := rand.New(rand.NewPCG(1, 2))
	failed, far := 0, int64(0)
	for range tries {
		off := tr.begin + r.Int64N(size-tr.begin-syncBytes)
		at, ok := d.Sync(off)
		if !ok {
			failed++
			continue
		}
		far = max(far, at-off)
		if i := at - tr.begin; at < off || begins[i/64]>>(i%64)&1 == 0 {
			t.Fatalf("no event begins at %d, guessed from %d", at, off)
		}
	}
	if failed > tries/100 || far > 2000 {
		t.Errorf("%d of %d offsets failed, the furthest guess is %d bytes away", failed, tries, far)
	}
}

// TestDecodeAgreesWithReplay decodes the small trace in pieces of all lengths.
func TestDecodeAgreesWithReplay(t *testing.T) {
	tr, size := openTrace(t)
	decodeAgrees(t, tr, size)
}

// TestDecodeAgreesFarApart has pauses of hours, days and years among events that follow each other at once, in and
// between pieces.
func TestDecodeAgreesFarApart(t *testing.T) {
	r, f := rand.New(rand.NewPCG(5, 6)), newFile()
	for i := range uint64(20_000) {
		delta := r.Uint64N(3)
		if r.IntN(300) == 0 {
			delta = r.Uint64N(1 << (10 + r.IntN(44-10)))
		}
		if i%3 == 2 {
			f.free(delta, i<<4)
		} else {
			f.alloc(delta, (i+1)<<4, i, i%2, 1)
		}
	}
	path := filepath.Join(t.TempDir(), "far.mlyze")
	if err := os.WriteFile(path, f.bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	tr, size := openPath(t, path)
	decodeAgrees(t, tr, size)
}

// decodeAgrees decodes a trace in pieces of all lengths, which end only where they are asked to.
func decodeAgrees(t *testing.T, tr *trace, size int64) {
	var want []model.Event
	err := tr.Replay(context.Background(), func(b *model.EventBatch) error {
		want = append(want, b.Events...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want = want[:min(len(want), 20_000)]
	d, r := tr.Decoder(), rand.New(rand.NewPCG(3, 4))
	var c model.Columns
	now, at := model.Time(0), tr.begin
	for i := 0; i < len(want); {
		c.Reset()
		from := at
		to := min(from+1+r.Int64N(40_000), size)
		limit := 1 + r.IntN(3000)
		if at, err = d.Decode(&c, from, to, limit); err != nil || at < to && c.Len() < limit {
			t.Fatal(c.Len(), err)
		}
		p := 0
		for k, kind := range c.Kind {
			if i == len(want) {
				return
			}
			e := model.Event{Kind: kind, Time: now + c.Delta + c.Since(k), Addr: c.Addr[k]}
			if kind != model.Free {
				e.Size, e.ID, e.Thread = c.Size[p], c.ID[p], c.Thread[p]
				p++
			}
			if e != want[i] {
				t.Fatalf("event %d is %+v, want %+v", i, e, want[i])
			}
			i++
		}
		now = want[i-1].Time
	}
}

func BenchmarkDecodeColumns(b *testing.B) {
	tr, size := openTrace(b)
	d := tr.Decoder()
	var c model.Columns
	events := 0
	for b.Loop() {
		for at := tr.begin; at < size; {
			c.Reset()
			next, err := d.Decode(&c, at, size, 200_000)
			if err != nil || next == at {
				b.Fatal(next, err)
			}
			at = next
			events += c.Len()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
}
