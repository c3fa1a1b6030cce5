package mlyze

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/memtui/memtui/model"
)

// naive decodes like the pseudo code of the specification, with binary.Uvarint: the figure that decodeHot is compared
// with and the truth it is tested against. It returns where it stopped and how many events it wrote.
func naive(b []byte, now model.Time, out []model.Event) (pos, n int, last model.Time) {
	for pos < len(b) && n < len(out) {
		p := pos
		kind := b[p]
		p++
		delta, k := binary.Uvarint(b[p:])
		if k <= 0 {
			return pos, n, now
		}
		p += k
		e := model.Event{Kind: model.EventKind(kind)}
		switch kind {
		case 0:
			if len(b)-p < 8 {
				return pos, n, now
			}
			e.Addr = binary.LittleEndian.Uint64(b[p:])
			p += 8
			if e.Size, k = binary.Uvarint(b[p:]); k <= 0 {
				return pos, n, now
			}
			p += k
			if e.ID, k = binary.Uvarint(b[p:]); k <= 0 {
				return pos, n, now
			}
			p += k
			if len(b)-p < 2 {
				return pos, n, now
			}
			e.Thread = binary.LittleEndian.Uint16(b[p:])
			p += 2
		case 1:
			if len(b)-p < 8 {
				return pos, n, now
			}
			e.Addr = binary.LittleEndian.Uint64(b[p:])
			p += 8
		case 2:
			if e.ID, k = binary.Uvarint(b[p:]); k <= 0 {
				return pos, n, now
			}
			p += k
			if e.Size, k = binary.Uvarint(b[p:]); k <= 0 {
				return pos, n, now
			}
			p += k
		case 3:
			if e.ID, k = binary.Uvarint(b[p:]); k <= 0 {
				return pos, n, now
			}
			p += k
		default:
			return pos, n, now
		}
		now += model.Time(delta)
		e.Time = now
		out[n] = e
		n++
		pos = p
	}
	return pos, n, now
}

// both decodes b with decodeHot, and decodeOne for what that leaves.
func both(b []byte, now model.Time, out []model.Event) (pos, n int, last model.Time) {
	for n < len(out) && pos < len(b) {
		var k int
		pos, k, now = decodeHot(b, pos, now, out[n:])
		n += k
		if n == len(out) || pos == len(b) {
			break
		}
		size, delta, st := decodeOne(b[pos:], &out[n])
		if st != decoded {
			break
		}
		now += model.Time(delta)
		out[n].Time = now
		n++
		pos += size
	}
	return pos, n, now
}

// sampleEvents returns the event bytes of a real trace: the one named by MEMTUI_BENCH_TRACE, or the small one of the
// repository repeated to some megabytes.
func sampleEvents(tb testing.TB) []byte {
	path := os.Getenv("MEMTUI_BENCH_TRACE")
	repeat := 1
	if path == "" {
		path, repeat = "../../testdata/small_kvleak.mlyze", 60
	}
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	b = b[headerSize+int(binary.LittleEndian.Uint32(b[16:])):]
	var out []byte
	for range repeat {
		out = append(out, b...)
	}
	return out
}

const benchBatch = batchEvents

type decodeFunc func(b []byte, now model.Time, out []model.Event) (int, int, model.Time)

// pass decodes all of b in batches and returns the number of events.
func pass(b []byte, f decodeFunc, out []model.Event) int {
	total, now := 0, model.Time(0)
	for len(b) > 0 {
		var pos, n int
		pos, n, now = f(b, now, out)
		if n == 0 {
			break
		}
		b, total = b[pos:], total+n
	}
	return total
}

func BenchmarkDecode(b *testing.B) {
	data := sampleEvents(b)
	out := make([]model.Event, benchBatch)
	best := [2]time.Duration{1 << 62, 1 << 62}
	var events [2]int
	for range b.N {
		for i, f := range []decodeFunc{both, naive} {
			start := time.Now()
			events[i] = pass(data, f, out)
			best[i] = min(best[i], time.Since(start))
		}
	}
	if events[0] != events[1] {
		b.Fatalf("%d events, naive %d", events[0], events[1])
	}
	b.ReportMetric(float64(best[0].Nanoseconds())/float64(events[0]), "ns/event")
	b.ReportMetric(float64(best[1])/float64(best[0]), "x-naive")
	b.ReportMetric(0, "ns/op")
}

// randomEvents writes n events whose varints have lengths from 1 to 10 bytes, minimal or not.
func randomEvents(r *rand.Rand, n int) []byte {
	var b []byte
	number := func() {
		v := r.Uint64() >> r.IntN(64)
		at := len(b)
		b = binary.AppendUvarint(b, v)
		if r.IntN(8) == 0 && len(b)-at < 9 {
			b[len(b)-1] |= 0x80
			b = append(b, 0)
		}
	}
	for range n {
		kind := byte(r.IntN(4))
		b = append(b, kind)
		b = binary.AppendUvarint(b, r.Uint64N(1<<r.IntN(40)))
		if kind <= 1 {
			b = binary.LittleEndian.AppendUint64(b, r.Uint64()>>r.IntN(70))
		}
		if kind != 1 {
			number()
		}
		if kind == 0 || kind == 2 {
			number()
		}
		if kind == 0 {
			b = binary.LittleEndian.AppendUint16(b, uint16(r.Uint32()))
		}
	}
	return b
}

func TestDecodeEqualsNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		b := randomEvents(r, r.IntN(200))
		if round%3 == 0 && len(b) > 0 {
			b = b[:r.IntN(len(b))]
		}
		compareDecoders(t, b)
	}
	compareDecoders(t, sampleEvents(t))
}

func compareDecoders(t *testing.T, b []byte) {
	t.Helper()
	got, want := make([]model.Event, len(b)/3+1), make([]model.Event, len(b)/3+1)
	gp, gn, gt := both(b, 0, got)
	wp, wn, wt := naive(b, 0, want)
	if gp != wp || gn != wn || gt != wt {
		t.Fatalf("stopped at %d after %d events at time %d; naive at %d after %d at %d", gp, gn, gt, wp, wn, wt)
	}
	for i := range gn {
		if got[i] != want[i] {
			t.Fatalf("event %d is %s; naive %s", i, fmt.Sprint(got[i]), fmt.Sprint(want[i]))
		}
	}
}

func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 8 {
		f.Add(randomEvents(r, 10))
	}
	f.Fuzz(compareDecoders)
}
