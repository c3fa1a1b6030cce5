package heaptrack

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// source returns the converted events of text.
func source(t testing.TB, data []byte) *trace {
	t.Helper()
	src, err := loaders.OpenSource(t.Context(), "-", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	store := &model.Store{}
	if err := load(t.Context(), src, loaders.Options{Symbols: loaders.Symbols{Off: true}}, store); err != nil {
		t.Fatal(err)
	}
	return store.Current().Allocations.(*trace)
}

// mixed writes events of every form, in steps of few and of many, of which some take very long.
func mixed(seed uint64, f form) []byte {
	rng := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.WriteString(map[form]string{rawForm: rawHead, interpreted: interpretedHead}[f])
	now, kinds := 0, 2
	for range 60 {
		for range rng.IntN(1 << rng.IntN(11)) {
			switch addr := 1 + rng.Uint64()>>rng.IntN(64); {
			case f == interpreted && rng.IntN(50) == 0:
				fmt.Fprintf(&b, "a %x 1\n", rng.Uint64()>>rng.IntN(64)>>(31*(seed&1)))
				kinds++
			case f == interpreted:
				fmt.Fprintf(&b, "%c %x\n", "+-"[rng.IntN(2)], rng.IntN(kinds))
			case rng.IntN(2) == 0:
				fmt.Fprintf(&b, "- %x\n", addr)
			default:
				fmt.Fprintf(&b, "+ %x %x %x\n", rng.Uint64()>>rng.IntN(64), rng.IntN(3), addr)
			}
		}
		now += rng.IntN(20) << (rng.IntN(2) * 20)
		fmt.Fprintf(&b, "c %x\n", now)
	}
	return []byte(b.String())
}

// TestFastLines reads lines as they are written by heart, and the same with a blank at their end, which only the slow
// path takes.
func TestFastLines(t *testing.T) {
	for seed := range uint64(4) {
		for _, f := range []form{rawForm, interpreted} {
			data := mixed(seed, f)
			slow := bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\n+"), []byte(" \n+")), []byte("\n-"), []byte(" \n-"))
			slow = bytes.ReplaceAll(slow, []byte("\nc"), []byte(" \nc"))
			got, want := read(t, data), read(t, slow)
			if len(got.events) < 1000 || !reflect.DeepEqual(got.events, want.events) {
				t.Errorf("seed %d, form %d: %d events differ from %d of the slow path", seed, f, len(got.events), len(want.events))
			}
			if !reflect.DeepEqual(got.profile.Stacks.Leaf, want.profile.Stacks.Leaf) || len(got.profile.Stacks.Leaf) < 2 {
				t.Errorf("seed %d, form %d: stacks %v, %v of the slow path", seed, f, got.profile.Stacks.Leaf, want.profile.Stacks.Leaf)
			}
		}
	}
}

// single decodes all events one by one, none of them by a fast path.
func single(t *testing.T, s *trace) (events []model.Event, before []model.Time) {
	d := s.decoder(t.Context())
	last := model.Time(0)
	for offset := int64(0); ; {
		var c model.Columns
		next, err := d.Decode(&c, offset, math.MaxInt64, 1)
		if err != nil {
			t.Fatal(err)
		}
		if c.Len() == 0 {
			return events, before
		}
		before = append(before, last)
		last += c.Delta
		events, _ = appendEvents(events, &c, before[len(before)-1])
		offset = next
	}
}

// TestDecode decodes pages from any boundary to any other.
func TestDecode(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for seed := range uint64(2) {
		for _, f := range []form{rawForm, interpreted} {
			s := source(t, mixed(seed, f))
			all, before := single(t, s)
			var replayed []model.Event
			if err := s.Replay(t.Context(), func(b *model.EventBatch) error {
				replayed = append(replayed, b.Events...)
				return nil
			}); err != nil || !reflect.DeepEqual(replayed, all) {
				t.Fatalf("seed %d, form %d: %v, %d events are replayed, not %d", seed, f, err, len(replayed), len(all))
			}
			d := s.Decoder()
			_, size := s.Extent()
			at, first := int64(0), 0
			for at < size {
				var c model.Columns
				to := min(size, at+1+rng.Int64N(3*pageBytes))
				guess, ok := d.Sync(to)
				if ok {
					to = guess
				}
				limit := 1 + rng.IntN(1500)
				next, err := d.Decode(&c, at, to, limit)
				if err != nil || ok && next > to || next < to && c.Len() < limit {
					t.Fatalf("[%d, %d): next is %d after %d of %d events, %v", at, to, next, c.Len(), limit, err)
				}
				if c.Len() > 0 {
					got, _ := appendEvents(nil, &c, before[first])
					if !reflect.DeepEqual(got, all[first:first+len(got)]) {
						t.Fatalf("events of [%d, %d) differ", at, next)
					}
				}
				checkOffsets(t, s, at, next, &c)
				at, first = next, first+c.Len()
			}
			if first != len(all) {
				t.Errorf("seed %d, form %d: %d events of %d", seed, f, first, len(all))
			}
		}
	}
}

// checkOffsets decodes runs of events on their own, as charts do.
func checkOffsets(t *testing.T, s *trace, from, to int64, c *model.Columns) {
	t.Helper()
	if want := (c.Len() + model.OffsetEvery - 1) / model.OffsetEvery; len(c.Offset) != want || want > 0 && c.Offset[0] != from {
		t.Fatalf("from %d: offsets %v of %d events", from, c.Offset, c.Len())
	}
	for i, at := range c.Offset {
		end, n := to, c.Len()-i*model.OffsetEvery
		if i+1 < len(c.Offset) {
			end, n = c.Offset[i+1], model.OffsetEvery
		}
		var run model.Columns
		if next, err := s.Decoder().Decode(&run, at, end, n); err != nil || next != end || run.Len() != n || !slices.Equal(run.Addr, c.Addr[i*model.OffsetEvery:][:n]) {
			t.Fatalf("run at %d: %d events up to %d of %d, %v", at, run.Len(), next, end, err)
		}
	}
}

// TestSpread spreads events over a time: none comes early or late, whatever the numbers.
func TestSpread(t *testing.T) {
	for _, span := range []uint64{0, 1, 9999, 10000, 1<<40 + 7, 1<<63 - 1} {
		for _, n := range []uint64{1, 2, 3, 7, 4096, mostWaiting - 1, mostWaiting} {
			k := spread(0, span, n)
			for i := range n {
				if i%1000 < 2 && k != spread(0, span, n).after(int(i)) {
					t.Fatalf("%d in %d: tick %d is %+v", n, span, i, k)
				}
				if at, want := k.tick(), (i+1)*(span/n)+(i+1)*(span%n)/n; at != want {
					t.Fatalf("%d in %d: tick %d is %d, want %d", n, span, i, at, want)
				}
			}
		}
	}
}

// TestHex reads numbers that end in any way.
func TestHex(t *testing.T) {
	for _, s := range []string{"", "0", "f", "1a", "123456789abcdef", "ffffffffffffffff", "00000001", "123456789"} {
		for _, end := range []string{" ", "\n", "g", "G", "A", "/", ":", "`", "\x00", "\xff", "\xb1", "\x80"} {
			var w [window]byte
			copy(w[2:], s+end+"77777777777777777777")
			var want uint64
			fmt.Sscanf(s, "%x", &want)
			if v, at := hexes(&w, 2); at != 2+len(s) || v != want && at < 2+16 {
				t.Errorf("%q: %x, which ends at %d", s+end, v, at)
			}
		}
	}
}

// TestReadEnds replays a source that is closed, and one whose reader goes.
func TestReadEnds(t *testing.T) {
	s := source(t, mixed(1, rawForm))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Replay(ctx, func(*model.EventBatch) error { return nil }); err != context.Canceled {
		t.Errorf("canceled: %v", err)
	}
	s.events.Close()
	var problems []model.Problem
	err := s.Replay(t.Context(), func(b *model.EventBatch) error {
		problems = append(problems, b.Problems...)
		return nil
	})
	if err != nil || len(problems) != 1 || problems[0].Code != "read" {
		t.Errorf("closed: %v, %+v", err, problems)
	}
}
