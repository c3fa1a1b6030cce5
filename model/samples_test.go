package model

import (
	"math/rand/v2"
	"testing"
)

// TestSampleChunk holds that a chunk gives back what was put in, and that its copies stay.
func TestSampleChunk(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	times := []Time{0, 1, -5, 1 << 31, -1 << 31, MaxTime, -MaxTime, 7}
	periods := []float64{5, 0, 1<<32 - 1, 1 << 53, 0.5, -3, 1e300}
	for range 200 {
		var c, copied SampleChunk
		var want []Sample
		at, kinds := rng.IntN(40), 1+rng.IntN(len(times))
		for i := range 60 {
			if i == at {
				copied = c
				if at%2 == 0 {
					copied.Seal()
				}
			}
			s := Sample{
				times[rng.IntN(kinds)], RecordID(i), SampleLabel{uint16(rng.IntN(2)), uint16(rng.IntN(2)), ThreadID(rng.IntN(2))},
				periods[rng.IntN(min(kinds, len(periods)))],
			}
			want = append(want, s)
			c.Add(s)
		}
		if c.Len() != 60 || copied.Len() != at || len(c.Labels) > 8 || !c.equalColumns() {
			t.Fatal(c.Len(), copied.Len(), at, c.Labels)
		}
		if at%3 == 0 {
			c.Seal()
		}
		other := c.SetRecord(map[int]RecordID{7: NoRecord})
		if other.Record(7) != NoRecord || c.Record(7) != 7 || other.Record(8) != 8 || !other.equalColumns() {
			t.Fatal("another record")
		}
		for i, s := range want {
			if c.At(i) != s || i < at && copied.At(i) != s || s.Time < c.First || s.Time > c.Last {
				t.Fatal(i, c.At(i), s)
			}
			if c.Under(1)[c.Label(i)] != (s.Event == 1) {
				t.Fatal("label of", s)
			}
		}
	}
}

// equalColumns reports whether all columns are as long as the chunk says.
func (c *SampleChunk) equalColumns() bool {
	n := c.size
	if c.sealed {
		return n <= MaxChunk && c.packedTimes.holds(n) && c.packedRecords.holds(n) && c.packedLabels.holds(n) && c.packedPeriods.holds(n)
	}
	return n <= MaxChunk && len(c.times) == n && len(c.records) == n && len(c.labels) == n && len(c.periods) == n
}

func (c *packedColumn) holds(n int) bool { return len(c.data) == n*c.width+8 }
