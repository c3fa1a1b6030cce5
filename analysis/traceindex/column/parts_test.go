package column

import (
	"math/rand/v2"
	"testing"

	"github.com/memtui/memtui/model"
)

// Parts are read as they were written, whatever is in them.
func TestPartsAreReadAsWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	some := func() uint64 { return r.Uint64() >> r.IntN(64) }
	for range 10_000 {
		want := Part{Events: uint64(1 + r.IntN(PartLength)), Time: some(), AllocBytes: some(), EndedBytes: some(), Up: some(), Down: some()}
		want.Allocs = uint64(r.IntN(int(want.Events) + 1))
		want.Frees = want.Events - want.Allocs
		want.Ended, want.CountsUp, want.CountsDown = want.Frees, uint64(r.IntN(20)), uint64(r.IntN(20))
		if r.IntN(4) == 0 {
			want.Gap, want.Ended, want.Frees = some(), some(), some()
		}
		var w PartWriter
		usual := int(want.Events) + r.IntN(4)/3
		w.Put(&want, usual)
		n := len(w.B)
		if n > partMost {
			t.Fatalf("%d bytes", n)
		}
		var got Part
		if rest := got.read(append(w.B, 7, 8), usual); len(rest) != 2 || got != want {
			t.Fatalf("%+v, want %+v; %d bytes left", got, want, len(rest))
		}
		for cut := range n {
			if rest := new(Part).read(w.B[:cut], usual); rest != nil {
				t.Fatalf("%d of %d bytes are a part", cut, n)
			}
		}
	}
}

// Streams that are none end in an error.
func TestPartsThatAreNone(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 10_000 {
		b := make([]byte, r.IntN(300))
		for i := range b {
			b[i] = byte(r.Uint32() >> r.IntN(32))
		}
		points, ok := ReadParts(nil, b, Level{}, 1+r.IntN(model.OffsetEvery))
		at, events := model.Time(0), 0
		for _, p := range points {
			if p.At < at || p.Gap > p.At || p.Events <= events {
				t.Fatal(points)
			}
			at, events = p.At, p.Events
		}
		if ok && len(b) < 3 {
			t.Fatal("a part of nothing")
		}
	}
}
