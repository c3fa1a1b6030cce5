package mlyze

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memtui/memtui/model"
)

const sample = "../../testdata/small_kvleak.mlyze"

// withoutTime drops the times, which shift when events are lost.
func withoutTime(events []model.Event) []model.Event {
	out := slices.Clone(events)
	for i := range out {
		out[i].Time = 0
	}
	return out
}

// invented counts the events of got that are not, in this order, among want; and how many of want are missing.
func invented(got, want []model.Event) (extra, missing int) {
	got, want = withoutTime(got), withoutTime(want)
	head := 0
	for head < len(got) && head < len(want) && got[head] == want[head] {
		head++
	}
	tail := 0
	for tail < len(got)-head && tail < len(want)-head && got[len(got)-1-tail] == want[len(want)-1-tail] {
		tail++
	}
	return len(got) - head - tail, len(want) - head - tail
}

// TestDamageInTheMiddle overwrites and inserts bytes at random places of a real trace: what is not touched must be
// kept, hardly anything invented, and every byte accounted for.
func TestDamageInTheMiddle(t *testing.T) {
	whole := readTestFile(t, sample)
	good := openBytes(t, whole)
	kinds := []struct {
		name string
		fill func(r *rand.Rand, b []byte)
	}{
		{"random", func(r *rand.Rand, b []byte) {
			for i := range b {
				b[i] = byte(r.Uint32())
			}
		}},
		{"zero", func(_ *rand.Rand, b []byte) { clear(b) }},
		{"ones", func(_ *rand.Rand, b []byte) {
			for i := range b {
				b[i] = 0xff
			}
		}},
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, kind := range kinds {
		extras, excess, rounds := 0, 0, 60
		for round := range rounds {
			n := 70 + r.IntN(600)
			at := int(good.begin) + r.IntN(len(whole)-int(good.begin)-2*n-1000)
			b := bytes.Clone(whole)
			if round%2 == 0 {
				b = slices.Insert(b, at, make([]byte, n)...)
			}
			kind.fill(r, b[at:at+n])
			got := openBytes(t, b)
			extra, missing := invented(got.events, good.events)
			extras += extra
			excess += max(0, missing-n/10-2)
			if got.lost == 0 || got.errors() == 0 {
				t.Errorf("%s, %d bytes at %d: damage was not noticed", kind.name, n, at)
			}
		}
		t.Logf("%s: %d invented events, %d lost needlessly in %d rounds", kind.name, extras, excess, rounds)
		if extras > rounds/3 || excess > rounds {
			t.Errorf("%s: %d invented events, %d lost needlessly in %d rounds", kind.name, extras, excess, rounds)
		}
	}
}

// TestCutAnywhere cuts files at every byte: what remains must be a prefix, and every byte accounted for.
func TestCutAnywhere(t *testing.T) {
	for _, path := range []string{"testdata/edge/baseline_good.mlyze", "testdata/real/ref_api_sampled.mlyze", "testdata/real/ref_api_backwards.mlyze"} {
		whole := readTestFile(t, path)
		good := openBytes(t, whole)
		for n := range whole {
			got := openBytes(t, whole[:n])
			if n < headerSize {
				if got.err == nil {
					t.Fatalf("%s cut to %d bytes: opened without a header", path, n)
				}
				continue
			}
			if int64(n) < good.begin {
				if len(got.events) > 0 || got.errors() == 0 {
					t.Errorf("%s cut to %d bytes, within the metadata: %d events", path, n, len(got.events))
				}
				continue
			}
			checkPrefix(t, good, got, int64(n))
		}
	}
}

func checkPrefix(t *testing.T, good, got *result, size int64) {
	t.Helper()
	if len(got.events) > len(good.events) || !slices.Equal(withoutTime(got.events), withoutTime(good.events[:len(got.events)])) {
		t.Errorf("cut to %d bytes: %d events are no prefix", size, len(got.events))
	}
	if len(got.events) > 0 && got.end != size {
		t.Errorf("cut to %d bytes: read to %d", size, got.end)
	}
	used := got.begin
	for i, e := range got.events {
		delta := uint64(0)
		if !trueDeltas(good) { // the sizes of deltas are unknown
			return
		} else if i > 0 {
			delta = uint64(e.Time - got.events[i-1].Time)
		} else {
			delta = uint64(e.Time)
		}
		used += int64(minimalSize(&e, delta))
	}
	if used+got.lost != size {
		t.Errorf("cut to %d bytes: %d used, %d lost", size, used, got.lost)
	}
}

func trueDeltas(r *result) bool { return r.has("batched-deltas") == nil }

func TestHolesAndUnknownTypes(t *testing.T) {
	events := func(f *file, n int) *file {
		for i := range n {
			a := uint64(0x55d400001000 + 0x20*i)
			f.alloc(1, a, 24, uint64(i%2), 1).free(2, a)
		}
		return f
	}
	for _, c := range []struct {
		name string
		hole []byte
		code string
	}{
		{"unknown type", []byte{9}, "event-type"},
		{"unknown type and payload", []byte{4, 5, 12, 0xff, 0xff}, "event-type"},
		{"zero bytes", make([]byte, 5000), "zero-fill"},
		{"endless varint", bytes.Repeat([]byte{0x80}, 300), "event-type"},
		{"varint in an event", append([]byte{1}, bytes.Repeat([]byte{0x80}, 30)...), "varint"},
	} {
		f := events(newFile(), 50)
		at := headerSize + len(f.meta) + len(f.events)
		b := events(f.raw(c.hole...), 50).bytes()
		for name, r := range map[string]*result{"file": openBytes(t, b), "pipe": openPipe(t, b)} {
			if len(r.events) != 200 || r.lost != int64(len(c.hole)) {
				t.Errorf("%s (%s): %d events, %d bytes lost", c.name, name, len(r.events), r.lost)
			}
			p, v := r.has(c.code), r.violation(c.code)
			if p == nil || p.Offset != int64(at) || v == nil || v.Offset != int64(at) {
				t.Errorf("%s (%s): problem %+v, violation %+v, want %s at %d", c.name, name, p, v, c.code, at)
			}
		}
	}
}

// TestUnknownTypesBetweenEvents puts records of one unknown type between the events of a real trace, as dense as after
// every event: at most one event in a thousand may be lost or be another.
func TestUnknownTypesBetweenEvents(t *testing.T) {
	good := openBytes(t, readTestFile(t, sample))
	whole := readTestFile(t, sample)
	for _, every := range []int{1, 2, 3, 10, 20, 40, 47, 60, 100} {
		for _, kind := range []byte{4, 5, 6, 15} {
			b := withRecords(t, whole, every, func(n int) []byte { // a time, an address, a name
				r := binary.AppendUvarint([]byte{kind}, uint64(n%300))
				r = binary.LittleEndian.AppendUint64(r, 0x55d400001000+uint64(n)*32)
				return binary.AppendUvarint(r, uint64(n%5))
			})
			got := openBytes(t, b)
			if n := common(got.events, good.events); max(len(good.events), len(got.events))-n > len(good.events)/1000 {
				t.Errorf("type %d after every %d: %d events, %d of %d are right", kind, every, len(got.events), n, len(good.events))
			}
			if got.has("event-type") == nil {
				t.Errorf("type %d after every %d is not reported", kind, every)
			}
		}
	}
}

// common returns how many events of got are, in this order, those of want, where single ones are missing or added.
func common(got, want []model.Event) (n int) {
	got, want = withoutTime(got), withoutTime(want)
	for len(got) > 0 && len(want) > 0 {
		ahead := slices.Index(want[:min(len(want), 32)], got[0])
		if ahead >= 0 {
			n, want = n+1, want[ahead+1:]
		}
		got = got[1:]
	}
	return n
}

// withRecords returns a trace with a record after every n-th event.
func withRecords(t *testing.T, trace []byte, every int, record func(n int) []byte) []byte {
	t.Helper()
	at := headerSize + int(binary.LittleEndian.Uint32(trace[offLength:]))
	out := slices.Clone(trace[:at])
	for n := 1; at < len(trace); n++ {
		var e model.Event
		size, _, st := decodeOne(trace[at:], &e)
		if st != decoded {
			t.Fatalf("event at byte %d: status %d", at, st)
		}
		out = append(out, trace[at:at+size]...)
		if at += size; n%every == 0 {
			out = append(out, record(n)...)
		}
	}
	return out
}

// TestJunkTakesLinearTime opens junk of several kinds; a search that is not linear would take minutes.
func TestJunkTakesLinearTime(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	random := make([]byte, 4<<20)
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	small := bytes.Clone(random)
	for i := range small {
		small[i] &= 7
	}
	var nearly []byte // runs that are plausible for a while, again and again
	for len(nearly) < 1<<20 {
		f := &file{}
		for i := range 40 {
			f.alloc(1, uint64(r.Uint32())<<15|0x1000, 8, uint64(i), 0)
		}
		nearly = append(append(nearly, f.events...), 0xff, 0xff)
	}
	for name, junk := range map[string][]byte{
		"random": random, "small": small, "zero": make([]byte, 16<<20), "ones": bytes.Repeat([]byte{1}, 4<<20),
		"markers": bytes.Repeat([]byte{3, 1, 1, 0xff}, 1<<20), "nearly": nearly,
	} {
		got := openBytes(t, newFile().raw(junk...).bytes())
		if got.err != nil || got.errors() == 0 {
			t.Errorf("%s: %v, %d violations", name, got.err, len(got.violations))
		}
	}
}
