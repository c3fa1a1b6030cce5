package model

import "math"

// MaxChunk is how many samples a chunk can hold.
const MaxChunk = 1 << 15

// Sample is one sample of a [SampleChunk].
type Sample struct {
	Time   Time     // since the start of the time range; negative before it
	Record RecordID // or NoRecord
	SampleLabel
	Period float64 // what it weighs in its event's primary metric; 0 when the file does not say
}

// SampleLabel is what many samples of a chunk have in common.
type SampleLabel struct {
	Event  uint16 // index of Events, or NoEvent
	CPU    uint16 // or NoCPU
	Thread ThreadID
}

// SampleChunk is a run of samples in file order, at most [MaxChunk], as columns of equal length. Times need not rise. The zero
// chunk is empty. A copy stays as it is while samples are added to the original.
type SampleChunk struct {
	Record []RecordID // or NoRecord
	Label  []uint16   // index of Labels
	Labels []SampleLabel

	First, Last Time // the earliest and the latest time; meaningless without samples

	base  Time // of near
	near  []int32
	far   []Time // in place of near, once one time is far from the first
	small []uint32
	large []float64 // in place of small, once one period is no integer of 32 bits
}

// NewSampleChunk returns an empty chunk with room for n samples.
func NewSampleChunk(n int) SampleChunk {
	return SampleChunk{Record: make([]RecordID, 0, n), Label: make([]uint16, 0, n), near: make([]int32, 0, n), small: make([]uint32, 0, n)}
}

// Len is the number of samples.
func (c *SampleChunk) Len() int { return len(c.Record) }

// Time is that of a sample.
func (c *SampleChunk) Time(i int) Time {
	if c.far != nil {
		return c.far[i]
	}
	return c.base + Time(c.near[i])
}

// Period is that of a sample.
func (c *SampleChunk) Period(i int) float64 {
	if c.large != nil {
		return c.large[i]
	}
	return float64(c.small[i])
}

// At is all of a sample.
func (c *SampleChunk) At(i int) Sample {
	return Sample{c.Time(i), c.Record[i], c.Labels[c.Label[i]], c.Period(i)}
}

// Under tells for each label whether it is one of an event.
func (c *SampleChunk) Under(event uint16) []bool {
	out := make([]bool, len(c.Labels))
	for i := range out {
		out[i] = c.Labels[i].Event == event
	}
	return out
}

// Add appends a sample, and its label where it is new. The chunk must not be full.
func (c *SampleChunk) Add(s Sample) {
	label := 0
	for label < len(c.Labels) && c.Labels[label] != s.SampleLabel {
		label++
	}
	if label == len(c.Labels) {
		c.Labels = append(c.Labels, s.SampleLabel)
	}
	c.Append(s.Time, s.Record, uint16(label), s.Period)
}

// Append is Add with an index of Labels.
func (c *SampleChunk) Append(t Time, r RecordID, label uint16, period float64) {
	if len(c.Record) == 0 {
		c.base, c.First, c.Last = t, t, t
	}
	c.First, c.Last = min(c.First, t), max(c.Last, t)
	c.Record, c.Label = append(c.Record, r), append(c.Label, label)
	switch d := int32(t - c.base); {
	case c.far != nil:
		c.far = append(c.far, t)
	case c.base+Time(d) == t:
		c.near = append(c.near, d)
	default:
		c.widenTimes(t)
	}
	switch n := uint32(period); {
	case c.large != nil:
		c.large = append(c.large, period)
	case float64(n) == period && !math.Signbit(period):
		c.small = append(c.small, n)
	default:
		c.widenPeriods(period)
	}
}

func (c *SampleChunk) widenTimes(t Time) {
	far := make([]Time, len(c.near), cap(c.Record))
	for i := range far {
		far[i] = c.Time(i)
	}
	c.far, c.near = append(far, t), nil
}

func (c *SampleChunk) widenPeriods(period float64) {
	large := make([]float64, len(c.small), cap(c.Record))
	for i := range large {
		large[i] = c.Period(i)
	}
	c.large, c.small = append(large, period), nil
}

func (c *SampleChunk) equalColumns() bool {
	n := len(c.Record)
	return n <= MaxChunk && len(c.Label) == n && max(len(c.near), len(c.far)) == n && max(len(c.small), len(c.large)) == n
}
