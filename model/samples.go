package model

import (
	"encoding/binary"
	"math"
)

// MaxChunk is the most samples that a chunk can hold.
const MaxChunk = 1 << 15

// Sample is one sample of a [SampleChunk].
type Sample struct {
	Time   Time     // since the start of the time range; negative before it
	Record RecordID // or NoRecord
	SampleLabel
	Period float64 // its weight in its event's primary metric; 0 if the file does not state it
}

// SampleLabel is the event and CPU that many samples of a chunk share.
type SampleLabel struct {
	Event  uint16 // index of Events, or NoEvent
	CPU    uint16 // or NoCPU
	Thread ThreadID
}

// SampleChunk is a run of samples in file order, at most [MaxChunk]. Times need not rise. The zero chunk is empty.
// Samples are added to wide columns, which [SampleChunk.Seal] packs. A copy stays unchanged while samples are added to
// the original.
type SampleChunk struct {
	Labels []SampleLabel

	First, Last Time // the earliest and the latest time; meaningless without samples

	size   int
	sealed bool
	floats bool // packed periods are bits of floats

	times   []Time // until sealed
	records []RecordID
	labels  []uint16
	periods []float64

	packedTimes, packedRecords, packedLabels, packedPeriods packedColumn
}

// NewSampleChunk returns an empty chunk with capacity for n samples.
func NewSampleChunk(n int) SampleChunk {
	return SampleChunk{times: make([]Time, 0, n), records: make([]RecordID, 0, n), labels: make([]uint16, 0, n),
		periods: make([]float64, 0, n)}
}

// Len returns the number of samples.
func (c *SampleChunk) Len() int { return c.size }

// Time returns the time of a sample.
func (c *SampleChunk) Time(i int) Time {
	if c.sealed {
		return Time(c.packedTimes.at(i))
	}
	return c.times[i]
}

// Record returns the record of a sample, or NoRecord.
func (c *SampleChunk) Record(i int) RecordID {
	if c.sealed {
		return RecordID(c.packedRecords.at(i))
	}
	return c.records[i]
}

// Label returns the label of a sample, an index of Labels.
func (c *SampleChunk) Label(i int) uint16 {
	if c.sealed {
		return uint16(c.packedLabels.at(i))
	}
	return c.labels[i]
}

// Period returns the period of a sample.
func (c *SampleChunk) Period(i int) float64 {
	switch {
	case !c.sealed:
		return c.periods[i]
	case c.floats:
		return math.Float64frombits(c.packedPeriods.at(i))
	}
	return float64(c.packedPeriods.at(i))
}

// At returns a sample.
func (c *SampleChunk) At(i int) Sample {
	return Sample{c.Time(i), c.Record(i), c.Labels[c.Label(i)], c.Period(i)}
}

// Under reports for each label whether it belongs to an event.
func (c *SampleChunk) Under(event uint16) []bool {
	out := make([]bool, len(c.Labels))
	for i := range out {
		out[i] = c.Labels[i].Event == event
	}
	return out
}

// Add appends a sample, and its label if it is new. The chunk must be neither full nor sealed.
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
	if c.size == 0 {
		c.First, c.Last = t, t
	}
	c.First, c.Last = min(c.First, t), max(c.Last, t)
	c.times, c.records = append(c.times, t), append(c.records, r)
	c.labels, c.periods = append(c.labels, label), append(c.periods, period)
	c.size++
}

// Seal packs the columns of a chunk that gets no more samples, and returns an empty chunk that reuses its memory. No
// copy of the chunk may exist.
func (c *SampleChunk) Seal() (room SampleChunk) {
	room = SampleChunk{times: c.times[:0], records: c.records[:0], labels: c.labels[:0], periods: c.periods[:0]}
	c.packedTimes = pack(c.size, func(i int) uint64 { return uint64(c.times[i]) }, uint64(c.First))
	c.packedRecords = pack(c.size, func(i int) uint64 { return uint64(c.records[i]) }, 0)
	c.packedLabels = pack(c.size, func(i int) uint64 { return uint64(c.labels[i]) }, 0)
	least := uint64(math.MaxUint64)
	for _, p := range c.periods {
		if !(p >= 0 && p < 1<<53 && p == math.Trunc(p)) || math.Signbit(p) {
			c.floats = true
		}
		least = min(least, uint64(max(p, 0)))
	}
	if c.floats {
		c.packedPeriods = pack(c.size, func(i int) uint64 { return math.Float64bits(c.periods[i]) }, 0)
	} else {
		c.packedPeriods = pack(c.size, func(i int) uint64 { return uint64(c.periods[i]) }, least)
	}
	c.sealed = true
	c.times, c.records, c.labels, c.periods = nil, nil, nil, nil
	return room
}

// SetRecord returns the chunk with other records for samples, by index. The chunk itself is not changed.
func (c *SampleChunk) SetRecord(records map[int]RecordID) SampleChunk {
	out, of := *c, func(i int) uint64 {
		if r, ok := records[i]; ok {
			return uint64(r)
		}
		return uint64(c.Record(i))
	}
	if c.sealed {
		out.packedRecords = pack(c.size, of, 0)
		return out
	}
	out.records = make([]RecordID, c.size)
	for i := range out.records {
		out.records[i] = RecordID(of(i))
	}
	return out
}

// packedColumn holds numbers in as many bytes each as the largest distance from their base needs.
type packedColumn struct {
	data  []byte
	base  uint64
	mask  uint64
	width int
}

// pack packs n numbers, each at or above base, modulo 2^64.
func pack(n int, of func(int) uint64, base uint64) packedColumn {
	most := uint64(0)
	for i := range n {
		most = max(most, of(i)-base)
	}
	c := packedColumn{base: base, mask: math.MaxUint64}
	for c.width < 8 && most>>(8*c.width) != 0 {
		c.width++
	}
	if c.width < 8 {
		c.mask = 1<<(8*c.width) - 1
	}
	c.data = make([]byte, n*c.width+8)
	for i := range n {
		binary.LittleEndian.PutUint64(c.data[i*c.width:], of(i)-base) // what is beyond the width is overwritten by the next
	}
	return c
}

func (c *packedColumn) at(i int) uint64 {
	return binary.LittleEndian.Uint64(c.data[i*c.width:])&c.mask + c.base
}
